"""Tests of citations and their checks."""
