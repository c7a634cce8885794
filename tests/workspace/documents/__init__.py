"""The workspace in memory: open documents over files."""
