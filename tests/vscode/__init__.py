"""What the VS Code client takes over from the server, and whether it is still the same."""
