"""Modules of one package, imported in threads at the same time."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import pytest

from glossator.core.imports import import_aside


class _Slow:
    """Finds the package late: the other thread asks for its module first."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "aside":
            time.sleep(0.05)


async def test_one_waits_for_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Side by side the package would wait for its module, and the module for its package."""
    package = tmp_path / "aside"
    package.mkdir()
    (package / "__init__.py").write_text("import aside.inner\n")
    (package / "inner.py").write_text("import aside\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", [_Slow(), *sys.meta_path])
    names = ["aside", "aside.inner"]
    modules = await asyncio.gather(*map(import_aside, names))
    assert modules == [sys.modules[name] for name in names]
