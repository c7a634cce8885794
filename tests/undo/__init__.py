"""Checkpoints of files, and undoing turns."""
