"""Fixtures for every test."""

from tests.workspaces import workspace

__all__ = ["workspace"]
