"""Tests of the tools, on real workspaces."""
