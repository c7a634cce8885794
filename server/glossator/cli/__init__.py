"""The terminal: an edge that asks a server of its own, as an editor would."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
