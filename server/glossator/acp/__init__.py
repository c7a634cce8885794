"""An agent of the Agent Client Protocol, over stdio; only this room imports its SDK."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
