"""Tests of the offline model, in the real loop."""
