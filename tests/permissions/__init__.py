"""Rules, protected paths, modes and trust."""
