"""Prompts as files: loaded, checked and hashed here; no prompt text lives in Python."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
