"""Glosses: reports kept beside the lines that they are about."""
