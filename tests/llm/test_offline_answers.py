"""What the offline model's answers hold: definitions, callers, documentation, whole statements."""

from __future__ import annotations

import re

import pytest

from glossator.core.citations import parse_citations
from glossator.core.document import Document
from glossator.core.span import CitationStatus, Span
from glossator.grounding.citation_checks import Established, Sources
from glossator.grounding.verdicts import check_answer
from glossator.llm.offline_view import meant_by, slips_of
from tests.llm.test_offline import FILES, QUOTE, Talk, check_quotes
from tests.workspaces import MakeWorkspace, Workspace

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


async def test_a_question_about_what_is_not_there_gets_the_nearest(
    workspace: MakeWorkspace,
) -> None:
    talk = Talk(await workspace(SHOP))
    outcome = await talk.ask("How do kangaroos use energy in Australia?")
    assert "I find nothing that holds `kangaroos` or `Australia`; the nearest is:" in outcome.text
    assert len(QUOTE.findall(outcome.text)) == 1
    outcome = await talk.ask("Where does the lamp ask Kafka for its watts and seconds?")
    assert "I find nothing that holds `Kafka`; the nearest is:" in outcome.text


async def test_a_word_with_a_slip_is_taken_for_the_one_in_the_files(
    workspace: MakeWorkspace,
) -> None:
    beat = "def send_heartbeat(server):\n    server.post('alive')\n"
    other = "def run(servers):\n    for server in servers:\n        server.start()\n"
    talk = Talk(await workspace({"heartbeat.py": beat, "run.py": other}))
    outcome = await talk.ask("How often is the hartbeat of a server sent?")
    assert "I found `hartbeat` in no file, and looked for `heartbeat`." in outcome.text
    assert parse_citations(outcome.text)[0].path == "heartbeat.py"


@pytest.mark.parametrize(
    ("word", "said", "meant"),
    [
        ("exeptions", "class TimeoutException(Exception): ...  # receptions", "exception"),
        ("recieve", "to receive or to relieve", "receive"),
        ("middelware", "bodyMiddleware, hardware", "middleware"),
        ("decide", "decode(decimal)", ""),
        ("kangaroos", "energy", ""),
        ("test", "tests", ""),
        ("x2y3z4", "x2y3z5", ""),
    ],
)
def test_slips(word: str, said: str, meant: str) -> None:
    assert meant_by(word, said) == meant
    assert not meant or re.search(slips_of(word), said, re.IGNORECASE)


async def test_a_question_in_another_language_is_answered_by_its_names(
    workspace: MakeWorkspace,
) -> None:
    talk = Talk(await workspace({**SHOP, "der.py": "ORDER = 'ist der Wert und die Zahl'\n"}))
    outcome = await talk.ask("Wo wird die Methode shine definiert, und wie ist der Wert?")
    assert "def shine(self, seconds):" in outcome.text
    assert "I find nothing" not in outcome.text


async def test_copies_take_one_place(workspace: MakeWorkspace) -> None:
    body = "def paint_fence(color, planks):\n    for plank in planks:\n        plank.cover(color)\n"
    copies = {f"{name}/fence.py": body for name in ("sync", "asynchronous", "old")}
    talk = Talk(await workspace({**copies, "garden.py": "def plan():\n    return 'fence color'\n"}))
    outcome = await talk.ask("Which color do the planks of a fence get?")
    quoted = [mark.path for mark in parse_citations(outcome.text)]
    assert sum(path.endswith("fence.py") for path in quoted) == 1


async def test_what_differs_by_the_name_of_its_file_is_no_copy(workspace: MakeWorkspace) -> None:
    body = 'func ignoredFiles() []string {\n\treturn []string{".*", %s}\n}\n'
    files = {f"ignore_{name}.go": f"package ui\n\n{body % repr(name)}" for name in ("mac", "linux")}
    talk = Talk(await workspace({key: text.replace("'", '"') for key, text in files.items()}))
    outcome = await talk.ask("Which files are ignored?")
    assert {mark.path for mark in parse_citations(outcome.text)} == set(files)


async def test_tests_within_code_come_after_it(workspace: MakeWorkspace) -> None:
    code = "pub fn paint_fence(color: &str) -> usize {\n    color.len()\n}\n\n" + "// more\n" * 40
    tests = (
        "#[cfg(test)]\nmod tests {\n    #[test]\n    fn paint_fence_red() {\n"
        '        let painted_fence_color = paint_fence("red color of a fence");\n    }\n}\n'
    )
    talk = Talk(await workspace({"fence.rs": f"{code}{tests}"}))
    outcome = await talk.ask("How is the color of a fence painted?")
    assert "pub fn paint_fence" in QUOTE.findall(outcome.text)[0][4]


async def test_long_comments_are_left_out(workspace: MakeWorkspace) -> None:
    said = "".join(f" * More on the stripes of a zebra, part {n}.\n" for n in range(20))
    paint = "export const paintZebra = (zebra) => {\n  return zebra.stripes\n}\n"
    talk = Talk(await workspace({"paint.ts": f"/**\n * Paints.\n{said} */\n{paint}"}))
    for question in ("Where are the stripes of a zebra painted?", "What does paintZebra do?"):
        outcome = await talk.ask(question)
        quoted = QUOTE.search(outcome.text)
        assert quoted is not None
        assert quoted["text"] == paint.rstrip("\n")


async def test_of_a_long_docstring_the_beginning_is_quoted(workspace: MakeWorkspace) -> None:
    said = "".join(f"    Part {n} of what a zebra is painted with.\n" for n in range(40))
    body = "    for stripe in zebra:\n        stripe.paint()\n    return zebra\n"
    code = f'def paint_zebra(zebra):\n    """Paint all stripes.\n\n{said}    """\n{body}'
    talk = Talk(await workspace({"paint.py": code}))
    outcome = await talk.ask("What does paint_zebra do?")
    head, below = QUOTE.finditer(outcome.text)
    assert head["text"] == "def paint_zebra(zebra):"
    assert "> Paint all stripes. [cite: doc, paint.py, 2-2]" in outcome.text
    assert below["text"] == body.rstrip("\n")


async def test_lines_that_a_tool_cuts_are_not_quoted(workspace: MakeWorkspace) -> None:
    colours = '"' + "zebra=1;" * 900 + '"'
    code = f"STRIPES = {colours}\n\n\ndef paint_zebra():\n    return STRIPES\n"
    talk = Talk(await workspace({"paint.py": code}))
    outcome = await talk.ask("Where are zebra stripes painted?")
    check_quotes(talk.ws, outcome, ["paint.py"])


async def test_the_answer_begins_with_a_few_attached_lines(workspace: MakeWorkspace) -> None:
    talk = Talk(await workspace({**SHOP, "a.py": "def shine(lamp):\n    return lamp\n"}))
    lines = "\n".join(f"{n:6}\t{line}" for n, line in enumerate(LAMP.split("\n")[10:17], 11))
    talk.ws.reads.show([span_of(talk.ws, "lamp.py", 11, 17)])
    attached = f"Attached by the user: lamp.py, lines 11-17 of 22\n{lines}"
    outcome = await talk.ask(attached, "Explain `lamp.py:11-17`.")
    first = parse_citations(outcome.text)[0]
    assert (first.path, first.first_line, first.last_line) == ("lamp.py", 11, 16)


@pytest.mark.parametrize(
    "question",
    [
        "What is `bodyLimit`, and what is connection_timeout?",
        "Where is the Kafka limit of a body?",
        "What are the optoins for the limit of a body?",
        "What are all the other many things that strings and options hardly ever do about bodies?",
    ],
)
async def test_its_own_sentences_are_not_refused(workspace: MakeWorkspace, question: str) -> None:
    options = "export type Options<\n  T = string,\n> = {\n  bodyLimit?: number,\n  other: T\n}\n"
    talk = Talk(await workspace({"types.ts": options}))
    outcome = await talk.ask(question)
    assert QUOTE.search(outcome.text)
    sources = Sources(talk.ws.snapshot, talk.ws.reads, (), Established())
    checked = check_answer(outcome.text, sources)
    assert checked.uncited == ()
    assert checked.fallen == ()
    assert {each.status for each in checked.citations} == {CitationStatus.VERIFIED}


def span_of(ws: Workspace, path: str, first: int, last: int) -> Span:
    document = ws.snapshot.read(path)
    assert isinstance(document, Document)
    return Span(document.uri, document.sha256, first, last)


@pytest.mark.parametrize(
    ("path", "head", "line", "end"),
    [
        (
            "till.py",
            'def main(argv):\n    """Run the till.\n\n    An exit code.\n    """\n',
            "    step({})\n",
            "",
        ),
        (
            "till.ts",
            "// Runs the till.\nexport async function main(argv: string[]) {\n",
            "  step({});",
            "}\n",
        ),
        (
            "till.go",
            "package till\n\n// main runs the till.\nfunc main() {\n",
            "\tstep({})",
            "}\n",
        ),
    ],
)
async def test_a_short_function_is_quoted_whole(
    workspace: MakeWorkspace, path: str, head: str, line: str, end: str
) -> None:
    """Of a long one it is the beginning."""
    for lines, is_whole in ((11, True), (40, False)):
        steps = "".join(f"{line.format(number)}\n" for number in range(lines))
        talk = Talk(await workspace({path: f"{head}{steps}{end}"}))
        outcome = await talk.ask("What does main do?")
        check_quotes(talk.ws, outcome, [path])
        quoted = "\n".join(quote["text"] for quote in QUOTE.finditer(outcome.text))
        assert "main" in quoted
        assert ("step(10)" in quoted) is is_whole
