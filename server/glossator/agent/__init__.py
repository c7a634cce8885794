"""The loop: ask the model, run its tools, append the results, until it answers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
