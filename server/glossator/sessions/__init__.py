"""Conversations that are kept: their logs, their state, their runs, replay and export."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
