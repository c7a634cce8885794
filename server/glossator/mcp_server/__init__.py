"""A server of the Model Context Protocol, for other agents; only this room serves that protocol."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
