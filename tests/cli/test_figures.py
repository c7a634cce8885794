"""Figures for people: what a run cost, how much a compaction saved, times and sizes."""

from __future__ import annotations

import pytest

from glossator.cli.messages import amount, duration, price, size
from glossator.cli.render.answers import footer
from glossator.cli.render.renderer import Renderer
from glossator.commands.answers.sessions import CompactAnswer
from glossator.core.answer import Answer
from glossator.core.wire import from_wire
from tests.cli.drawing import drawn, event, pipe, recorded

COMPACTIONS = [
    event("compaction", before=812_000, after=94_000, byModel=True),
    event("compaction", before=1_200, after=640, byModel=False),
]
COMPACTED = "compacted: 812.0k → 94.0k tokens\ncompacted: 1.2k → 640 tokens (extracted)\n"


def test_a_compaction_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    def show(renderer: Renderer) -> None:
        for each in COMPACTIONS:
            renderer.event(each)

    assert drawn(show) == COMPACTED
    assert drawn(show, colours=True).count("\x1b[2mcompacted: ") == len(COMPACTIONS)
    show(pipe())
    assert capsys.readouterr() == ("", COMPACTED)


def test_a_compaction_sets_text_apart() -> None:
    def show(renderer: Renderer) -> None:
        renderer.event(event("text.delta", text="Half of it."))
        renderer.event(COMPACTIONS[0])
        renderer.event(event("text.delta", text="The rest."))

    assert drawn(show) == "Half of it.\n\ncompacted: 812.0k → 94.0k tokens\n\nThe rest.\n"


def test_a_session_was_compacted() -> None:
    answer = recorded("session_compacted")["answer"]
    seen = drawn(lambda renderer: renderer.answer(from_wire(CompactAnswer, answer)))
    assert seen == "compacted: 812.0k → 94.0k tokens\n"


@pytest.mark.parametrize(
    ("offline", "run", "session", "end"),
    [
        (False, 0.0123, 0.0123, " · 4.2 s · $0.01"),
        (False, 0.0123, 0.456, " · 4.2 s · $0.01 (session $0.46)"),
        (False, 0.0034, 1.5, " · 4.2 s · $0.0034 (session $1.50)"),
        (False, 0.0123, 0.0124, " · 4.2 s · $0.01"),  # they do not differ as shown
        (False, 0.0123, None, " · 4.2 s · $0.01 (session price unknown)"),
        (False, None, None, " · 4.2 s · price unknown"),
        (True, 0.0, 0.0, " · 4.2 s"),
        (True, None, None, " · 4.2 s"),
    ],
)
def test_what_a_run_cost(offline: bool, run: float | None, session: float | None, end: str) -> None:
    costs = {"offline": offline, "dollars": run, "sessionDollars": session}
    assert footer(from_wire(Answer, recorded("ask")["answer"] | costs)).endswith(f"312 out{end}")


@pytest.mark.parametrize(
    ("shown", "expect"),
    [
        (duration(0.61), "0.6 ms"),
        (duration(9.96), "10 ms"),
        (duration(999.7), "1.0 s"),
        (duration(59_960), "1 min 00 s"),
        (amount(999), "999"),
        (amount(12_345), "12.3k"),
        (amount(999_960), "1.0M"),
        (size(512), "512 B"),
        (price(None), "price unknown"),
        (price(0.00344), "$0.0034"),
        (size(1_500_000), "1.5 MB"),
    ],
)
def test_figures_for_people(shown: str, expect: str) -> None:
    assert shown == expect
