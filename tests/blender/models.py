"""Models as text, for tests of the command line."""

BOX = """\
v -1 0 -1
v 1 0 -1
v 1 0 1
v -1 0 1
v -1 4 -1
v 1 4 -1
v 1 4 1
v -1 4 1
f 1 2 3 4
f 8 7 6 5
f 1 5 6 2
f 2 6 7 3
f 3 7 8 4
f 4 8 5 1
"""
