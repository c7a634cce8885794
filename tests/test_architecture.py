"""The rules of `docs/architecture.md` and `docs/invariants.md` that can be read off the source."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "server" / "glossator"
EVALUATION = "glossator_eval"  # a room with a package of its own
SOURCES = sorted(
    path for name in (PACKAGE.name, EVALUATION) for path in (PACKAGE.parent / name).rglob("*.py")
)

# room -> the rooms it may import (`core` always), lowest first: a room imports none below its row
ROOMS: dict[str, set[str]] = {
    room: set(may.split())
    for room, may in {
        "core": "",
        "settings": "",
        "store": "",
        "worker": "",
        "workspace": "settings worker",
        "tools": "workspace",
        "symbols": "settings store worker workspace tools",
        "customizations": "workspace tools",
        "shell": "workspace symbols",
        "permissions": "workspace shell",
        "sandbox": "settings workspace tools shell permissions",
        "hooks": "settings workspace permissions sandbox",
        "language_servers": "settings workspace sandbox",
        "undo": "store workspace",
        "edits": "workspace tools symbols permissions undo",
        "llm": "settings",
        "retrieval": "settings store worker workspace tools symbols llm",
        "memory": "worker workspace tools symbols customizations",
        "mcp": "settings workspace tools permissions sandbox llm",
        "grounding": "workspace",
        "anchors": "store worker workspace symbols",
        "ledger": "store workspace anchors memory",
        "sessions": "settings store tools sandbox undo llm",
        "application": (
            "settings store worker workspace tools symbols customizations shell"
            " permissions sandbox hooks language_servers undo edits llm retrieval"
            " memory mcp grounding anchors ledger sessions"
        ),
        "turn": (
            "settings store worker workspace tools symbols customizations permissions sandbox"
            " hooks undo edits llm retrieval memory mcp grounding ledger sessions application"
        ),
        "commands": (
            "settings worker workspace tools symbols customizations"
            " permissions sandbox hooks language_servers undo llm retrieval memory mcp"
            " grounding anchors ledger sessions application turn"
        ),
        "lsp": "settings worker workspace symbols retrieval application commands",
        "cli": (
            "settings customizations permissions hooks retrieval memory mcp ledger commands lsp"
        ),
        "acp": "settings workspace application turn commands cli",
        "mcp_server": "settings tools retrieval ledger application commands",
        EVALUATION: "settings worker workspace symbols retrieval grounding cli",
    }.items()
}
# package -> the rooms that may import it
OWNERS = {
    "pygls": {"lsp", "language_servers"},
    "lsprotocol": {"lsp", "language_servers"},
    "cattrs": {"lsp", "language_servers"},
    "acp": {"acp"},
    "anthropic": {"llm"},
    "httpx2": {"llm", "mcp", "retrieval"},
    "mcp": {"mcp", "mcp_server"},
    "mcp_types": {"mcp", "mcp_server"},
    "anyio": {"mcp", "mcp_server"},
    "starlette": {"mcp_server"},
    "uvicorn": {"mcp_server"},
    "jsonschema": {"mcp"},
    "onnxruntime": {"retrieval"},
    "safetensors": {"retrieval"},
    "sqlite3": {"store"},
    "redis": {"store"},
    "tokenizers": {"retrieval"},
    "tree_sitter": {"shell", "symbols"},
    "inotify_simple": {"workspace"},
    "watchfiles": {"workspace"},
    "numpy": {"glossator_eval", "retrieval", "workspace"},
    "tantivy": {"retrieval"},
    "pyroaring": {"workspace"},
    "matplotlib": {"glossator_eval"},
    "numkong": {"retrieval"},
    "pymilvus": {"retrieval"},
    "usearch": {"retrieval"},
    "typer": {"cli", "glossator_eval"},
    "PIL": {"core"},
    "rich": {"cli"},
    "prompt_toolkit": {"cli"},
    "yaml": {"customizations"},
}
MAX_LINES = 500  # one thought; most have fewer than 300
MAX_BROAD_EXCEPTS = 4


def room_of(path: Path) -> str:
    package, *parts = path.relative_to(PACKAGE.parent).parts
    if package == EVALUATION:
        return EVALUATION
    return parts[0] if len(parts) > 1 else ""


def room_named(module: str) -> str:
    """The room of a module of ours; "" for the package itself and for what is not ours."""
    package, *parts = module.split(".")
    if package == EVALUATION:
        return EVALUATION
    return parts[0] if package == PACKAGE.name and parts else ""


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def nodes(path: Path) -> list[ast.AST]:
    """Of a module's tree, what these rules read: its imports and its handlers of exceptions."""
    kinds = (ast.Import, ast.ImportFrom, ast.ExceptHandler)
    return [n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, kinds)]


def imports(path: Path) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield node.module or ""


def test_every_folder_is_a_room() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert folders == set(ROOMS) - {EVALUATION}


def test_rooms_stand_in_order() -> None:
    above = list(ROOMS)
    for room, may in ROOMS.items():
        assert may <= set(above[: above.index(room)]), f"{room} may import a room above it"


def test_a_room_imports_only_what_its_row_names() -> None:
    wrong = []
    for path in SOURCES:
        room = room_of(path)
        for name in imports(path):
            package = name.partition(".")[0]
            if other := room_named(name):
                if room and other not in ROOMS[room] | {"core", room, "__init__"}:
                    wrong.append(f"{module_of(path)}: {room} may not import {name}")
            elif room not in OWNERS.get(package, {room}):
                wrong.append(f"{module_of(path)}: only {OWNERS[package]} import {package}")
    assert wrong == []


def test_a_room_is_imported_by_its_face() -> None:
    """Other rooms import from the room itself, and only names of its stub (which mypy checks)."""
    wrong = [
        f"{module_of(path)} imports {name}"
        for path in SOURCES
        for name in imports(path)
        if name.startswith("glossator.")
        and name.count(".") > 1
        and room_named(name) not in {"core", room_of(path)}
    ]
    assert wrong == []


@pytest.mark.parametrize("room", sorted(set(ROOMS) - {"core"}))
def test_a_face_shows_what_is_there(room: str) -> None:
    """What the stub names can be imported, and no module hides it under the same name."""
    folder = PACKAGE.parent / room if room == EVALUATION else PACKAGE / room
    face = import_module(module_of(folder / "__init__.py"))
    assert face.__doc__
    assert face.__all__
    functions = [name for name in face.__all__ if not isinstance(getattr(face, name), ModuleType)]
    assert {path.stem for path in folder.glob("*.py")}.isdisjoint(functions)


def test_modules_import_in_no_circle() -> None:
    """Imports that only a type checker sees count, too."""
    modules = {module_of(path) for path in SOURCES}
    graph = {module_of(path): sorted(imported_modules(path, modules)) for path in SOURCES}
    list(TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle


def imported_modules(path: Path, modules: set[str]) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found = {name if name in modules else node.module for name in names}
            yield from found & modules - {module_of(path)}


def test_a_file_says_what_it_is_and_stays_short() -> None:
    for path in SOURCES:
        text = path.read_text("utf-8")
        assert ast.get_docstring(ast.parse(text)), f"{path} begins with a docstring"
        assert text.count("\n") <= MAX_LINES, path


ANSWERING = set("customizations hooks retrieval memory mcp ledger".split())


def test_a_client_takes_only_answers_of_an_ability() -> None:
    """`lsp` and `cli` see an ability only as its commands answer."""
    stubs = {room: ast.parse((PACKAGE / room / "__init__.pyi").read_text()) for room in ANSWERING}
    answers = {
        f"glossator.{room}": {
            alias.name
            for node in stub.body
            if isinstance(node, ast.ImportFrom)
            and (node.module or "").rpartition(".")[2] == "answers"
            for alias in node.names
        }
        for room, stub in stubs.items()
    }
    assert all(answers.values())
    wrong = [
        f"{module_of(path)} imports {node.module}.{alias.name}"
        for path in SOURCES
        if room_of(path) in {"lsp", "cli"}
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name not in answers.get(node.module or "", {alias.name})
    ]
    assert wrong == []


PARSERS = {"jobs", "outline", "references", "sections", "tree"}


def test_only_symbol_jobs_parse() -> None:
    """Other rooms ask the worker process for outlines, through `SymbolFinder`."""
    stub = ast.parse((PACKAGE / "symbols" / "__init__.pyi").read_text("utf-8"))
    shown = {node.module for node in stub.body if isinstance(node, ast.ImportFrom)}
    assert shown.isdisjoint(PARSERS)


def test_broad_excepts_are_few() -> None:
    broad = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in SOURCES
        for node in nodes(path)
        if isinstance(node, ast.ExceptHandler)
        and (
            node.type is None
            or (isinstance(node.type, ast.Name) and node.type.id in {"Exception", "BaseException"})
        )
    ]
    assert len(broad) <= MAX_BROAD_EXCEPTS, broad


def test_the_invariants_name_tests_that_exist() -> None:
    """In the tables, of promises too, and in the guide where it names some."""
    names = ("invariants.md", "security.md", "architecture.md")
    pages = [(ROOT / "docs" / name).read_text("utf-8") for name in names]
    named = re.findall(r"`(tests/[\w./]+)`", "".join(pages))
    assert len(named) > 100
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize(
    ("modules", "heavy"),
    [  # what `initialize` must not wait for, and what the worker would only carry about
        (
            "lsp.listen lsp.features",
            "anthropic mcp numpy pydantic rich tree_sitter typer watchfiles",
        ),
        ("cli.session", "anthropic mcp numpy pydantic rich tree_sitter yaml"),
        ("worker.__main__ workspace.index.jobs", "anthropic pydantic tree_sitter"),
        ("retrieval.chunks.work symbols.jobs", "anthropic httpx2 markdown_it pathspec pydantic"),
        ("application.application mcp.tools", "mcp mcp_types jsonschema"),
        ("application.application language_servers.servers", "pygls lsprotocol cattrs"),
    ],
)
def test_a_process_starts_without_what_it_does_not_need(modules: str, heavy: str) -> None:
    """See also `make bench`."""
    names = ", ".join(f"glossator.{module}" for module in modules.split())
    code = f"import {names}, json, sys; print(json.dumps(list(sys.modules)))"
    loaded = json.loads(subprocess.check_output([sys.executable, "-c", code], text=True))
    assert set(heavy.split()).isdisjoint(name.partition(".")[0] for name in loaded)
