"""Finding texts by regular expressions, and files by name."""
