"""The modules of a room import one another in no circle, imports for types alone included."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

SERVER = Path(__file__).parent.parent / "server"
ROOMS = ("lsp",)


@pytest.mark.parametrize("room", ROOMS)
def test_no_circles(room: str) -> None:
    modules = {_name(path): path for path in (SERVER / "glossator" / room).rglob("*.py")}
    graph = {name: set(_imported(path, modules)) for name, path in modules.items()}
    TopologicalSorter(graph).prepare()  # a `CycleError` names the circle


def _name(path: Path) -> str:
    name = ".".join(path.relative_to(SERVER).with_suffix("").parts)
    return name.removesuffix(".__init__")


def _imported(path: Path, modules: Collection[str]) -> Iterator[str]:
    """Those of the modules that a file imports, or takes a name from."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                module = f"{node.module}.{each.name}"  # perhaps, of a package
                yield from [name for name in (module, node.module) if name in modules][:1]
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in modules)
