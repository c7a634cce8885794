"""The language server, over stdio or TCP; only this room imports pygls."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
