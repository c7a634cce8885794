"""What is on disk below the workspace's folders: walking, ignoring, watching, listing, reading."""
