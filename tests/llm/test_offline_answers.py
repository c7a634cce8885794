"""What the offline model's answers hold: definitions, callers, documentation, whole statements."""

from __future__ import annotations

import re

import pytest

from glossator.core.span import CitationStatus
from glossator.grounding.citation_checks import Established, Sources
from glossator.grounding.verdicts import check_answer
from tests.llm.test_offline import FILES, QUOTE, Talk, check_quotes
from tests.workspaces import MakeWorkspace

LAMP = '''"""Lamps."""


class Lamp:
    """Shines when it is on."""

    def __init__(self, watts):
        self.watts = watts

    def shine(self, seconds):
        """Use energy for some seconds."""
        joules = compute(
            self.watts,
            seconds,
        )
        return joules


def compute(watts, seconds):
    return watts * seconds
'''
HOUSE = "from lamp import Lamp\n\n\ndef evening():\n    lamp = Lamp(60)\n    return lamp.shine(9)\n"
SHOP = {"lamp.py": LAMP, "house.py": HOUSE, "docs/lamp.md": "# Shop\n\nA `Lamp` is for evenings.\n"}


@pytest.mark.parametrize("question", ["Lamp", "what is a Lamp?", "Explain `Lamp`, please."])
async def test_a_name_gets_its_definition_its_callers_and_its_documentation(
    workspace: MakeWorkspace, question: str
) -> None:
    talk = Talk(await workspace(SHOP))
    outcome = await talk.ask(question)
    check_quotes(talk.ws, outcome, ["lamp.py", "docs/lamp.md"])
    parts = [
        "class Lamp:",
        "- in `evening`: `lamp = Lamp(60)` [cite: doc, house.py, 5-5]",
        "Documentation:",
        "A `Lamp` is for evenings.",
    ]
    places = [outcome.text.index(part) for part in parts]
    assert places == sorted(places)


async def test_callers_come_first_where_they_are_asked_for(workspace: MakeWorkspace) -> None:
    talk = Talk(await workspace(SHOP))
    outcome = await talk.ask("Who calls `shine`?")
    text = outcome.text
    assert text.index("[cite: doc, house.py, 6-6]") < text.index("def shine(self, seconds):")


async def test_of_a_long_definition_the_head_is_quoted(workspace: MakeWorkspace) -> None:
    body = "".join(f"    def method_{n}(self):\n        return {n}\n\n" for n in range(20))
    talk = Talk(await workspace({"big.py": f'class BigThing:\n    """Is big."""\n\n{body}'}))
    outcome = await talk.ask("What is BigThing?")
    check_quotes(talk.ws, outcome, ["big.py"])
    (quote,) = QUOTE.finditer(outcome.text)
    assert quote["text"].startswith('class BigThing:\n    """Is big."""')
    assert re.search(r"return \d$", quote["text"])
    assert "The class goes on to line" in outcome.text


async def test_no_statement_is_cut(workspace: MakeWorkspace) -> None:
    before = "".join(f"    step_{n}()\n" for n in range(20))
    call = "    joules = energy(\n        watts,\n\n        seconds,\n    )\n"
    talk = Talk(await workspace({"a.py": f"def run(watts, seconds):\n{before}{call}{before}"}))
    outcome = await talk.ask("Where is the energy in joules of watts found?")
    (quote,) = QUOTE.finditer(outcome.text)
    assert call.rstrip("\n") in quote["text"]
    assert "in `def run(watts, seconds):`" in outcome.text


async def test_a_name_with_a_slip_leads_to_the_right_one(workspace: MakeWorkspace) -> None:
    talk = Talk(await workspace(FILES))
    outcome = await talk.ask("What does split_linse do?")
    assert (
        "I found no parsed definition of `split_linse`; `split_lines` is nearest." in outcome.text
    )
    check_quotes(talk.ws, outcome, ["text.py", "docs/lines.md"])


async def test_words_that_no_file_holds_are_named(workspace: MakeWorkspace) -> None:
    talk = Talk(await workspace(SHOP))
    outcome = await talk.ask("How do kangaroos use energy in Australia?")
    assert "I found these words in no file: kangaroos, Australia." in outcome.text
    assert "probably no answer" in outcome.text


async def test_its_own_sentences_are_not_refused(workspace: MakeWorkspace) -> None:
    options = "export type Options<\n  T = string,\n> = {\n  bodyLimit?: number,\n  other: T\n}\n"
    talk = Talk(await workspace({"types.ts": options}))
    outcome = await talk.ask("What is `bodyLimit`, and what is connection_timeout?")
    assert QUOTE.search(outcome.text)
    sources = Sources(talk.ws.snapshot, talk.ws.reads, (), Established())
    checked = check_answer(outcome.text, sources)
    assert checked.uncited == ()
    assert checked.fallen == ()
    assert {each.status for each in checked.citations} == {CitationStatus.VERIFIED}
