"""What a command line means."""
