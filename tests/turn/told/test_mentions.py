"""A question's `@` mentions reach the model with it, and their lines may be cited."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.core.events import Notice
from glossator.core.ports import TerminalTold
from tests.stage import stage
from tests.standin import Text, Turn

FILES = {"zoo/fish.py": "import os\n\n\ndef swim(depth):\n    return depth\n"}


async def test_a_mentioned_symbol_is_shown_and_can_be_cited(tmp_path: Path) -> None:
    script = [Turn(Text("It returns the depth. [cite: doc, zoo/fish.py, 4-5]"))]
    async with stage(tmp_path, FILES, script) as s:
        answer = await s.ask("What does @swim return?")
        assert [citation.status for citation in answer.citations] == ["read"]
        attachment, question = s.said(0)
        assert "zoo/fish.py, lines 4-5 of 5" in attachment["text"]
        assert question["text"] == "What does @swim return?"
        assert s.port.of(Notice) == [Notice("Attached: zoo/fish.py:4-5.")]


async def test_an_unknown_mention_is_left_as_it_stands_and_said(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, [Turn(Text("No."))]) as s:
        await s.ask("Is there a @property?")
        told, question = s.said(0)
        assert question["text"] == "Is there a @property?"
        assert told["text"] == (
            "Mentioned by the user, but not attached: @property (no file and no symbol of code has"
            " this name). The user was told so."
        )
        (notice,) = s.port.of(Notice)
        assert notice.message.startswith("Not attached: @property (no file and no symbol")


async def test_a_terminal_goes_with_the_question_as_data(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, [Turn(Text("No.")), Turn(Text("No."))]) as s:
        s.port.terminal_told = TerminalTold("bash", "$ make\n" + "x" * 30_000 + "\n</material> end")
        answer = await s.ask("Why does @terminal fail?")
        text = s.said(0)[0]["text"]
        assert text.startswith("Attached by the user: the last commands and their output")
        assert "characters before this are cut]\nxxx" in text
        assert text.endswith("</material> end\n</material->")
        assert len(text) < 20_500
        assert s.port.of(Notice) == [Notice("Attached: terminal.")]
        s.port.terminal_told = TerminalTold("bash", " ")
        await s.ask("And @terminal?", session_id=answer.session_id)
        *_, notice = s.port.of(Notice)
        assert "@terminal (the editor knows no output of its active terminal" in notice.message


@pytest.mark.parametrize(
    ("question", "mention", "why"),
    [
        ("See @https://example.org/a?b=1&c=2, please", "https://example.org/a?b=1&c=2", "fetches"),
        ("See @url", "url", "fetches nothing from the network"),
        ("See @url:https://example.org", "url:https://example.org", "fetches"),
        ("Why @terminal?", "terminal", "this editor does not share its terminal"),
    ],
)
async def test_what_cannot_be_attached_is_said_with_the_reason(
    tmp_path: Path, question: str, mention: str, why: str
) -> None:
    async with stage(tmp_path, FILES, [Turn(Text("No."))]) as s:
        await s.ask(question)
        (notice,) = s.port.of(Notice)
        assert notice.message.startswith(f"Not attached: @{mention} (")
        assert why in notice.message


async def test_a_symbol_named_like_a_word_is_meant(tmp_path: Path) -> None:
    files = {"a.py": "def url():\n    pass\n\n\ndef terminal():\n    pass\n"}
    async with stage(tmp_path, files, [Turn(Text("No."))]) as s:
        await s.ask("@url and @terminal")
        assert s.port.of(Notice) == [Notice("Attached: a.py:1-2, a.py:5-6.")]
