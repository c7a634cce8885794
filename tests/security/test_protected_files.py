"""What a program obeys without being told to is changed by nobody unasked, in any mode.

CVE-2025-54135 (making it is not editing it), CVE-2025-59944 (letter case), CVE-2025-53773 (auto
mode), CVE-2025-58372 (workspace files), CVE-2026-25725 (a missing settings file, by a command).
The user denies everything. Edits of all others: `tests/permissions/test_safety.py`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.sandboxed import SANDBOXED
from tests.security.dressings import DRESSINGS
from tests.security.hostile import HostileModel, contents, hostile_model
from tests.standin import ToolUse

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
]

ACTING_MODES = ("ask", "acceptEdits", "auto")
PROTECTED = (".mcp.json", ".VSCode/Settings.JSON", "src/deep/.vscode/settings.json")
NEW_TO_COMMANDS = [  # at the top by pattern or in other letters, and what lies below it
    ".glossator.toml",
    ".glossator/settings.json",
    "AGENTS.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    "a.code-workspace",
    ".lintstagedrc.json",
    "mise.local.toml",
    ".lefthook.yml",
    ".aider.conf.yml",
    ".VSCode/Settings.JSON",
    "src/.mcp.json",
    "src/deep/.vscode/settings.json",
]
KEPT_FROM_COMMANDS = [
    ".mcp.json",
    ".vscode/settings.json",
    ".claude/settings.json",
    ".git/hooks/pre-commit",
    ".git/config",
    ".github/workflows/ci.yml",
    ".envrc",
    ".npmrc",
]

Change = Callable[[str], ToolUse]


@pytest.fixture(scope="module")
def ws(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("protected") / "ws"
    restore(root)
    return root


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model(ws: Path) -> AsyncIterator[HostileModel]:
    """Everything is allowed that can be."""
    permissions = {"mode": "auto", "allow": ["*", "Edit(//**)", "Bash(*)"]}
    async with hostile_model(ws, {"permissions": permissions}) as model:
        yield model


@pytest.fixture
def clean(ws: Path) -> Iterator[None]:
    """What a row makes in the workspace is gone after it."""
    yield
    restore(ws)


def restore(root: Path) -> None:
    """The workspace as it was."""
    shutil.rmtree(root, ignore_errors=True)
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_text("a = 1\n")


def write(path: str) -> ToolUse:
    return ToolUse("Write", {"path": path, "content": "{1}\n"})


def edit(path: str) -> ToolUse:
    return ToolUse("Edit", {"path": path, "old_text": "{}", "new_text": "{1}"})


def multi_edit(path: str) -> ToolUse:
    return ToolUse("MultiEdit", {"path": path, "edits": [{"old_text": "{}", "new_text": "{1}"}]})


def move(path: str) -> ToolUse:
    return ToolUse("Move", {"path": path, "new_path": "moved"})


def move_to(path: str) -> ToolUse:
    return ToolUse("Move", {"path": "src/a.py", "new_path": path})


@pytest.mark.parametrize("path", PROTECTED)
@pytest.mark.usefixtures("clean")
async def test_every_mode_asks_and_plan_refuses(model: HostileModel, ws: Path, path: str) -> None:
    """Making it, and changing it; in mode auto, which allows the most, in every dressing."""
    await check_asked(model, ws, path, write, move_to)
    (ws / path).parent.mkdir(parents=True, exist_ok=True)
    (ws / path).write_text("{}\n")
    await check_asked(model, ws, path, write, edit, multi_edit, move, move_to)


async def check_asked(model: HostileModel, ws: Path, path: str, *changes: Change) -> None:
    dressed = {name: dress(ws, path) for name, dress in DRESSINGS.items()}
    if not (ws / path).exists():
        del dressed["escaped"]  # then it is a name of its own
    before = contents(ws)
    for mode in ("plan", "ask", "acceptEdits", "auto"):
        named = list(dressed.values()) if mode == "auto" else [path]
        calls = [change(each) for each in named for change in changes]
        tried = await model.tries(*calls, mode=mode, at_once=True)
        assert tried.tools == ([] if mode == "plan" else [call.name for call in calls]), mode
        for request in tried.asked:
            assert " is protected: " in request["reasons"][0], request
            assert request["suggestions"] == [], "no rule lifts it"
        assert all(result.error for result in tried.results)
    assert contents(ws) == before


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def made(model: HostileModel, ws: Path) -> frozenset[str]:
    """What of it was there after commands in mode auto had tried to make all of it."""
    names = [*KEPT_FROM_COMMANDS, *NEW_TO_COMMANDS]
    folders = sorted({os.path.dirname(name) for name in names} - {""})
    writes = "\ntry: open({!r}, 'w').write('x')\nexcept OSError: pass"
    commands = [
        "; ".join(f"mkdir -p {folder}" for folder in folders),
        "; ".join(f"touch {name}" for name in names),
        "; ".join(f"cp src/a.py {name}" for name in names),
        "; ".join(f"ln -s src/a.py {name}" for name in names),
        f'python3 -c "{"".join(map(writes.format, names))}"',
        "; ".join(f"echo x > {name}" for name in names),
    ]
    await model.tries(*(ToolUse("Bash", {"command": each}) for each in commands))
    found = frozenset(name for name in names if (ws / name).exists())
    restore(ws)
    return found


@SANDBOXED
@pytest.mark.parametrize("path", [*KEPT_FROM_COMMANDS, *NEW_TO_COMMANDS])
async def test_no_command_makes_it(made: frozenset[str], path: str) -> None:
    """CVE-2026-25725; the user denies what is asked about meanwhile."""
    assert path not in made


@SANDBOXED
@pytest.mark.parametrize(
    "path", [".mcp.json", ".vscode/settings.json", "src/.mcp.json", "CLAUDE.md"]
)
@pytest.mark.usefixtures("clean")
async def test_no_command_changes_it(model: HostileModel, ws: Path, path: str) -> None:
    (ws / path).parent.mkdir(parents=True, exist_ok=True)
    (ws / path).write_text("{}\n")
    before = (ws / path).stat()
    top = path.partition("/")[0]
    command = "; ".join(
        (
            f"touch {path}; chmod 777 {path}; mv {path} gone; rm -rf {path}; sed -i s/x/y/ {path}",
            f"ln {path} made; ln -sf /dev/null {path}; cp --remove-destination gone {path}",
            f"python3 -c \"open('{path}', 'r+').write('x')\"; truncate -s 0 {path}",
            f"mv {top} away; rm -rf {top}",
        )
    )
    tried = await model.tries(ToolUse("Bash", {"command": command}))
    assert tried.asked == ()
    assert (ws / path).read_text() == "{}\n"
    now = (ws / path).stat()
    assert (now.st_ino, now.st_mode, now.st_nlink) == (before.st_ino, before.st_mode, 1)


@pytest.mark.parametrize("mode", ["acceptEdits", "auto"])
@pytest.mark.parametrize("target", [".mcp.json", "../outside"])
@pytest.mark.usefixtures("clean")
async def test_a_hard_link_changes_nothing_unasked(
    model: HostileModel, ws: Path, target: str, mode: str
) -> None:
    """Its path says nothing of what else it is."""
    (ws / target).write_text("{}\n")
    (ws / "innocent").hardlink_to(ws / target)
    tried = await model.tries(
        ToolUse("Read", {"path": "innocent"}), edit("innocent"), write("innocent"), mode=mode
    )
    assert (ws / target).read_text() == "{}\n", tried.results
    (ws / target).unlink()
