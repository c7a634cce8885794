"""What `make wire` and `make vsix` run: files that are written from the server's own code."""
