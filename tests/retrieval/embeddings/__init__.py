"""Tests of embeddings: who makes them, where they are kept, which are near."""
