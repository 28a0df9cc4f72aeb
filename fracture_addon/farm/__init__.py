"""Many runs of the command line: plans of runs, the folder of their results, and the engines that run them."""
