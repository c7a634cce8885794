"""Checks every claim of an answer against the lines it cites."""
