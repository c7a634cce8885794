"""What is remembered across sessions: files of the user's own, found again when they matter."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
