"""How long a test waits for what is sure to come."""

SECONDS = 90.0  # far more than anything takes, so that a machine with other work fails no test
