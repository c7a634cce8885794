"""The editor's edge: the Language Server Protocol over stdio or TCP; alone in importing pygls."""
