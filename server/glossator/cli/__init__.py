"""The terminal: an edge that asks a server of its own, as an editor would."""
