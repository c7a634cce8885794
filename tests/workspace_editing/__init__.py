"""Finding what is to be replaced, and moving it over what changed meanwhile."""
