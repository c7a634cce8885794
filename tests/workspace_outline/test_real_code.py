"""Outlines of real code: equal to `ast` for Python, and no error on what is installed."""

from __future__ import annotations

import ast
import random
import sysconfig
from pathlib import Path

import pytest

from glossator.workspace.symbols.outline import language_of, outline

SEED = 20
STDLIB = Path(sysconfig.get_path("stdlib"))
INSTALLED = Path(sysconfig.get_path("purelib"))


def test_python_agrees_with_ast() -> None:
    files = sorted(p for p in STDLIB.glob("*.py") if p.stat().st_size < 200_000)
    for path in random.Random(SEED).sample(files, 60):
        text = path.read_text("utf-8")
        expected = {
            (node.name, min([node.lineno, *(d.lineno for d in node.decorator_list)]))
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        }
        found = {
            (symbol.name, symbol.first_line)
            for symbol in outline(text, "python")
            if symbol.kind in {"class", "function", "method"}
        }
        assert found == expected, f"{path.name}, seed {SEED}"


@pytest.mark.parametrize("extension", ["py", "pyi", "c", "h", "js", "md"])
def test_nothing_installed_raises(extension: str) -> None:
    files = sorted(p for p in INSTALLED.rglob(f"*.{extension}") if p.stat().st_size < 200_000)
    for path in random.Random(SEED).sample(files, min(40, len(files))):
        text = path.read_bytes().decode("utf-8", "replace")
        lines = text.count("\n") + text.count("\r") + 1
        for symbol in outline(text, language_of(path.name) or ""):
            assert 1 <= symbol.first_line <= symbol.name_line <= symbol.last_line <= lines, path
