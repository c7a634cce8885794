"""The trigram index of texts: which files may hold a match of a pattern."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
