"""Outlines, definitions and references."""
