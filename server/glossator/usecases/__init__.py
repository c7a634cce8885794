"""What people and editors can ask for: one use case a file."""
