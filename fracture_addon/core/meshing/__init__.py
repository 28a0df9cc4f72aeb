"""From an artist's surface to cells: repair, filling, and bodies without thickness."""
