"""No folder is trusted but by the user's word: what a workspace, a link or another user tries."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from glossator.core.errors import UsageError
from glossator.core.question import QuestionAnswer
from glossator.permissions.trust import Forgotten, Trust, forget_folder, remember_folder, trust_file
from tests.cli.support import PYTHONPATH
from tests.patience import SECONDS
from tests.sandboxed import SANDBOXED
from tests.stage import stage
from tests.standin import StandIn, Text, ToolUse, Turn

_TOUCH = Turn(ToolUse("Bash", {"command": "touch made"}))
_WELL = Turn(Text("Well."))
_AUTO = {"permissions": {"mode": "auto", "allow": ["*"]}}
_UNTOLD = "it is not marked as trusted. The user has not refused anything."


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def top(tmp_path: Path) -> Path:
    for folder in ("ws/sub", "evil", "home/inside"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


async def glossator(cwd: Path, *arguments: str, model: str = "") -> tuple[int, str, str]:
    """Run the program as through a pipe: its exit code, what it printed, and what it told."""
    asked = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": model} if model else {}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "glossator", *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": PYTHONPATH, **asked},
    )
    async with asyncio.timeout(SECONDS):
        out, err = await process.communicate(b"Touch it.")
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def piped(root: Path, *options: str) -> tuple[bool, str, str]:
    """Whether `echo … | glossator ask -` ran the model's command; what model and user were told."""
    made = root / "made"
    made.unlink(missing_ok=True)
    async with StandIn([_TOUCH, _WELL]) as api:
        code, out, told = await glossator(
            root, "ask", "-", "--mode", "auto", "--allow", "Bash(*)", *options, model=api.base_url
        )
        assert (code, out) == (0, "Well.\n"), told
        (result,) = api.requests[1].body["messages"][-1]["content"]
    return made.exists(), str(result["content"]), told


async def test_through_a_pipe_no_mode_and_no_rule_stands_for_trust(top: Path) -> None:
    ran, model, user = await piped(top / "ws")
    assert not ran
    assert _UNTOLD in model
    assert "`glossator trust`" in model
    assert f"{top}/ws is not marked as trusted" in user
    assert f"`glossator trust {top}/ws`" in user
    assert "--trust" in user


@SANDBOXED
async def test_trust_for_one_run_and_for_good(top: Path) -> None:
    ws = top / "ws"
    assert (await piped(ws, "--trust"))[0]
    assert not trust_file().exists(), "nothing is remembered"
    assert (await glossator(ws, "trust"))[0] == 0
    assert (await piped(ws))[0]


async def test_the_program_lists_and_revokes_what_it_trusts(top: Path) -> None:
    for folder in ("ws", "ws/sub"):
        remember_folder(f"{top}/{folder}")
    assert (await glossator(top, "trust", "--list"))[1] == f"{top}/ws\n{top}/ws/sub\n"
    code, _, told = await glossator(top, "trust", "--revoke", "ws/sub")
    assert code == 1
    assert f"ws/sub is still trusted, because {top}/ws is" in told
    assert f"`glossator trust --revoke {top}/ws`" in told
    (top / "ws/sub").rmdir()
    (top / "ws").rmdir()
    code, listed, told = await glossator(top, "trust", "--revoke", "ws", "--json")
    assert (code, json.loads(listed)) == (0, {"trusted": []})
    assert "ws is not trusted any more" in told
    assert forget_folder(f"{top}/ws") == Forgotten(known=False, above=(), below=())


@pytest.mark.parametrize(
    ("folder", "says"),
    [
        ("gone", "There is no folder"),
        ("file", "There is no folder"),
        ("home", "is your home folder"),
        ("home/inside/..", "is your home folder"),
        ("link-to-home", "is your home folder"),
        ("", "holds your home folder"),
        ("ws/../../../../../../../../..", "holds your home folder"),
    ],
)
def test_what_is_never_remembered(top: Path, folder: str, says: str) -> None:
    (top / "link-to-home").symlink_to("home")
    (top / "file").write_text("")
    with pytest.raises(UsageError, match=says):
        remember_folder(f"{top}/{folder}")
    assert not trust_file().exists()


async def test_the_program_says_why(top: Path) -> None:
    (top / "link-to-home").symlink_to("home")
    code, _, told = await glossator(top, "trust", "ws", "link-to-home")
    assert code == 1
    assert f"{top}/ws is trusted, and all below it" in told
    assert f"error: {top}/home is your home folder, so it is never remembered" in told
    code, _, told = await glossator(top, "trust", "--list", "ws")
    assert code == 2
    assert "write it alone" in told
    trust_file().chmod(0o666)
    code, listed, told = await glossator(top, "trust", "--list")
    assert (code, listed) == (1, "")
    assert "No folder is known as trusted" in told
    assert "other users may write it" in told


def _link(top: Path) -> str:
    """A link in a folder of the attacker's that leads to a trusted one, and later elsewhere."""
    (top / "evil/link").symlink_to(top / "ws")
    remember_folder(str(top / "evil/link"))
    (top / "evil/link").unlink()
    (top / "evil/link").symlink_to(top / "evil")
    return "evil/link"


def _out(top: Path) -> str:
    (top / "ws/out").symlink_to(top / "evil")
    return "ws/out"


def _commondir(top: Path) -> str:
    """CVE-2026-40068: a worktree that says it belongs to a trusted repository."""
    (top / "ws/.git").mkdir()
    (top / "evil/real").mkdir()
    (top / "evil/real/commondir").write_text(f"{top}/ws/.git\n")
    (top / "evil/.git").write_text(f"gitdir: {top}/evil/real\n")
    return "evil"


def _own_file(top: Path) -> str:
    """A workspace that brings a list of trusted folders with it."""
    content = json.dumps({"version": 1, "folders": {(top / "evil").as_uri(): []}})
    for path in ("trust.json", ".glossator/trust.json", ".local/state/glossator/trust.json"):
        (top / "evil" / path).parent.mkdir(parents=True, exist_ok=True)
        (top / "evil" / path).write_text(content)
    return "evil"


def _case(top: Path) -> str:
    (top / "WS").mkdir(exist_ok=True)
    return "WS"


def _form(top: Path) -> str:
    """The same letters, composed and not, are two folders on Linux."""
    name = "caf\N{LATIN SMALL LETTER E WITH ACUTE}"
    (top / name).mkdir()
    remember_folder(str(top / name))
    (top / unicodedata.normalize("NFD", name)).mkdir(exist_ok=True)
    return unicodedata.normalize("NFD", name)


@pytest.mark.parametrize(
    "plant",
    [
        lambda _top: "evil",
        lambda _top: "ws/../evil",
        lambda _top: "ws/sub/../../evil",
        lambda _top: "ws\N{ZERO WIDTH SPACE}",
        lambda _top: "ws-evil",
        _link,
        _out,
        _commondir,
        _own_file,
        _case,
        _form,
    ],
)
def test_a_folder_that_looks_like_a_trusted_one(top: Path, plant: Callable[[Path], str]) -> None:
    for name in ("ws-evil", "ws\N{ZERO WIDTH SPACE}"):
        (top / name).mkdir()
    remember_folder(str(top / "ws"))
    folder = f"{top}/{plant(top)}"
    if os.path.samefile(folder, top / "ws"):
        pytest.skip("to this file system both names are one")
    assert not Trust(print).trusted([folder])
    assert Trust(print).trusted([str(top / "ws")])


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_list_that_others_may_write_is_not_believed(top: Path, mode: int) -> None:
    remember_folder(str(top / "ws"))
    told: list[str] = []
    known = Trust(told.append)
    assert known.trusted([str(top / "ws")])
    trust_file().chmod(mode)
    assert not known.trusted([str(top / "ws")]), "while the server runs, too"
    assert not known.trusted([str(top / "ws")])
    (warning,) = told
    assert "other users may write it" in warning
    trust_file().chmod(0o600)
    assert known.trusted([str(top / "ws")])


def test_a_running_server_follows_what_another_process_does(top: Path) -> None:
    ws = str(top / "ws")
    known = Trust(print)
    for _ in range(20):  # within one tick of the clock, too
        remember_folder(ws)
        assert known.trusted([ws])
        assert forget_folder(ws).known
        assert not known.trusted([ws])
    assert known.remember(ws)
    forget_folder(ws)
    assert not known.trusted([ws]), "what was answered here is taken back as well"


@SANDBOXED
async def test_a_session_that_goes_on(top: Path) -> None:
    """Nobody answers at first; then the folder is trusted elsewhere, and no longer."""
    ws = top / "ws"
    async with stage(ws, {}, [_TOUCH, _WELL] * 3, _AUTO, trusted=None) as s:
        ran = []
        for change in (None, remember_folder, forget_folder):
            if change is not None:
                change(str(ws))
            (ws / "made").unlink(missing_ok=True)
            await s.ask("Touch.")
            ran.append((ws / "made").exists())
        assert ran == [False, True, False]
        assert len(s.port.questions) == 1, "the same question is put once"
        assert len([each for each in s.port.told if "glossator trust" in each]) == 1


_TAKE_OVER = """
import os, pathlib, sys
os.rename("state", "moved") if sys.argv[2:] else None
folder = pathlib.Path("state/glossator")
folder.mkdir(parents=True, exist_ok=True)
(folder / "trust.json").write_text(sys.argv[1])
(folder / "trust.json").chmod(0o600)
"""


@SANDBOXED
@pytest.mark.parametrize("there", [True, False])
async def test_a_workspace_that_holds_the_list_cannot_change_it(
    top: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    """As with the home folder, or what is above the state folder, as a workspace."""
    monkeypatch.setenv("XDG_STATE_HOME", str(top / "ws/state"))
    if there:
        remember_folder(str(top / "home/inside"))
    content = json.dumps({"version": 1, "folders": {(top / "evil").as_uri(): []}})
    command = f"python3 -c {shlex.quote(_TAKE_OVER)} {shlex.quote(content)}"
    write = ToolUse("Write", {"path": "state/glossator/trust.json", "content": content})
    moves = (ToolUse("Bash", {"command": f"{command}{more}"}) for more in ("", " moved"))
    script = [*map(Turn, (*moves, write)), _WELL]
    async with stage(top / "ws", {}, script, _AUTO, trusted=True) as s:
        await s.ask("Trust the other one.")
        for number in (1, 2, 3):
            (result,) = s.results(number).values()
            assert "Error" in str(result["content"]) or "The user refused" in str(result["content"])
    assert not Trust(print).trusted([str(top / "evil")])
    assert Trust(print).trusted([str(top / "home/inside")]) is there


async def test_the_home_folder_is_trusted_for_one_run_at_most(top: Path) -> None:
    async with stage(top / "home", {}, [_TOUCH, _WELL], _AUTO, trusted=None) as s:
        await s.ask("Touch.")
        (question,) = s.port.questions
        assert [each.label for each in question.options] == [
            "Trust it this time",
            "Do not trust it",
        ]
        (told,) = [each for each in s.port.told if "--trust" in each]
        assert "is your home folder" in told


async def test_a_refusal_of_the_users_is_told_as_one(top: Path) -> None:
    async with stage(top / "ws", {}, [_TOUCH, _WELL], _AUTO, trusted=None) as s:
        s.port.answers = [QuestionAnswer(("Do not trust it",))]
        await s.ask("Touch.")
        (result,) = s.results(1).values()
        assert "The user does not trust this workspace" in str(result["content"])
        assert not [each for each in s.port.told if "glossator trust" in each]
