"""Attacks that must come to nothing, one file per subject."""
