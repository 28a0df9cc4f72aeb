"""The worker process, its progress, the current run, and caches."""
