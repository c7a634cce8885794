"""Everything that outlives a server, kept on disk in SQLite."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
