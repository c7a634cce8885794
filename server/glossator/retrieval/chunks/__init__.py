"""The chunks of a workspace: cutting texts, and the index that is kept of them."""
