"""Sessions: their logs, what these add up to, replay and export."""
