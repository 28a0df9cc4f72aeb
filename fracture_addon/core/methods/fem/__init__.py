"""Break a body with finite elements that crack (O'Brien and Hodgins 1999, and CACM 2000)."""
