"""Networks of rigid bonds: Smith, Witkin and Baraff 2001, with full bonds by default."""
