"""The trigram index."""
