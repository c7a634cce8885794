"""Checks that the lines an answer cites exist and were read."""
