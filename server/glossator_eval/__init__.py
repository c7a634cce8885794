"""Measuring retrieval on labelled questions, and making such questions from a repository."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
