"""Commands that run, and what they may reach."""
