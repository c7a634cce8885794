"""Tests of prompt files and their loader."""
