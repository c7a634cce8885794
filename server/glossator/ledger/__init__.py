"""Facts of a workspace, followed as their lines change, and the memory core of each session."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
