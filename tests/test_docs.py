"""Pages link to what exists, and name files of ours that exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = [path.as_posix() for path in (ROOT / "server").rglob("*.py")]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "vscode-client/README.md"])

_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
_PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|md|json|ts|tsx|mjs|sh))`")
# what pages say of other people's trees
_THEIRS = {
    "src/app.py",
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


def exists(name: str) -> bool:
    """Of our sources the end of a path is enough."""
    whole = (ROOT / name, ROOT / "vscode-client" / name)
    return any(map(Path.exists, whole)) or any(path.endswith(f"/{name}") for path in SOURCES)
