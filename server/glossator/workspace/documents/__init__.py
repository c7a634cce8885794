"""The workspace in memory: open documents over files, and the snapshots that tools read."""
