"""Tests of what goes into the model's window."""
