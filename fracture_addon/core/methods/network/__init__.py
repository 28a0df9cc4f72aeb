"""Networks of rigid bonds: Smith, Witkin and Baraff 2001, with full bonds by default.

The method is quasi-static: ``strike`` advances from load to load, without a time step that the timeline could share.
"""
