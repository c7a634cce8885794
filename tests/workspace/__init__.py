"""Tests of the workspace layer, against real files, git and events."""
