"""How a question is answered: the table of states, the way that is taken, plans and their tasks."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
