"""Language servers that Glossator starts itself, where no editor can be asked about code."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
