"""The worker process: one child in which long jobs run, a slice at a time."""
