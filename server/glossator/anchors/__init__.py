"""Cited lines, followed as documents change and get other names, and the glosses beside them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
