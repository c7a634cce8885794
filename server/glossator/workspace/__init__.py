"""The workspace: what is on disk, open documents over it, and finding text in both."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
