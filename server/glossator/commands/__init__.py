"""What people and editors can ask for: one file for a command or a family of commands."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
