"""Sessions: their logs, resuming, going back, spending."""
