"""Edits: finding the text to replace, and applying plans through the editor."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
