"""What is on disk: walking, ignoring, watching, listing, reading."""
