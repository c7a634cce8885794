"""Glossator: a language server that reads a workspace in a loop and cites what it read."""

__version__ = "0.1.0"
