"""Symbols of source files: outlines, references, calls and imports; pure functions on text."""
