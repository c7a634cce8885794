"""Finding texts and files."""
