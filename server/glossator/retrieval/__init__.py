"""Finding the chunks of a workspace that bear on a question."""
