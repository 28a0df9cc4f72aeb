"""From an artist's surface to cells: repair, filling with tetrahedra, ropes and sheets."""
