"""Files on disk, the index, open documents and searching."""
