"""Glosses kept with the lines they cite, and how both move."""
