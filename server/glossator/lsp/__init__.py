"""The editor's edge: the Language Server Protocol over stdio or TCP; alone in importing pygls."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
