"""Tests of the text index."""
