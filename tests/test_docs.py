"""Pages link to what exists, and name files of ours that exist, each once; so do docstrings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = [path.as_posix() for path in (ROOT / "server").rglob("*.py")]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "vscode-client/README.md"])

_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
_PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|md|json|ts|tsx|mjs|sh))`")
# in docstrings a module may stand beside the one that names it
_NAMED = re.compile(
    r"`((?:[\w.-]+/)*[\w-]+\.py|(?:[\w.-]+/)+[\w.-]+\.(?:md|json|toml|ts|tsx|mjs|sh))`"
)
_DOTTED = re.compile(r"`((?:core|turn|application|commands|tools)\.[a-z_]+(?:\.\w+)*)`")
_SENTENCE = re.compile(r"(?<=[.!?]) |\n *\n|\n *(?:[-*]|\d+\.) |\n(?=[|#])")
# what pages and docstrings say of other people's trees
_THEIRS = {
    "src/app.py",
    "a/b.md",
    "core.worktree",
    ".claude/CLAUDE.md",
    ".claude/commands/git/pr.md",
    ".claude/hooks.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
}


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {
        re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings
    }


def broken(page: Path) -> Iterator[str]:
    for name, anchor in _LINK.findall(page.read_text("utf-8")):
        target = page.parent / name if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            yield f"{name}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert list(broken(page)) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_files_exist(page: Path) -> None:
    named = set(_PATH.findall(page.read_text("utf-8"))) - _THEIRS
    assert [name for name in named if not exists(name)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_row_or_sentence_names_a_file_once(page: Path) -> None:
    """Else two names became one when files were merged."""
    parts = [_PATH.findall(part) for part in _SENTENCE.split(page.read_text("utf-8"))]
    assert [named for named in parts if len(named) != len(set(named))] == []


def test_docstrings_name_what_exists() -> None:
    """Of modules, classes and functions of the server."""
    assert list(dead_names()) == []


def dead_names() -> Iterator[str]:
    for path in map(Path, SOURCES):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node) or ""
                named = [*_NAMED.findall(text), *_DOTTED.findall(text)]
                dead = (name for name in named if name not in _THEIRS and not is_ours(name, path))
                yield from (f"{path.relative_to(ROOT)}: {name}" for name in dead)


def is_ours(name: str, beside: Path) -> bool:
    """Whether it is a file, or in dotted form a module of the server, or something in one."""
    if _NAMED.fullmatch(f"`{name}`"):
        return exists(name) if "/" in name else (beside.parent / name).exists()
    room, module, *inside = name.split(".")
    try:
        found = import_module(f"glossator.{room}.{module}")
        attrgetter(".".join(inside))(found) if inside else None
    except (ModuleNotFoundError, AttributeError):
        return False
    return True


def exists(name: str) -> bool:
    """Of our sources the end of a path is enough."""
    whole = (ROOT / name, ROOT / "vscode-client" / name)
    return any(map(Path.exists, whole)) or any(path.endswith(f"/{name}") for path in SOURCES)
