"""The trigram index of texts: which files may hold a match of a pattern."""
