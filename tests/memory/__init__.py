"""Tests of what is remembered across sessions."""
