"""The text index: which files can hold a match, by the trigrams of their text."""
