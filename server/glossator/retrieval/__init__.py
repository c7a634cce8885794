"""Finding the chunks of a workspace that bear on a question."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
