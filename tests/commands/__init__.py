"""Use cases, with the stand-in as the model."""
