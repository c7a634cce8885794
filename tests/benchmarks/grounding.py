"""What grounding adds to an answer of eight cited sentences about real code, part by part.

A simple and a hard question are asked with everything off, then with one part more each time. The
model is a stand-in that takes its time as a quick one does: `_MAIN` and `_FAST` are the seconds
before its first word, and between two of its pieces of twelve characters.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from glossator.core.events import DiscardReason, Envelope, RunFinished, TextDelta, TextDiscarded
from glossator.core.run_events import PlanChanged, TaskState
from glossator.grounding.citation_checks import Sources
from glossator.grounding.verdicts import check_answer
from glossator_eval.grounding_set import MadeStatement, statements
from glossator_eval.labelled import SourceText
from glossator_eval.phrasing import phrasings
from tests.benchmarks.measure import Figure, show_figures
from tests.benchmarks.opened import state_folder
from tests.sides import asked, first_text
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn
from tests.turn.plan.planned import plan, role_of

_FILES = 4
_OF_FILE = 2  # sentences
_LONGEST = 90  # lines of a file
_RUNS = 3
_MAIN, _FAST = (0.5, 0.02), (0.3, 0.01)  # seconds
_REWRITTEN = "It is written again"
_OPEN = "The rest of this part is kept simple so."  # nothing that rules could decide
_OFF: Mapping[str, Mapping[str, Any]] = {
    "plan": {"dispatch": "off"},
    "grounding": {"entailment": False, "correction": "off"},
    "facts": {"enabled": False},
}
_PARTS: Sequence[tuple[str, str, Mapping[str, Any]]] = (
    ("dispatcher", "plan", {"dispatch": "model"}),
    ("entailment", "grounding", {"entailment": True}),
    ("correction", "grounding", {"correction": "rewrite"}),
    ("facts", "facts", {"enabled": True}),
)


async def run(sources: Path) -> bool:
    """Measure on the code below `sources`; gives whether the targets are met."""
    made = await asyncio.to_thread(_made, sources)
    files = {
        path: (sources / path).read_text("utf-8")
        for path in dict.fromkeys(each.cited[0].path for each in made)
    }
    with state_folder():
        simple = await _steps(_Model(made, hard=False), files)
        hard = await _steps(_Model(made, hard=True), files)
    _show("A simple question", simple)
    _show("A hard question, four tasks", hard)
    bare, asked = simple[0][1], simple[1][1]
    figures = [
        Figure("checks of the whole answer", bare.checking, "ms", 100),
        Figure(
            "a simple question: the dispatcher's requests", asked.requests - bare.requests, "", 1
        ),
        Figure("simple: tokens, times those without", simple[-1][1].tokens / bare.tokens, ""),
        Figure("hard: tokens, times those without", hard[-1][1].tokens / hard[0][1].tokens, ""),
    ]
    return show_figures("Grounding", figures, f"{len(made)} sentences about {len(files)} files")


@dataclass(frozen=True)
class _Measured:
    """A run's requests, tokens and price; medians in seconds of when things came."""

    requests: int
    input: int
    output: int
    dollars: float
    first_request: float
    first_text: float
    finished: float
    checking: float  # ms

    @property
    def tokens(self) -> int:
        return self.input + self.output


def _made(sources: Path) -> list[MadeStatement]:
    """True statements about a few files, those of each file together."""
    documents = [
        SourceText(str(path.relative_to(sources)), path.read_text("utf-8"))
        for path in sorted(sources.rglob("*.py"))
        if path.read_text("utf-8").count("\n") < _LONGEST
    ]
    by_file: dict[str, list[MadeStatement]] = {}
    for each in statements(documents, phrasings(), most=400, seed=7):
        if not each.falsification and len(each.cited) == 1:
            by_file.setdefault(each.cited[0].path, []).append(each)
    several = [each for own in by_file.values() if len(own) >= _OF_FILE for each in own[:_OF_FILE]]
    assert len(several) >= _FILES * _OF_FILE, f"{sources} is too small"
    return several[: _FILES * _OF_FILE]


def _mark(made: MadeStatement) -> str:
    (lines,) = made.cited
    last = lines.first_line + len(lines.lines) - 1
    return f"[cite: doc, {lines.path}, L{lines.first_line}-L{last}]"


class _Model:
    """Plays every part: one sentence of two is open to judgement, the first of these falls."""

    def __init__(self, made: Sequence[MadeStatement], *, hard: bool) -> None:
        self._paths = list(dict.fromkeys(each.cited[0].path for each in made))
        said = [each.text if at % 2 else _OPEN for at, each in enumerate(made)]
        marks = [_mark(each) for each in made]
        self.answer = "\n".join(f"{text} {mark}" for text, mark in zip(said, marks, strict=True))
        names = [Path(path).stem for path in self._paths]
        self.question = f"What do {', '.join(names)} say, and how do they differ?"
        self._kind = "COMPLEX" if hard else "SIMPLE"
        one, two, *others = self._paths
        looks: list[tuple[str, list[int]]] = [
            (f"What does {' or '.join(each)} define?", []) for each in ([one], [two], others)
        ]
        self._findings = dict[str, list[str]]()
        for about, line in zip(made, self.answer.split("\n"), strict=True):
            self._findings.setdefault(about.cited[0].path, []).append(f"- {line}")
        self._plan = plan(*looks, ("How do the first two differ?", [1, 2])).blocks

    def __call__(self, body: dict[str, Any]) -> Turn:
        match asked(body):
            case "verify":
                return _fast(_verdicts(first_text(body)))
            case "correct":
                return _fast(_rewritten(first_text(body)))
        who, last = role_of(body), body["messages"][-1]
        fast = {
            "dispatcher": lambda: json.dumps({"task_type": self._kind}),
            "generation": lambda: self._found(str(last["content"][-1]["text"])),
        }
        if who in fast:
            return _fast(fast[who]())
        if who == "decomposer":
            return _turn(_MAIN, *self._plan)
        if who == "synthesis" or "tool_result" in str(last):
            return _turn(_MAIN, Text(self.answer))
        return _turn(_MAIN, *(ToolUse("Read", {"path": path}) for path in self._paths))

    def _found(self, asked: str) -> str:
        task = asked.rpartition("# The task")[2]
        named = [path for path in self._findings if path in task] or self._paths[:2]
        return "\n".join(line for path in named for line in self._findings[path])


def _turn(takes: tuple[float, float], *blocks: Any) -> Turn:
    pause, pace = takes
    return Turn(*blocks, pause=pause, pace=pace)


def _fast(text: str) -> Turn:
    return _turn(_FAST, Text(text))


def _rewritten(asked: str) -> str:
    found = re.findall(r"^(\d+)\. \(about", asked, re.MULTILINE)
    return json.dumps(
        {"sentences": [{"sentence": int(n), "text": f"{_REWRITTEN} {n}."} for n in found]}
    )


def _verdicts(asked: str) -> str:
    """SUPPORTED, with a line that is theirs, for all but the first that is open."""
    lines = dict(re.findall(r"^\[(\d+)\] .*\n\d+\t(.*)$", asked, re.MULTILINE))
    answers = []
    for number, source, text in re.findall(
        r"^(\d+)\. \(about \[(\d+)\][^)]*\) (.*)$", asked, re.MULTILINE
    ):
        falls = text == _OPEN and number == "1"
        answer, words = ("UNRELATED", "") if falls else ("SUPPORTED", lines[source])
        answers.append({"statement": int(number), "words": words, "answer": answer})
    return json.dumps({"answers": answers})


async def _steps(model: _Model, files: Mapping[str, str]) -> list[tuple[str, _Measured]]:
    """Everything off, then a part more each time."""
    settings = {group: dict(values) for group, values in _OFF.items()}
    steps = [("nothing of it", await _measured(model, files, settings))]
    for name, group, values in _PARTS:
        settings[group] |= values
        steps.append((f"+ {name}", await _measured(model, files, settings)))
    return steps


async def _measured(
    model: _Model, files: Mapping[str, str], settings: Mapping[str, Any]
) -> _Measured:
    """Ask once, so that there are facts, and then `_RUNS` times, each in a session of its own."""
    times: list[tuple[float, float, float]] = []
    with TemporaryDirectory() as folder:
        async with stage(Path(folder), files, model, settings) as s:
            answered, requests = await s.ask(model.question), 0
            for _ in range(_RUNS):
                asked, came = len(s.api.requests), _Came(s)
                began, started = asyncio.get_running_loop().time(), perf_counter()
                answered = await s.ask(model.question)
                first = s.api.requests[asked].received_at - began
                times.append((first, came.text - started, came.end - started))
                requests = len(s.api.requests) - asked
            plans: list[PlanChanged] = s.port.of(PlanChanged)
            assert not plans or all(each.state is TaskState.DONE for each in plans[-1].tasks)
            session = s.app.sessions.loaded()[-1]
            known = Sources(s.app.host.snapshot(), session.reads)
            began = perf_counter()
            await asyncio.to_thread(check_answer, model.answer, known)
            checking = (perf_counter() - began) * 1000
    usage = answered.usage
    return _Measured(
        requests,
        usage.input_total,
        usage.output_tokens,
        answered.dollars or 0.0,
        median(first for first, _, _ in times),
        median(text for _, text, _ in times),
        median(end for _, _, end in times),
        checking,
    )


class _Came:
    """When the first word that stayed until it was judged, and the end, were shown."""

    def __init__(self, s: Stage) -> None:
        self.text = self.end = 0.0
        s.port.emit = self._emit  # type: ignore[method-assign]
        self._shown = s.port.envelopes

    def _emit(self, envelope: Envelope) -> None:
        self._shown.append(envelope)
        match envelope.event:
            case TextDelta() if not self.text:
                self.text = perf_counter()
            case TextDiscarded(DiscardReason.PLAN):
                self.text = 0.0
            case RunFinished():
                self.end = perf_counter()


def _show(title: str, steps: Sequence[tuple[str, _Measured]]) -> None:
    table = Table(title=title, title_justify="left")
    for heading in (
        "",
        "requests",
        "tokens in",
        "tokens out",
        "cents",
        "first request",
        "first word",
        "finished",
    ):
        table.add_column(heading, justify="right" if heading else "left")
    for name, each in steps:
        table.add_row(
            name,
            f"{each.requests}",
            f"{each.input:,}",
            f"{each.output:,}",
            f"{each.dollars * 100:.2f}",
            f"{each.first_request * 1000:.0f} ms",
            f"{each.first_text:.1f} s",
            f"{each.finished:.1f} s",
        )
    Console(width=100).print(table)
