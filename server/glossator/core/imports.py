"""Imports that take long, in a thread, one at a time.

Two threads that import modules of one package at the same time may each wait for what the other
began; Python then fails one of the imports (`_DeadlockError`).
"""

from __future__ import annotations

import asyncio
from importlib import import_module
from threading import Lock
from types import ModuleType

_ONE_AT_A_TIME = Lock()


async def import_aside(name: str) -> ModuleType:
    """Import a module without holding up the event loop."""
    return await asyncio.to_thread(_imported, name)


def _imported(name: str) -> ModuleType:
    with _ONE_AT_A_TIME:
        return import_module(name)
