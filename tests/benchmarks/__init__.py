"""Measurements with their targets; run by `make bench`, never as tests."""
