"""Compaction of conversations: what is kept, and which words are the user's."""
