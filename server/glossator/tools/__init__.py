"""What the model can do: one file a tool, its description in `prompts/tools/`."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
