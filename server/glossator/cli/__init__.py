"""The terminal: a client that starts a server of its own, as an editor does."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
