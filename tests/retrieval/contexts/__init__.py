"""Tests of generated contexts and rerankers."""
