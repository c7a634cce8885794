"""What a model may do: rules, protected files, trust, and what the user has granted."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
