"""The user's hooks: commands that run at certain moments, and what their answers mean."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
