"""Edits: finding what is to be replaced, and having the editor make a plan."""
