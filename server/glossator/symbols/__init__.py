"""Outlines, definitions and references, by tree-sitter."""
