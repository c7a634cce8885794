"""What a command line means: its words, programs, files, and whether it only reads."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
