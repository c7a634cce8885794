"""The workspace as tools see it: unsaved text over disk, guarded paths, an up-to-date index."""
