"""The workspace in memory: open documents over files, and the snapshots that tools read."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
