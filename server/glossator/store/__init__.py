"""What is kept on disk beyond a server's life, in SQLite."""
