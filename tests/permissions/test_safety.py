"""Published weaknesses as calls of a model: nothing happens, or the user is asked first.

Each call is made in mode `auto` with every tool allowed, which is the most that a user can permit,
unless its row is about mode `ask`. Rows about parts that do not exist yet have no test: MCP servers
(CVE-2025-68433, CVE-2025-54136), authorization pages (CVE-2025-6514), local sockets
(CVE-2025-52882, CVE-2025-49596: nothing listens) and remote images in a panel (CVE-2025-66389,
CVE-2026-54316). Trust (CVE-2026-40068, -33068, -21852) is in `test_safety_trust.py`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.models import SetModeRequest, set_mode
from glossator.core.permission import Choice, Mode, PermissionAnswer
from tests.sandboxed import SANDBOXED
from tests.security.dressings import DRESSINGS, Dress
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn

_SECRET = "the secret"
_KEY = "test-key"  # the one of the stage
_ANYTHING = {"mode": "auto", "allow": ["*"]}
_DRESSINGS = ("plain", "case", "link", "dots", "unicode")
CHANGES = ("Write", "Edit", "MultiEdit", "Move", "Move to")
_CALLS: dict[str, Callable[[str], dict[str, Any]]] = {
    "Read": lambda path: {"path": path},
    "Grep": lambda path: {"pattern": "secret", "path": path, "output_mode": "content"},
    "Glob": lambda path: {"pattern": "**", "path": path},
    "Search": lambda path: {"query": "secret", "path": path},
    "Symbols": lambda path: {"name": "secret", "path": path},
    "Edit": lambda path: {"path": path, "old_text": "secret", "new_text": "changed"},
    "MultiEdit": lambda path: {"path": path, "edits": [{"old_text": "secret", "new_text": "x"}]},
    "Write": lambda path: {"path": path, "content": "changed"},
    "Move": lambda path: {"path": path, "new_path": "moved"},
    "Move to": lambda path: {"path": "src/a.py", "new_path": path},
}


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    """A workspace next to another folder, with a secret there and one inside."""
    root = tmp_path / "ws"
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_text("a = 1\n")
    (root / ".env").write_text(f"{_SECRET}\n")
    (tmp_path / "ws-evil").mkdir()
    (tmp_path / "ws-evil/x").write_text(f"{_SECRET}\n")
    return root


def dressed(root: Path, path: str, dressing: str) -> str:
    """`path` as it is not usually written."""
    folder, _, name = path.rpartition("/")
    match dressing:
        case "case":
            return path.swapcase()
        case "link":
            (root / "innocent").symlink_to(path)
            return "innocent"
        case "dots":
            return f"src/../{path}" if not path.startswith("/") else f"/usr/..{path}"
        case "unicode":
            odd = f"{name[:2]}\u200c{name[2:]}"  # shows nothing, and some file systems ignore it
            return f"{folder}/{odd}" if folder else odd
        case _:
            return path


def contents(top: Path) -> dict[str, bytes | str]:
    """Every file below a folder, and where links lead."""
    found: dict[str, bytes | str] = {}
    for folder, folders, names in os.walk(top):
        for path in (Path(folder, name) for name in (*folders, *names)):
            if path.is_symlink():
                found[str(path)] = str(path.readlink())
            elif path.is_file():
                found[str(path)] = path.read_bytes()
            else:
                found[str(path)] = "folder"
    return found


def use(call: str, path: str) -> ToolUse:
    """A call of `_CALLS`; its first word is the tool."""
    return ToolUse(call.partition(" ")[0], _CALLS[call](path))


async def attempt(
    root: Path, *calls: ToolUse, permissions: dict[str, Any] | None = None
) -> tuple[dict[str, Any], list[str]]:
    """The result of the last call and which tools were asked about; the user denies everything."""
    (result,), asked = await replies(root, *([call] for call in calls), permissions=permissions)
    return result, asked


async def replies(
    root: Path, *turns: Sequence[ToolUse], permissions: dict[str, Any] | None = None
) -> tuple[list[dict[str, Any]], list[str]]:
    """As `attempt`, with several calls in a turn: the results of the last turn's."""
    script = [Turn(*calls) for calls in turns] + [Turn(Text("Well."))]
    async with stage(root, {}, script, {"permissions": permissions or _ANYTHING}) as s:
        await s.ask("Do it.")
        results = list(s.results(len(turns)).values())
        return results, [request.tool for request in s.port.permissions]


def text_of(result: dict[str, Any]) -> str:
    content = result["content"]
    return content if isinstance(content, str) else str(content)


@pytest.mark.parametrize("tool", _CALLS)
@pytest.mark.parametrize(
    "path",
    [
        "../ws-evil/x",  # CVE-2025-54794
        "/etc/passwd",  # CVE-2025-53109, as a link
        "/proc/self/environ",
    ],
)
async def test_nothing_outside_the_workspace_is_touched(ws: Path, path: str, tool: str) -> None:
    paths = [dressed(ws, path, dressing) for dressing in _DRESSINGS]
    before = contents(ws.parent)
    results, asked = await replies(ws, [use(tool, each) for each in paths])
    assert asked == []
    for each, result in zip(paths, results, strict=True):
        assert (each, result["is_error"]) == (each, True)
        assert not any(word in text_of(result) for word in (_SECRET, "root:", _KEY)), each
    assert contents(ws.parent) == before


@pytest.mark.parametrize("tool", _CALLS)
async def test_an_address_is_no_path(ws: Path, tool: str) -> None:
    """CVE-2025-66389: `file:` is not fetched."""
    before = contents(ws.parent)
    result, _ = await attempt(ws, use(tool, "file:///etc/passwd"))
    assert "root:" not in text_of(result)
    if tool not in ("Write", "Move to"):  # a file of that name in the workspace is one
        assert result["is_error"]
        assert contents(ws.parent) == before


@pytest.mark.parametrize("dressing", _DRESSINGS)
@pytest.mark.parametrize("tool", ["Read", "Grep", "Glob", "Search", "Symbols", "Move", "Move to"])
async def test_a_deny_rule_means_the_file_however_it_is_called(
    ws: Path, tool: str, dressing: str
) -> None:
    """CVE-2026-25724."""
    path = dressed(ws, ".env", dressing)
    if dressing in ("case", "unicode"):
        (ws / path).write_text(f"{_SECRET}\n")
    rules = {**_ANYTHING, "deny": ["Read(.env)"]}
    result, asked = await attempt(ws, use(tool, path), permissions=rules)
    assert result["is_error"]
    assert "permission rules" in text_of(result)
    assert _SECRET not in text_of(result)
    assert asked == []


@SANDBOXED
async def test_a_link_that_a_command_made_leads_no_edit_out(ws: Path) -> None:
    """CVE-2026-39861."""
    outside = ws.parent / "ws-evil"
    link = ToolUse("Bash", {"command": f"ln -s {outside} d"})
    write = ToolUse("Write", {"path": "d/f", "content": "x"})
    result, asked = await attempt(ws, link, write)
    assert result["is_error"]
    assert "outside the workspace" in text_of(result)
    assert asked == []
    assert (ws / "d").is_symlink()
    assert [path.name for path in outside.iterdir()] == ["x"]


@SANDBOXED
@pytest.mark.parametrize(
    "path", [".glossator.toml", ".mcp.json", ".vscode/settings.json", ".git/hooks/pre-commit"]
)
async def test_a_command_makes_no_file_that_others_obey(ws: Path, path: str) -> None:
    """CVE-2026-25725: what is missing cannot be made, or does not stay."""
    before = contents(ws)
    command = f"f=$(echo {path}); mkdir -p $(dirname $f); echo x > $f; echo x >> $f"
    result, _ = await attempt(ws, ToolUse("Bash", {"command": command}))
    assert "exit code 0" not in text_of(result) or "so it was moved to" in text_of(result)
    assert contents(ws) == before


PROTECTED = [
    ".mcp.json",  # CVE-2025-54135
    ".cursor/mcp.json",
    ".vscode/settings.json",  # CVE-2025-53773
    ".VSCode/Settings.JSON",  # CVE-2025-59944
    ".vscode/tasks.json",
    "a.code-workspace",  # CVE-2025-58372
    ".claude/settings.json",  # CVE-2026-25725
    ".glossator.toml",
    ".glossator/settings.json",
    ".git/hooks/pre-commit",
    ".git/config",
    ".github/workflows/ci.yml",
    ".idea/workspace.xml",
    ".husky/pre-commit",
    ".envrc",
    ".npmrc",
    ".pre-commit-config.yaml",
    ".devcontainer/devcontainer.json",
    "lefthook.yml",
    "src/.glossator.toml",
    "src/.mcp.json",
    "src/deep/.vscode/settings.json",
]


@pytest.mark.parametrize("path", PROTECTED)
async def test_what_others_obey_is_asked_about(ws: Path, path: str) -> None:
    """Making it, and changing it, also where there is a file of each odd name."""
    # "escaped" is a name of its own until there is the file
    new = {name: dress for name, dress in DRESSINGS.items() if name != "escaped"}
    await check_asked(ws, path, new, "Write", "Move to")
    make(ws, path)
    await check_asked(ws, path, DRESSINGS, *CHANGES)
    odd = {name: DRESSINGS[name] for name in ("letter case", "zero width")}
    make(ws, *(dress(ws, path) for dress in odd.values()))
    await check_asked(ws, path, odd, *CHANGES)


async def check_asked(root: Path, path: str, dressings: Mapping[str, Dress], *tools: str) -> None:
    """In every mode; in auto, which allows the most, in every dressing."""
    dressed = [dress(root, path) for dress in dressings.values()]
    before = contents(root)
    everything = {"mode": "auto", "allow": ["*", "Edit(//**)", "Bash(*)"]}
    script: list[Turn] = []
    async with stage(root, {}, lambda _body: script.pop(0), {"permissions": everything}) as s:
        for mode in Mode:
            named = dressed if mode is Mode.AUTO else [path]
            reads = [use("Read", each) for each in named]
            calls = [use(tool, each) for each in named for tool in tools]
            script[:] = [Turn(*reads), Turn(*calls), Turn(Text("Well."))]
            s.port.permissions.clear()
            await set_mode(s.app, SetModeRequest(mode))
            await s.ask("Do it.")
            asked = [request.tool for request in s.port.permissions]
            assert asked == ([] if mode is Mode.PLAN else [call.name for call in calls]), mode
            for request in s.port.permissions:
                assert " is protected: " in request.reasons[0], request
                assert request.suggestions == (), "no rule lifts it"
            for call, result in zip(calls, s.results(-1).values(), strict=True):
                assert (call.input, result["is_error"]) == (call.input, True)
                assert mode is Mode.PLAN or "The user refused this" in text_of(result)
    assert contents(root) == before


def make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"{_SECRET}\n")


@pytest.mark.parametrize(
    "cwd", ["/", "..", "../WS", "src/../..", "out", "/usr/../", "src/.\u200c."]
)
async def test_a_command_runs_in_no_other_folder(ws: Path, cwd: str) -> None:
    """CVE-2025-59532, CVE-2026-50548."""
    (ws / "out").symlink_to(ws.parent)
    before = contents(ws.parent)
    result, asked = await attempt(ws, ToolUse("Bash", {"command": "touch made", "cwd": cwd}))
    assert result["is_error"]
    assert asked == []
    assert contents(ws.parent) == before


@pytest.mark.parametrize(
    "command",
    [
        "cat$IFS/etc/passwd",  # CVE-2025-66032
        "sort -o f src/a.py",
        "sort -of src/a.py",
        "sed 'w f' src/a.py",  # CVE-2025-64755
        "sed -n '1e touch f' src/a.py",
        'echo "$(touch f)"',  # CVE-2025-54795
        "echo `touch f`",
        "rg --pre sh x",  # CVE-2025-58764
        "rg --pre=sh x",
        "export PAGER='touch f'; git log",  # CVE-2026-22708
        "PAGER='touch f' git log",
        "alias ls='touch f'; ls",
        "git diff --output=f",  # CVE-2025-68144
        "git log --output=/tmp/f",
        "git -c core.pager='touch f' log",
        "cat < /etc/passwd > f",
        "cat ../ws-evil/x",
        "cat /proc/self/environ",
    ],
)
async def test_a_command_that_is_not_known_to_only_read_is_asked_about(
    ws: Path, command: str
) -> None:
    before = contents(ws.parent)
    call = ToolUse("Bash", {"command": command})
    result, asked = await attempt(ws, call, permissions={"mode": "ask"})
    assert (asked, result["is_error"]) == (["Bash"], True)
    assert contents(ws.parent) == before
    result, asked = await attempt(ws, call, permissions={"mode": "plan"})
    assert result["is_error"]
    assert contents(ws.parent) == before


@SANDBOXED
@pytest.mark.parametrize("command", ["env", "cat /proc/self/environ", "cat /proc/1/environ"])
async def test_no_command_sees_the_key(
    ws: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", _KEY)
    result, _ = await attempt(ws, ToolUse("Bash", {"command": command}))
    expect = "Permission denied" if "/1/" in command else "PATH="
    assert expect in text_of(result)
    assert _KEY not in text_of(result)


@SANDBOXED
@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
async def test_a_repository_in_the_workspace_runs_nothing(ws: Path) -> None:
    """CVE-2026-45033."""
    bare = ws / "src/evil"
    for folder in ("objects", "refs"):
        (bare / folder).mkdir(parents=True)
    (bare / "HEAD").write_text("ref: refs/heads/main\n")
    (bare / "config").write_text(
        "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\n"
        f'fsmonitor = "touch {ws}/ran"\n'
    )
    await attempt(ws, ToolUse("Bash", {"command": "git status", "cwd": "src/evil"}))
    assert not (ws / "ran").exists()


async def test_what_is_swapped_while_the_user_is_asked_is_asked_about_again(ws: Path) -> None:
    """GHSA-w828-4qhx-vxx3: the answer is for the file that was shown, not for its name."""
    (ws / "link").symlink_to("src/a.py")
    write = ToolUse("Write", {"path": "link", "content": "x"})
    script = [Turn(write), Turn(Text("Well."))]
    async with stage(ws, {}, script, {"permissions": {"mode": "ask"}}) as s:
        ask = s.port.ask_permission

        async def swap_first(request: Any) -> PermissionAnswer:
            (ws / "link").unlink()
            (ws / "link").symlink_to("../ws-evil/x")
            await ask(request)
            return PermissionAnswer(Choice.ONCE)

        s.port.ask_permission = swap_first  # type: ignore[method-assign]  # the user's hand
        await s.ask("Write.")
        (result,) = s.results(1).values()
        assert "outside the workspace" in text_of(result)
        assert len(s.port.permissions) == 1
    assert (ws.parent / "ws-evil/x").read_text() == f"{_SECRET}\n"
