"""Attacks, by subject: a hostile model, or a hostile repository, at the real server process."""
