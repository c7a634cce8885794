"""Where an edit goes: finding the old text, and moving an edit over what changed meanwhile."""
