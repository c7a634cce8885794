"""The invariants of `docs/architecture.md` that can be read off the source."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "server" / "glossator"
SOURCES = sorted(PACKAGE.rglob("*.py"))

# layer -> the layers of ours it may import (`core` always)
LAYERS: dict[str, set[str]] = {
    "core": set(),
    "settings": set(),
    "prompts": set(),
    "store": {"settings"},
    "workspace": {"settings", "store"},
    "llm": {"settings", "prompts"},
    "retrieval": {"settings", "prompts", "workspace", "llm"},
    "context": {"settings", "prompts", "workspace", "llm"},
    "tools": {"settings", "prompts", "workspace", "retrieval"},
    "agent": {"settings", "prompts", "workspace", "llm", "context", "tools"},
    "grounding": {"settings", "prompts", "workspace", "retrieval", "llm", "agent"},
    "service": {
        "settings",
        "prompts",
        "store",
        "workspace",
        "llm",
        "retrieval",
        "context",
        "tools",
        "agent",
        "grounding",
    },
    "lsp": {"settings", "service", "workspace"},
    "cli": {"settings", "service", "lsp"},
}
# package -> the only layer that may import it
OWNERS = {
    "pygls": "lsp",
    "lsprotocol": "lsp",
    "cattrs": "lsp",
    "anthropic": "llm",
    "sqlite3": "store",
    "tree_sitter": "workspace",
    "watchfiles": "workspace",
    "numpy": "workspace",
    "pyroaring": "workspace",
    "typer": "cli",
    "rich": "cli",
}
MAX_LINES = 350
MAX_BROAD_EXCEPTS = 3


def layer_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ""


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield node.module or ""


def test_every_folder_is_a_layer() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert folders == set(LAYERS)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_layer_imports_only_what_its_row_names(path: Path) -> None:
    layer = layer_of(path)
    for name in imports(path):
        package, *rest = name.split(".")
        if package == "glossator" and rest and layer:
            allowed = LAYERS[layer] | {"core", layer}
            assert rest[0] in allowed or rest[0] == "__init__", f"{layer} may not import {name}"
        elif package in OWNERS:
            assert layer == OWNERS[package], f"only {OWNERS[package]} imports {package}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_says_what_it_is_and_stays_short(path: Path) -> None:
    text = path.read_text("utf-8")
    assert ast.get_docstring(ast.parse(text)), "a module begins with a docstring"
    assert text.count("\n") <= MAX_LINES


PARSERS = {"definitions", "headings", "keys", "outline", "references", "tree"}


def test_only_symbol_jobs_parse() -> None:
    """Whoever wants an outline asks the worker process for it, through `SymbolFinder`."""
    folder = PACKAGE / "workspace" / "symbols"
    parsing = [
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path in SOURCES
        if folder not in path.parents
        for name in imports(path)
        if name.startswith("glossator.symbols.") and name.split(".")[3] in PARSERS
    ]
    assert parsing == []


def test_broad_excepts_are_few() -> None:
    broad = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ExceptHandler)
        and (
            node.type is None
            or (isinstance(node.type, ast.Name) and node.type.id in {"Exception", "BaseException"})
        )
    ]
    assert len(broad) <= MAX_BROAD_EXCEPTS, broad


def test_the_guide_names_tests_that_exist() -> None:
    guide = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = re.findall(r"`(tests/[\w./]+)`", guide)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize(
    ("modules", "heavy"),
    [  # what `initialize` must not wait for, and what the worker would only carry about
        ("lsp.listen lsp.features", "anthropic numpy pydantic rich tree_sitter typer watchfiles"),
        ("workspace.worker.serve workspace.worker.build", "anthropic pydantic tree_sitter"),
    ],
)
def test_a_process_starts_without_what_it_does_not_need(modules: str, heavy: str) -> None:
    """See also `make bench`."""
    names = ", ".join(f"glossator.{module}" for module in modules.split())
    code = f"import {names}, json, sys; print(json.dumps(list(sys.modules)))"
    loaded = json.loads(subprocess.check_output([sys.executable, "-c", code], text=True))
    assert set(heavy.split()).isdisjoint(name.partition(".")[0] for name in loaded)
