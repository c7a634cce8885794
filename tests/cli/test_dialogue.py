"""What is asked and answered at the keyboard, and what waits meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import io
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from glossator.cli.prompt import PermissionPrompt, denied_notice, hunk_diff
from glossator.cli.render.markdown import THEME
from glossator.cli.render.renderer import Renderer
from glossator.cli.render.screen import Screen
from glossator.cli.replies import Replies, User
from glossator.cli.terminal import TerminalLock
from glossator.core.edit import HunkKind, HunkView
from glossator.core.permission import PermissionRequest
from glossator.core.uri import to_uri
from glossator.core.wire import from_wire
from tests.cli.drawing import pipe

PERMISSION = {
    "tool": "Bash",
    "title": "Run this command?",
    "detail": "npm test",
    "reasons": ["No rule allows it."],
    "suggestions": ["Bash(npm test:*)"],
    "choices": ["once", "session", "always", "deny"],
    "cut": None,
}
ONCE_ONLY = PERMISSION | {"suggestions": [], "choices": ["once", "deny"]}
QUESTION = {
    "text": "Which way?",
    "options": [{"label": "up", "detail": "to the air"}, {"label": "down", "detail": ""}],
    "several": False,
}


class Typed:
    """A keyboard at which these lines are typed, then nothing for good."""

    def __init__(self, lines: Sequence[str], *, then_end: bool = True) -> None:
        self._lines = list(lines)
        self._then_end = then_end

    def forget(self) -> None:
        """Nothing was typed ahead."""

    def aside(self) -> AbstractContextManager[None]:
        return nullcontext()

    def put(self, text: str) -> bool:
        raise AssertionError(text)

    def lend(self) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    async def line(self) -> str:
        if self._lines:
            return f"{self._lines.pop(0)}\n"
        if not self._then_end:
            await asyncio.Event().wait()
        return ""


class Stage:
    """Replies at a screen that is 60 columns wide."""

    def __init__(
        self, *lines: str, then_end: bool = True, roots: tuple[Path, ...] = (Path("/w"),)
    ) -> None:
        self._file = io.StringIO()
        console = Console(file=self._file, width=60, theme=THEME, highlight=False)
        self.renderer = Renderer(Screen(roots, console))
        self.lock = TerminalLock()
        keyboard = Typed(lines, then_end=then_end)
        user = User(self.renderer, keyboard, self.lock)
        self.replies = Replies(self.renderer, roots, self.lock, user)

    @property
    def seen(self) -> str:
        return self._file.getvalue()


@pytest.mark.parametrize(
    ("detail", "shown"),
    [
        ("npm test", "  npm test\n"),
        ("\nnpm test\nrm -rf /\n", "  npm test …\n"),
        ("x" * 201, f"  {'x' * 200} …\n"),
        ("", ""),
    ],
)
def test_what_nobody_could_be_asked_is_named(detail: str, shown: str) -> None:
    request = from_wire(PermissionRequest, PERMISSION | {"detail": detail}, strict=False)
    assert denied_notice(request) == (
        f"Run this command?\n{shown}No rule allows it.\n"
        "It was denied, because nobody is here to ask."
        " Allow it with --allow 'Bash(npm test:*)', or run the command in a terminal."
    )


@pytest.mark.parametrize(
    ("request_", "lines", "choice", "message"),
    [
        (PERMISSION, ["y"], "once", ""),
        (PERMISSION, [" YES "], "once", ""),
        (PERMISSION, ["s"], "session", ""),
        (PERMISSION, ["A"], "always", ""),
        (PERMISSION, ["n"], "deny", ""),
        (PERMISSION, ["no"], "deny", ""),
        (PERMISSION, [""], "deny", ""),
        (PERMISSION, [], "deny", ""),  # the end of input
        (PERMISSION, ["Use make."], "deny", "Use make."),
        (PERMISSION, ["n use make"], "deny", "use make"),
        (PERMISSION, ["No, use make"], "deny", "use make"),
        (PERMISSION, ["no need to run that"], "deny", "no need to run that"),
        (PERMISSION, ["No more than three"], "deny", "No more than three"),
        (PERMISSION, ["ok", "yes please", "?", "help", "y"], "once", ""),
        (PERMISSION, ["Sure!", "okay.", "yep", "ok?", "n"], "deny", ""),
        (PERMISSION, ["ok", "Ok, but use make"], "deny", "Ok, but use make"),
        (PERMISSION, ["yes please, but later"], "deny", "yes please, but later"),
        (PERMISSION, ["..."], "deny", "..."),
        (PERMISSION, ["Why?"], "deny", "Why?"),
        (ONCE_ONLY, ["a", "y"], "once", ""),
        (ONCE_ONLY, ["s"], "deny", ""),
    ],
)
async def test_permissions(
    request_: dict[str, Any], lines: list[str], choice: str, message: str
) -> None:
    stage = Stage(*lines)
    answer = await stage.replies.reply("glossator/permission", request_)
    assert answer == {"choice": choice, "message": message}


async def test_how_a_permission_is_asked() -> None:
    stage = Stage("a", "y")
    await stage.replies.reply("glossator/permission", ONCE_ONLY)
    assert stage.seen == (
        "Run this command?\n"
        "  npm test\n"
        "No rule allows it.\n"
        "y allow once · n refuse (or say why)\n"
        "> This can only be allowed once.\n"
        "> "
    )


async def test_a_permission_says_what_it_would_allow_later() -> None:
    stage = Stage("s")
    await stage.replies.reply("glossator/permission", PERMISSION | {"detail": "echo " + "x " * 40})
    assert stage.seen == (
        "Run this command?\n"
        "  echo x x x x x x x x x x x x x x x x x x x x x x x x x x x\n"
        "  x x x x x x x x x x x x x\n"
        "No rule allows it.\n"
        "s and a also allow later commands that match Bash(npm\n"
        "test:*), without asking.\n"
        "y allow once · s allow for this session · a always allow\n"
        "here · e edit rules · n refuse (or say why)\n"
        "> "
    )


@pytest.mark.parametrize("typed", ["y", "N"])
async def test_a_letter_is_no_answer_to_a_question(typed: str) -> None:
    """To a permission it is one, so people type it."""
    answer = await Stage(typed, "1").replies.reply("glossator/question", QUESTION)
    assert answer == {"chosen": ["up"], "words": ""}


async def test_questions_stand_apart() -> None:
    stage = Stage("y", "y", "y")
    await stage.replies.reply("glossator/review", plan(hunks=2))
    assert "> \n--- a.py\n" in stage.seen
    await stage.replies.reply("glossator/permission", PERMISSION)
    assert "> \nRun this command?\n" in stage.seen


async def test_how_a_question_is_asked() -> None:
    stage = Stage("3", "2")
    answer = await stage.replies.reply("glossator/question", QUESTION)
    assert answer == {"chosen": ["down"], "words": ""}
    assert stage.seen == (
        "Which way?\n"
        "  1  up: to the air\n"
        "  2  down\n"
        "Answer with a number or in words; an empty line gives no\n"
        "answer.\n"
        "> Choose from 1 to 2, or answer in words.\n"
        "> "
    )


def plan(*, hunks: int = 3) -> dict[str, Any]:
    return {
        "id": "e",
        "label": "Edit a.py",
        "hunks": [
            {
                "id": f"h{number}",
                "kind": "edit",
                "path": "/w/a.py",
                "firstLine": 10 * number,
                "before": "old\n",
                "after": "new\n",
            }
            for number in range(1, hunks + 1)
        ],
    }


@pytest.mark.parametrize(
    ("lines", "accepted", "message"),
    [
        (["y", "n", "y"], ["h1", "h3"], ""),
        (["n", "a"], ["h2", "h3"], ""),
        (["yes", "d"], ["h1"], ""),
        (["a"], ["h1", "h2", "h3"], ""),
        (["y"], ["h1"], ""),  # then the end of input
        ([""], [], ""),
        (["y", "Not this one."], ["h1"], "Not this one."),
        (["y", "Not this one.", "y"], ["h1", "h3"], "Not this one."),
        (["Why?", "y", "No."], ["h2"], "Why?\nNo."),
    ],
)
async def test_reviews(lines: list[str], accepted: list[str], message: str) -> None:
    answer = await Stage(*lines).replies.reply("glossator/review", plan())
    assert answer == {"accepted": accepted, "message": message}


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["p", "y", "n", "y"], {"choice": "once", "message": "", "parts": ["h1", "h3"]}),
        (["P", "y", "Not so.", "d"], {"choice": "once", "message": "Not so.", "parts": ["h1"]}),
        (["p", "a"], {"choice": "once", "message": ""}),
        (["p", "No."], {"choice": "deny", "message": "No."}),
        (["p", "d"], {"choice": "deny", "message": ""}),
        (["p", "2", "x", "n", "y", "y"], {"choice": "once", "message": "", "parts": ["h2", "h3"]}),
    ],
)
async def test_a_permission_in_parts(lines: list[str], answer: dict[str, Any]) -> None:
    stage = Stage(*lines)
    request = PERMISSION | {"tool": "Edit", "plan": plan()}
    assert await stage.replies.reply("glossator/permission", request) == answer
    assert "p choose parts" in " ".join(stage.seen.split())
    assert "--- a.py" in stage.seen


async def test_one_part_is_not_chosen_from() -> None:
    stage = Stage("p")
    request = PERMISSION | {"tool": "Edit", "plan": plan(hunks=1)}
    answer = await stage.replies.reply("glossator/permission", request)
    assert answer == {"choice": "deny", "message": "p"}
    assert "choose parts" not in stage.seen


async def test_a_rename_is_allowed_as_one() -> None:
    stage = Stage("p")
    request = PERMISSION | {"tool": "Rename", "plan": plan() | {"asOne": True}}
    answer = await stage.replies.reply("glossator/permission", request)
    assert answer == {"choice": "deny", "message": "p"}
    assert "choose parts" not in stage.seen
    for typed, accepted in (("y", ["h1", "h2", "h3"]), ("n", [])):
        stage = Stage(typed)
        answer = await stage.replies.reply("glossator/review", plan() | {"asOne": True})
        assert answer == {"accepted": accepted, "message": ""}
        assert stage.seen.count("--- a.py") == 3
        assert stage.seen.endswith("Part 1 of 1: y accept · n reject (or say why)\n> ")


async def test_how_a_review_is_asked() -> None:
    stage = Stage("y")
    await stage.replies.reply("glossator/review", plan(hunks=1))
    assert stage.seen == (
        "--- a.py\n"
        "+++ a.py\n"
        "@@ -10 +10 @@\n"
        "-old\n"
        "+new\n"
        "Part 1 of 1: y accept · n reject (or say why)\n"
        "> "
    )


@pytest.mark.parametrize(
    ("first", "before", "after", "place"),
    [
        (10, "old\n", "new\n", "@@ -10 +10 @@"),
        (10, "a\nb\n", "c\n", "@@ -10,2 +10 @@"),
        (10, "", "new\n", "@@ -9,0 +10 @@"),
        (10, "old\n", "", "@@ -10 +9,0 @@"),
        (1, "", "new\n", "@@ -0,0 +1 @@"),
    ],
)
def test_a_part_is_shown_where_it_stands(first: int, before: str, after: str, place: str) -> None:
    path = "@@ -1 +1 @@"
    hunk = HunkView("h", HunkKind.EDIT, path, first, before, after)
    assert hunk_diff(hunk).splitlines()[:3] == [f"--- {path}", f"+++ {path}", place]


def test_a_request_cannot_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    request = PermissionRequest(
        tool="Bash",
        title="Run this command?",
        detail="rm -r .\x1b[2K\rls",
        reasons=(),
    )
    pipe().permission(PermissionPrompt.of(request))
    assert "  rm -r .␛[2K" in capsys.readouterr().err


async def test_what_happens_during_a_question_is_shown_after_it() -> None:
    stage = Stage(then_end=False)
    asked = asyncio.create_task(stage.replies.reply("glossator/permission", PERMISSION))
    await asyncio.sleep(0)
    stage.lock.show(lambda: stage.renderer.notice("Meanwhile."))
    assert stage.seen.endswith("> ")
    asked.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asked
    assert stage.seen.endswith("Meanwhile.\n")
    stage.lock.show(lambda: stage.renderer.notice("Afterwards."))
    assert stage.seen.endswith("Afterwards.\n")


async def test_one_question_at_a_time() -> None:
    stage = Stage("y", "n")
    first, second = await asyncio.gather(
        stage.replies.reply("glossator/permission", PERMISSION),
        stage.replies.reply("glossator/permission", PERMISSION),
    )
    assert (first["choice"], second["choice"]) == ("once", "deny")
    assert stage.seen.count("Run this command?") == 2


@pytest.mark.parametrize("cancelled", [False, True])
async def test_an_edit_is_written_to_its_end_and_shown_once(
    tmp_path: Path, *, cancelled: bool
) -> None:
    uri = to_uri(str(tmp_path / "new.txt"))
    start = {"line": 0, "character": 0}
    edits = [{"range": {"start": start, "end": start}, "newText": "text\n"}]
    changes = [
        {"kind": "create", "uri": uri},
        {"textDocument": {"uri": uri, "version": None}, "edits": edits},
    ]
    stage = Stage(roots=(tmp_path,))
    request = {"edit": {"documentChanges": changes}}
    applying = asyncio.create_task(stage.replies.reply("workspace/applyEdit", request))
    await asyncio.sleep(0)
    if cancelled:
        applying.cancel()
    assert await applying == {"applied": True}
    assert (tmp_path / "new.txt").read_text("utf-8") == "text\n"
    assert stage.seen == "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+text\n"
