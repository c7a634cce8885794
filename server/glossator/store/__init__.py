"""What is kept on disk beyond a server's life, in SQLite."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
