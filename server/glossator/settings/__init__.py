"""One settings model for every edge; its JSON schema feeds the clients."""
