"""The life of one question: what goes with it, the loop, the plan, what follows the answer."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
