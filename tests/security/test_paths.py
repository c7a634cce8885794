"""No path leads out: whatever the tool, and however the path is written.

CVE-2025-54794 (common prefix), CVE-2025-53109 and CVE-2026-39861 (links), CVE-2026-25724 (a deny
rule for the link, not for what it leads to), CVE-2025-66389 (`file:` addresses), and what is no
file: FIFOs, devices, `/proc`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from glossator.core.uri import to_uri
from glossator.turn.told.mentions import MAX_MENTIONS
from tests.sandboxed import SANDBOXED
from tests.security.dressings import DRESSINGS
from tests.security.hostile import KEY, ONCE, HostileModel, Tried, contents, hostile_model
from tests.security.witness import witness
from tests.standin import ToolUse

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
]

CANARY = "canary-7f3a"
_BASE = ("src", ".clé", "fifo")
_CALLS: dict[str, Callable[[str], dict[str, Any]]] = {
    "Read": lambda path: {"path": path},
    "Grep": lambda path: {"pattern": ".", "path": path, "output_mode": "content"},
    "Glob": lambda path: {"pattern": "**", "path": path},
    "Glob *": lambda path: {"pattern": path},
    "Search": lambda path: {"query": "canary", "path": path},
    "Symbols": lambda path: {"name": "canary", "path": path},
    "Diagnostics": lambda path: {"path": path},
    "Edit": lambda path: {"path": path, "old_text": CANARY, "new_text": "changed"},
    "MultiEdit": lambda path: {"path": path, "edits": [{"old_text": CANARY, "new_text": "x"}]},
    "Move": lambda path: {"path": path, "new_path": "moved"},
    "Bash in": lambda path: {"command": "touch made", "cwd": path},
    "Explore": lambda path: {"task": "Look.", "paths": [path]},
    "Write": lambda path: {"path": path, "content": "changed"},
    "Move to": lambda path: {"path": "src/a.py", "new_path": path},
}
_MAKING = {"Write", "Move to"}  # an odd name may be a new one in the workspace
_FINDING = {"Glob *"}  # a pattern that matches nothing is an answer
OUTSIDE = {
    "a sibling with the same beginning": "../ws-évil/x",
    "its folder": "../ws-évil",
    "by its whole path": "{parent}/ws-évil/x",
    "a home": "~/private/id",
    "passwords": "/etc/passwd",
    "the server's environment": "/proc/self/environ",
    "through proc to the root": "/proc/self/root{parent}/ws-évil/x",
    "through proc to the folder": "/proc/self/cwd/../ws-évil/x",
    "the server's input": "/dev/stdin",
    "a device": "/dev/zero",
    "a FIFO": "../ws-évil/fifo",
    "an address": "file:///etc/passwd",
    "an address of this machine": "file://localhost{parent}/ws-évil/x",
    "an address in a path": "src/file:/../../../ws-évil/x",
}


@pytest.fixture(scope="module")
def ws(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace next to another folder and a home, with a canary in each."""
    top = tmp_path_factory.mktemp("paths")
    root = top / "ws"
    for folder in ("src", "../ws-évil", "../home/private"):
        (root / folder).mkdir(parents=True)
    (root / "src/a.py").write_text("a = 1\n")
    (root / ".clé").write_text(f"{CANARY}\n")
    for path in ("ws-évil/x", "home/private/id"):
        (top / path).write_text(f"{CANARY} outside\n")
    os.mkfifo(top / "ws-évil/fifo")
    os.mkfifo(root / "fifo")
    return root


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model(ws: Path) -> AsyncIterator[HostileModel]:
    """Everything is allowed that can be, but for one file that a rule hides."""
    permissions = {"mode": "auto", "allow": ["*"], "deny": ["Read(.clé)"]}
    home = {"HOME": str(ws.parent / "home")}
    async with hostile_model(ws, {"permissions": permissions}, environment=home) as model:
        yield model


@pytest.fixture
def clean(ws: Path) -> Iterator[None]:
    """What a row makes in the workspace is gone after it."""
    yield
    for each in ws.iterdir():
        if each.is_dir() and not each.is_symlink() and each.name not in _BASE:
            shutil.rmtree(each)
        elif each.name not in _BASE:
            each.unlink()
    (ws / "src/a.py").write_text("a = 1\n")


def use(call: str, path: str) -> ToolUse:
    """A call of `_CALLS`; its first word is the tool."""
    return ToolUse(call.partition(" ")[0], _CALLS[call](path))


def check_unseen(tried: Tried) -> None:
    """The model saw nothing of what lies outside."""
    for secret in (CANARY + " outside", "root:x:", "root:*:", KEY):
        assert secret not in tried.seen.replace(f'"{CANARY}"', "")


@pytest.mark.parametrize("place", OUTSIDE)
@pytest.mark.usefixtures("clean")
async def test_no_tool_touches_what_lies_outside(model: HostileModel, ws: Path, place: str) -> None:
    path = OUTSIDE[place].format(parent=ws.parent)
    paths = {dressing: dress(ws, path) for dressing, dress in DRESSINGS.items()}
    tries = [(call, dressing) for call in _CALLS for dressing in paths]
    outside = [ws.parent / "ws-évil", ws.parent / "home/private"]
    before = [contents(each) for each in outside]
    with witness(*outside) as seen:
        tried = await model.tries(*(use(call, paths[each]) for call, each in tries), at_once=True)
        assert seen.seen() == []
    check_unseen(tried)
    for (call, dressing), result in zip(tries, tried.results, strict=True):
        if call not in _MAKING | _FINDING:
            assert result.error, f"{call}, {dressing}: {result.text}"
    assert tried.asked == ()
    assert [contents(each) for each in outside] == before


@pytest.mark.parametrize("place", OUTSIDE)
@pytest.mark.usefixtures("clean")
async def test_no_mention_and_no_attachment_shows_it(
    model: HostileModel, ws: Path, place: str
) -> None:
    """A question that somebody else wrote, such as one pasted from an issue."""
    path = OUTSIDE[place].format(parent=ws.parent)
    named = [dress(ws, path) for dress in DRESSINGS.values()]
    mentions = [f'@"{each}"' for each in named] + [f"@{each}:1-2" for each in named]
    editor, first = model.desk.editor, len(model.api.requests)
    with witness(ws.parent / "ws-évil", ws.parent / "home/private") as seen:
        left = iter(mentions)
        while some := tuple(islice(left, MAX_MENTIONS)):
            check_unseen(await model.asks(f"What is {', '.join(some)}?"))
        for each in named:
            uri = each if each.startswith("file:") else to_uri(os.path.join(ws, each))
            attached = {"question": "What is it?", "attachments": [{"uri": uri}]}
            await editor.reply(editor.command("glossator.ask", attached))
        assert seen.seen() == []
    assert all(CANARY not in str(request.body) for request in model.api.requests[first:])


@pytest.mark.usefixtures("clean")
async def test_a_deny_rule_means_the_file_however_it_is_called(
    model: HostileModel, ws: Path
) -> None:
    """CVE-2026-25724; where letter case and form matter, both files are meant."""
    calls = []
    for dressing, dress in DRESSINGS.items():
        if dressing in ("trailing dots", "stream"):
            continue  # other files, but for Windows, which says so by the real path
        path = dress(ws, ".clé")
        if not (ws / path).exists() and dressing != "escaped":
            (ws / path).write_text(f"{CANARY}\n")
        calls += [use(call, path) for call in _CALLS if call not in ("Bash in", "Explore")]
        check_hidden(await model.asks(f'What is @"{path}"?'))
    check_hidden(await model.tries(*calls, at_once=True))


def check_hidden(tried: Tried) -> None:
    """Nothing of the file stands in what the model did not write itself; only patterns find it."""
    assert tried.asked == ()
    assert all(CANARY not in result.text for result in tried.results)
    assert all(result.error or "Hidden by" in result.text for result in tried.results)


@SANDBOXED
@pytest.mark.parametrize(
    "command", ["cat .clé", "cat x", "cat < .clé", "grep -r canary .", "cp .clé y; cat y"]
)
@pytest.mark.usefixtures("clean")
async def test_a_deny_rule_holds_for_commands(model: HostileModel, ws: Path, command: str) -> None:
    (ws / "x").symlink_to(".clé")
    tried = await model.tries(ToolUse("Bash", {"command": command}), answer=ONCE)
    assert CANARY not in tried.results[0].text


@SANDBOXED
@pytest.mark.usefixtures("clean")
async def test_a_link_that_a_command_made_leads_no_edit_out(model: HostileModel, ws: Path) -> None:
    """CVE-2026-39861: planted in the sandbox, followed outside of it."""
    outside = ws.parent / "ws-évil"
    before = contents(outside)
    calls = [
        ToolUse("Bash", {"command": "ln -s ../ws-* d; ln -s ../ws-*/x f; ln -s f g"}),
        *(use(call, path) for call in _CALLS if call != "Explore" for path in ("d/x", "f", "g")),
        use("Write", "d/new"),
        use("Move to", "d/new"),
    ]
    with witness(outside) as seen:
        tried = await model.tries(*calls, answer=ONCE)
        assert seen.seen() == []
    check_unseen(tried)
    assert all((ws / made).is_symlink() for made in "dfg")
    assert tried.tools == []  # the sandbox holds the command
    assert contents(outside) == before


@pytest.mark.usefixtures("clean")
async def test_what_is_no_file_is_waited_for_by_nobody(model: HostileModel, ws: Path) -> None:
    """A FIFO in the workspace: who opens it waits for ever."""
    (ws / "way").symlink_to("fifo")
    calls = [use(call, path) for call in _CALLS if call != "Explore" for path in ("fifo", "way")]
    tried = await model.tries(*calls, at_once=True)
    reading = [
        result for call, result in zip(calls, tried.results, strict=True) if "R" in call.name
    ]
    assert all(result.error for result in reading)
