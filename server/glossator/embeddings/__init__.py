"""Vectors of texts: who makes them, where they are kept, and which are near a question's."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
