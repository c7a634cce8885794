"""Modules of one package, imported in threads at the same time."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from glossator.core.imports import import_aside


async def test_each_waits_for_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Side by side the package waits for its module, and the module for its package."""
    package = tmp_path / "aside"
    package.mkdir()
    (package / "__init__.py").write_text("import time\ntime.sleep(0.05)\nimport aside.inner\n")
    (package / "inner.py").write_text("import aside\nplace = __file__\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    names = ["aside", "aside.inner"]
    modules = await asyncio.gather(*map(import_aside, names))
    assert [module.__name__ for module in modules] == names
    assert modules[1] is sys.modules["aside.inner"]
