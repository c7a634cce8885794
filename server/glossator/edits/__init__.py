"""Edits: finding what is to be replaced, and having the editor make a plan."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
