"""Use cases, one a file, over an `Application` that owns every lifetime. Edges call these."""
