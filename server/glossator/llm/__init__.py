"""Models behind one protocol: Anthropic and compatible servers, and the offline extractive one.

The only room that imports the `anthropic` package.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
