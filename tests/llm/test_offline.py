"""The offline model in the real loop, with the real tools, on real files."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from glossator.application.toolbox import reading_tools
from glossator.core.citations import parse_citations
from glossator.core.document import Document
from glossator.core.events import Event, TextDelta, ToolFinished, ToolStarted
from glossator.core.span import CitationStatus, Statement
from glossator.core.tool_result import ToolResult
from glossator.grounding.citation_checks import Sources, verify_answer
from glossator.llm.conversation import Conversation, user_message
from glossator.llm.offline import OfflineModel
from glossator.retrieval.search_tool import Search, SearchArgs
from glossator.settings.model import LimitSettings
from glossator.tools.base import Registry, ToolContext, registry
from glossator.turn.loop import run_agent
from glossator.turn.run import Agent, RunOutcome, Stop
from tests.turn.running import LoneRun
from tests.workspaces import MakeWorkspace, Workspace

FILES = {
    "text.py": '"""Lines."""\n\n\ndef split_lines(text):\n    return text.split("\\n")\n',
    "app.py": "from text import split_lines\n\n\ndef main():\n    print(split_lines('a'))\n",
    "docs/lines.md": "# Splitting\n\nLines end at LF:\n\n```python\nsplit_lines(text)\n```\n",
    "other.py": "VALUE = 1\n",
}
QUESTION = "What does split_lines do with the text?"
FIRST_CALLS = ["Search", "Search", "Symbols", "Symbols"]

QUOTE = re.compile(
    r"^From \[cite: doc, (?P<path>[^\n]+), (?P<first>\d+)-(?P<last>\d+)\](?:, in `[^\n]+`)?:\n\n"
    r"(?P<fence>`{3,})\w*\n(?P<text>.*?)\n(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)


@dataclass
class Talk:
    """One session with the offline model."""

    ws: Workspace
    tools: Registry = field(default_factory=reading_tools)
    react: Callable[[Event], None] = lambda _: None
    conversation: Conversation = field(default_factory=Conversation)
    events: list[Event] = field(default_factory=list)

    async def ask(self, *texts: str, limits: LimitSettings | None = None) -> RunOutcome:
        self.events.clear()
        self.conversation.append(user_message(*texts))
        agent = Agent("main", ("system",), self.tools, limits or LimitSettings())
        run = LoneRun(OfflineModel(self._statements), show=self._emit, context=self._context)
        return await run_agent(agent, self.conversation, run)

    def _emit(self, event: Event) -> None:
        self.events.append(event)
        self.react(event)

    async def _statements(self, path: str, first: int, last: int) -> tuple[Statement, ...]:
        document = self.ws.snapshot.read(path)
        assert isinstance(document, Document)
        return await self.ws.symbols.statements(self.ws.snapshot, document, first, last)

    async def _context(self) -> ToolContext:
        return self.ws.context()

    @property
    def calls(self) -> list[list[str]]:
        """The tools that ran, reply by reply."""
        replies = [m for m in self.conversation.messages if m["role"] == "assistant"]
        names = [[b["name"] for b in m["content"] if b["type"] == "tool_use"] for m in replies]
        return [reply for reply in names if reply]


def check_quotes(ws: Workspace, outcome: RunOutcome, files: Sequence[str]) -> None:
    """The answer quotes just these files, word for word, and every citation holds."""
    assert "Offline: no model was asked" in outcome.text
    quotes = list(QUOTE.finditer(outcome.text))
    assert {quote["path"] for quote in quotes} == set(files)
    for quote in quotes:
        document = ws.snapshot.read(quote["path"])
        lines = document.lines[int(quote["first"]) - 1 : int(quote["last"])]  # type: ignore[union-attr] # a quoted file is there
        assert quote["text"] == "\n".join(lines)
    marks = parse_citations(outcome.text)
    assert len(marks) >= len(quotes)
    for mark in marks:
        citation = verify_answer(mark, Sources(ws.snapshot, ws.reads))
        assert citation.status is CitationStatus.READ, citation


async def test_it_searches_reads_and_quotes(workspace: MakeWorkspace) -> None:
    talk = Talk(await workspace(FILES))
    outcome = await talk.ask(QUESTION)
    assert outcome.stop is Stop.ANSWERED
    first, second = talk.calls
    assert sorted(first) == FIRST_CALLS
    assert set(second) == {"Read"}
    assert not any(event.error for event in talk.events if isinstance(event, ToolFinished))
    check_quotes(talk.ws, outcome, ["text.py", "docs/lines.md"])
    streamed = "".join(event.text for event in talk.events if isinstance(event, TextDelta))
    assert streamed.strip() == outcome.text


async def test_code_is_read_before_tests(workspace: MakeWorkspace) -> None:
    using = "from text import split_lines\n\nassert split_lines('a') == ['a']\n"
    files = {f"tests/test_{name}.py": using for name in "abcde"}
    talk = Talk(await workspace({**files, "zebra.py": "def run():\n    return split_lines()\n"}))
    outcome = await talk.ask("What does split_lines do?")
    assert parse_citations(outcome.text)[0].path == "zebra.py"


async def test_the_definition_of_a_name_is_quoted_before_its_uses(
    workspace: MakeWorkspace,
) -> None:
    using = "def run(walls):\n    return EchoChamber(walls)\n\n\nEchoChamber(walls)\n"
    files = {f"a{number}.py": using for number in range(5)}
    talk = Talk(await workspace({**files, "z.py": "class EchoChamber:\n    walls = 1\n"}))
    outcome = await talk.ask("What does EchoChamber do with walls?")
    assert "z.py" in [mark.path for mark in parse_citations(outcome.text)][:2]


async def test_code_is_quoted_rather_than_what_is_said_about_it(workspace: MakeWorkspace) -> None:
    code = "".join(f"    stripes({n})\n" for n in range(20))
    more = "    More stripes.\n" * 14
    paint = f'def paint(zebra):\n    """Stripes of the zebra.\n\n{more}    """\n{code}'
    talk = Talk(await workspace({"paint.py": paint}))
    outcome = await talk.ask("How are stripes painted?")
    assert "    stripes(0)\n    stripes(1)" in outcome.text


async def test_a_comment_alone_is_not_quoted_after_code_of_its_file(
    workspace: MakeWorkspace,
) -> None:
    said = '"""Stripes of the zebra.\n\n' + "More about that.\n" * 20 + '"""\n\n\n'
    paint = "def paint_zebra(zebra):\n    return zebra.stripes\n"
    talk = Talk(await workspace({"paint.py": said + paint}))
    outcome = await talk.ask("How does paint_zebra make stripes of a zebra?")
    (mark,) = parse_citations(outcome.text)
    assert (mark.path, mark.first_line) == ("paint.py", 26)


async def test_it_is_deterministic(workspace: MakeWorkspace) -> None:
    answers = {(await Talk(await workspace(FILES)).ask(QUESTION)).text for _ in range(3)}
    assert len(answers) == 1


async def test_a_repeated_question_is_answered_from_what_stands_above(
    workspace: MakeWorkspace,
) -> None:
    talk = Talk(await workspace(FILES))
    first = await talk.ask(QUESTION)
    again = await talk.ask(QUESTION)
    assert "shown above, unchanged" in str(talk.conversation.messages[-2])
    assert again.text == first.text
    check_quotes(talk.ws, again, ["text.py", "docs/lines.md"])


async def test_after_an_edit_the_new_lines_are_quoted(workspace: MakeWorkspace) -> None:
    talk = Talk(await workspace(FILES))
    await talk.ask(QUESTION)
    talk.ws.open("text.py", "def split_lines(text):\n    return ['unsaved']\n")
    outcome = await talk.ask(QUESTION)
    assert "unsaved" in outcome.text
    check_quotes(talk.ws, outcome, ["text.py", "docs/lines.md"])


async def test_attached_lines_are_what_it_is_about(workspace: MakeWorkspace) -> None:
    talk = Talk(await workspace(FILES))
    outcome = await talk.ask("Attached:\n\n     4\tdef split_lines(text):", "Explain this, please.")
    check_quotes(talk.ws, outcome, ["text.py", "docs/lines.md"])


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Where are zebra_stripes painted?", "Looked at 4 of 4 files."),
        ("zebras", "Nothing shares a word with the query"),
        ("What is it?", "There was no word to look for."),
        ("??", "There was no word to look for."),
    ],
)
async def test_nothing_found_is_said_with_the_account(
    workspace: MakeWorkspace, question: str, says: str
) -> None:
    talk = Talk(await workspace(FILES))
    outcome = await talk.ask(question)
    assert outcome.stop is Stop.ANSWERED
    assert "Offline: no model was asked" in outcome.text
    assert "Nothing was found." in outcome.text
    assert says in outcome.text
    check_quotes(talk.ws, outcome, [])


async def test_fences_are_longer_than_those_inside(workspace: MakeWorkspace) -> None:
    text = "# Fences\n\n````text\n```python\nfenced_code()\n```\n````\n"
    talk = Talk(await workspace({"fences.md": text}))
    outcome = await talk.ask("Where is fenced_code?")
    assert "`````markdown\n" in outcome.text
    check_quotes(talk.ws, outcome, ["fences.md"])


async def test_notebooks_are_quoted_by_the_lines_of_their_file(workspace: MakeWorkspace) -> None:
    notebook = (
        '{\n "cells": [\n  {\n   "cell_type": "code",\n   "outputs": [],\n   "source": [\n'
        '    "def paint():\\n",\n    "    return 1"\n   ]\n  }\n ],\n "nbformat": 4\n}\n'
    )
    talk = Talk(await workspace({"n.ipynb": notebook}))
    outcome = await talk.ask("What does paint return?")
    assert "[cite: doc, n.ipynb, 7-8]" in outcome.text
    assert "\ndef paint():\n    return 1\n" in outcome.text


class BrokenSearch(Search):
    """A tool with a fault."""

    async def run(self, args: SearchArgs, context: ToolContext) -> ToolResult:
        raise OSError("the disk is gone")


@pytest.mark.parametrize(
    ("tools", "says"),
    [(registry([BrokenSearch()]), "the disk is gone"), (registry([]), "no tool to look with")],
)
async def test_failing_tools_end_the_run_and_are_told(
    workspace: MakeWorkspace, tools: Registry, says: str
) -> None:
    talk = Talk(await workspace(FILES), tools)
    outcome = await talk.ask(QUESTION)
    assert outcome.stop is Stop.ANSWERED
    assert "Nothing was found." in outcome.text
    assert says in outcome.text
    assert len(talk.calls) <= 1


async def test_files_that_vanish_before_they_are_read(workspace: MakeWorkspace) -> None:
    talk = Talk(await workspace({"text.py": FILES["text.py"]}))

    def vanish(_: Event) -> None:
        finished = [event.tool for event in talk.events if isinstance(event, ToolFinished)]
        if sorted(finished) == FIRST_CALLS:
            (talk.ws.root / "text.py").unlink(missing_ok=True)

    talk.react = vanish
    outcome = await talk.ask(QUESTION)
    assert talk.calls[-1][0] == "Read"
    assert "Nothing was found. text.py does not exist" in outcome.text


async def test_a_limit_ends_it_with_what_it_has(workspace: MakeWorkspace) -> None:
    talk = Talk(await workspace(FILES))
    outcome = await talk.ask(QUESTION, limits=LimitSettings(turns=1))
    assert outcome.stop is Stop.TURNS
    started = [event.tool for event in talk.events if isinstance(event, ToolStarted)]
    assert sorted(started) == FIRST_CALLS  # and nothing is read after them
    assert "Nothing was found. The run ended before the places that were" in outcome.text


async def test_call_ids_are_distinct(workspace: MakeWorkspace) -> None:
    talk = Talk(await workspace(FILES))
    for _ in range(3):
        await talk.ask(QUESTION)
    ids = [
        block["id"]
        for message in talk.conversation.messages
        for block in message["content"]
        if block["type"] == "tool_use"
    ]
    assert len(ids) == len(set(ids)) > 10
