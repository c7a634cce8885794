"""Making an edit in text that may have changed, and moving it there."""
