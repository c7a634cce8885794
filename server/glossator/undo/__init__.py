"""Checkpoints: what each turn changed in files, and taking it back."""
