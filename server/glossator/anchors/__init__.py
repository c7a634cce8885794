"""Anchors: cited lines, followed as their documents change and get other names."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
