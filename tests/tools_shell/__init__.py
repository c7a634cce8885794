"""Tests of the shell: its syntax, its sandbox and its processes, on real ones."""
