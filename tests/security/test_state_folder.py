"""A state folder that cannot be used, or no longer: reading goes on, and nothing is changed that
could not be undone. The user hears of each consequence once, with a next step.
"""

from __future__ import annotations

import errno
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.support.desk import Acting, acting, pressing
from tests.standin import Script, Text, ToolUse, Turn

_READ = Turn(ToolUse("Read", {"path": "a.py"}, "read"))
_ACTS = {
    "edit": ToolUse("Edit", {"path": "a.py", "old_text": "depth", "new_text": "two"}, "edit"),
    "write": ToolUse("Write", {"path": "new.py", "content": "new\n"}, "write"),
    "move": ToolUse("Move", {"path": "a.py", "new_path": "b.py"}, "move"),
    "bash": ToolUse("Bash", {"command": "touch made.py"}, "bash"),
}
_SCRIPT: list[Turn] = [_READ, *(Turn(act) for act in _ACTS.values()), Turn(Text("Told."))]
_STEPS = ("heck the", "asks again", "Turn off again", "Adopt again")
_REFUSED = "Nothing was done, as it could not be undone: "


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "a.py").write_text("depth\n")
    return folder


def _is_a_file(place: Path) -> None:
    place.write_text("not a folder\n")


def _cannot_be_made(place: Path) -> None:
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(place.parent / "missing" / "folder")


def _is_closed(place: Path) -> None:
    place.mkdir(mode=0o500)
    if os.access(place, os.W_OK):
        pytest.skip("this user writes whatever the mode says")


def _is_read_only(place: Path) -> None:
    _mount(place, "ro")


def _mount(place: Path, options: str) -> None:
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("this user cannot mount a file system")


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of all that is kept; not made yet."""
    place = tmp_path / "state"
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(place))
    yield place
    if os.path.ismount(place):
        subprocess.run(["umount", "-l", str(place)], check=True)


def _allow(a: Acting) -> None:
    a.editor.answers["window/showMessageRequest"] = pressing("Allow once")


def _messages(a: Acting) -> list[str]:
    return [each["message"] for each in a.editor.sent("window/showMessage")]


def _check_manners(a: Acting) -> None:
    """Each message once, each with a next step, and no failure that nobody thought of."""
    told = _messages(a)
    assert len(set(told)) == len(told)
    assert [each for each in told if not any(step in each for step in _STEPS)] == []
    assert "in a way it should not" not in json.dumps(a.editor.received)
    assert "failed inside" not in json.dumps(a.editor.received)


def _check_refused(a: Acting, root: Path) -> None:
    assert "depth" in a.told("read")
    for act in _ACTS:
        assert a.told(act).startswith(_REFUSED), a.told(act)
        assert "Tell the user" in a.told(act)
    assert {each.name: each.read_text() for each in root.iterdir()} == {"a.py": "depth\n"}


@pytest.mark.parametrize(
    "spoil",
    [_is_a_file, _cannot_be_made, _is_closed, _is_read_only],
    ids=lambda each: each.__name__,
)
async def test_a_folder_that_cannot_be_used(
    root: Path, state: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(state)
    async with acting(root, [*_SCRIPT, Turn(Text("Again."))], mode="auto") as a:
        _allow(a)
        session = (await a.asked())["sessionId"]
        _check_refused(a, root)
        again = {"question": "Again?", "sessionId": session}
        assert (await _run(a, "ask", again))["text"] == "Again."
        listed = (await _run(a, "listSessions", {}))["sessions"]
        assert [each["id"] for each in listed] == [session]
        await _run(a, "newSession", {})
        await _run(a, "listSessions", {})
        assert (await _run(a, "listTurns", {"sessionId": session}))["turns"] == []
        assert (await _run(a, "search", {"query": "depth"}))["hits"]
        await _run(a, "status", {"wait": True})
        await _run(a, "doctor", {})
        await _run(a, "setMode", {"mode": "ask"})
        nothing = await a.editor.error(
            a.editor.command("glossator.undoTurn", {"sessionId": session})
        )
        assert "nothing to undo" in nothing[1]
        assert any("edits and commands are refused" in each for each in _messages(a))
        _check_manners(a)


async def test_a_disk_that_fills_up_and_is_cleared(root: Path, state: Path) -> None:
    _mount(state, "size=1m")
    more = ToolUse("Write", {"path": "more.py", "content": "more\n"}, "more")
    script: Script = [
        Turn(ToolUse("Write", {"path": "first.py", "content": "first\n"}, "first")),
        Turn(Text("Made.")),
        *_SCRIPT,
        Turn(more),
        Turn(Text("Made, too.")),
    ]
    async with acting(root, script, mode="auto") as a:
        _allow(a)
        session = (await a.asked())["sessionId"]
        assert (root / "first.py").exists()
        filler = state / "filler"
        _fill(filler)
        await _run(a, "ask", {"question": "More?", "sessionId": session})
        (root / "first.py").rename(root.parent / "first.py")
        _check_refused(a, root)
        (root.parent / "first.py").rename(root / "first.py")
        _check_manners(a)
        filler.unlink()
        await _run(a, "ask", {"question": "And now?"})  # a new session is kept again
        assert (root / "more.py").exists()
        undone = await _run(a, "undoTurn", {"sessionId": session})  # from before the disk was full
        assert undone["removed"] == ["first.py"]
        _check_manners(a)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EIO], ids=errno.errorcode.get)
async def test_a_session_that_cannot_be_written_any_more(
    root: Path, state: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """Edits that a restart could not undo are refused, although this server could."""
    async with acting(root, [Turn(Text("Hi.")), *_SCRIPT], mode="auto") as a:
        _allow(a)
        session = (await a.asked())["sessionId"]
        write, logs = os.write, str(state)

        def refused(descriptor: int, content: Any) -> int:
            if os.readlink(f"/proc/self/fd/{descriptor}").startswith(logs):
                raise OSError(code, os.strerror(code))
            return write(descriptor, content)

        monkeypatch.setattr(os, "write", refused)
        await _run(a, "ask", {"question": "More?", "sessionId": session})
        _check_refused(a, root)
        monkeypatch.undo()
        _check_manners(a)
        assert sum("what happens in it from now on is not kept" in m for m in _messages(a)) == 1


async def test_an_answer_that_cannot_be_shown_as_a_file_is_told_of(root: Path, state: Path) -> None:
    _is_a_file(state)
    async with acting(root, [Turn(Text("Hi."))], events=False) as a:
        await a.asked()
        assert any("The answer could not be written to" in each for each in _messages(a))


def _fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        while True:
            try:
                file.write(bytes(4096))
            except OSError:  # it is full
                return


async def _run(a: Acting, name: str, argument: Any) -> Any:
    return await a.editor.result(a.editor.command(f"glossator.{name}", argument))
