"""Many runs of the command line: plans of runs, the folder of their results, and the engines that run them.

A sweep is a list of runs in a file. Every engine starts the same command, ``wedge --output DIR --run N``: the ordinary
command line behind a lock. The state is in the folder: a run is done when its report is there, which is written last
and as a whole.
"""
