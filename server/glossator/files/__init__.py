"""What is on disk below the workspace's folders: walking, ignoring, watching, listing, reading."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
