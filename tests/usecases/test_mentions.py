"""A question's `@` mentions reach the model with it, and their lines may be cited."""

from __future__ import annotations

from pathlib import Path

from glossator.core.events import Notice
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
