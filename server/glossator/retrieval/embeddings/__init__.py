"""Vectors of texts: who makes them, where they are kept, which are near a question's."""
