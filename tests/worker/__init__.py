"""The worker process, and servers that share an index."""
