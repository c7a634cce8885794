"""Prompts as files: loaded, checked and hashed here; no prompt text lives in Python."""
