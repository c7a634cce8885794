"""Tests of looking symbols up in a workspace."""
