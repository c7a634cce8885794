"""Modules of one package, imported in threads at the same time."""

from __future__ import annotations

import asyncio
import sys
import time
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType

import pytest

from glossator.core.own_process import import_aside

_NAMES = ["aside", "aside.inner"]


class _Package(Loader):
    """It needs its module, and is made late: by then another thread has begun with that."""

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        return spec_from_loader(name, self, is_package=True) if name in _NAMES else None

    def create_module(self, spec: ModuleSpec) -> None:
        if spec.name == "aside":
            time.sleep(0.05)

    def exec_module(self, _: ModuleType) -> None:
        import_module("aside.inner")


async def test_one_waits_for_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "meta_path", [_Package(), *sys.meta_path])
    modules = await asyncio.gather(*map(import_aside, _NAMES))
    assert modules == [sys.modules[name] for name in _NAMES]
