"""Outlines of real code: equal to `ast` for Python, and no error on what is installed."""

from __future__ import annotations

import ast
import random
import sysconfig
from pathlib import Path

import pytest

from glossator.core.file_kinds import language_of
from glossator.core.text import split_lines
from glossator.symbols.imports import imports
from glossator.symbols.outline import outline
from glossator.symbols.references import references

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


@pytest.mark.parametrize(
    "extension", ["py", "pyi", "c", "h", "js", "json", "yaml", "toml", "sh", "md"]
)
def test_nothing_installed_raises(extension: str) -> None:
    files = sorted(p for p in INSTALLED.rglob(f"*.{extension}") if p.stat().st_size < 200_000)
    for path in random.Random(SEED).sample(files, min(40, len(files))):
        text = path.read_bytes().decode("utf-8", "replace")
        lines = text.count("\n") + text.count("\r") + 1
        language = language_of(path.name, text) or ""
        for symbol in outline(text, language):
            assert 1 <= symbol.first_line <= symbol.name_line <= symbol.last_line <= lines, path
            line = split_lines(text)[symbol.name_line - 1]
            assert line.startswith(symbol.name, symbol.name_column), (path, symbol)
        assert all(1 <= found.line <= lines for found in imports(text, language)), path


def test_python_imports_agree_with_ast() -> None:
    files = sorted(p for p in STDLIB.glob("*.py") if p.stat().st_size < 200_000)
    for path in random.Random(SEED).sample(files, 60):
        text = path.read_text("utf-8")
        expected: list[tuple[int, str, tuple[str, ...]]] = []
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                expected += [(alias.lineno, alias.name, ()) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                module = "." * node.level + (node.module or "")
                expected.append((node.lineno, module, tuple(alias.name for alias in node.names)))
        found = [(at.line, at.module, at.names) for at in imports(text, "python")]
        assert sorted(found) == sorted(expected), f"{path.name}, seed {SEED}"


def test_python_calls_agree_with_ast() -> None:
    files = sorted(p for p in STDLIB.glob("*.py") if p.stat().st_size < 100_000)
    for path in random.Random(SEED).sample(files, 20):
        text = path.read_text("utf-8")
        called = [
            node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
        ]
        decorators = [
            node
            for function in ast.walk(ast.parse(text))
            if isinstance(function, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            for node in function.decorator_list
        ]
        called += [
            node.id if isinstance(node, ast.Name) else node.attr
            for node in decorators
            if isinstance(node, ast.Name | ast.Attribute)
        ]
        for name in random.Random(SEED).sample(sorted(set(called)), min(10, len(set(called)))):
            calls = [use for use in references(text, "python", name) if use.kind == "call"]
            assert len(calls) == called.count(name), f"{path.name} {name}, seed {SEED}"
