"""The worker process: builds the index and parses code, so that the server never stalls."""
