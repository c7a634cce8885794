"""Generated contexts of chunks, and rerankers: the parts of retrieval that ask a paid service."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
