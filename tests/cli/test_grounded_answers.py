"""What people see of a grounded answer: a plan, marks in each status, what was corrected."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from glossator.cli.render.renderer import Renderer
from glossator.core.answer import Answer
from glossator.core.citation_words import UNSURE
from glossator.core.events import DiscardReason
from glossator.core.wire import from_wire
from tests.cli.drawing import drawn, event, pipe, recorded

GROUNDED = (
    "Runs end at once [cite: doc, a.py, L3]. They retry five times [cite: doc, a.py, L3]. "
    "The log says so [cite: fact, f1, null]. Nothing of `b.py` is left. As task 1 found "
    "[cite: task, 1], it waits [cite: doc, c.py, L1-L2].\n"
)


def grounded() -> dict[str, Any]:
    """An answer with a citation in each status, a sentence without any, and a corrected one."""

    def cited(mark: str, nth: int, status: str, basis: str | None, **more: Any) -> dict[str, Any]:
        at = -1
        for _ in range(nth):
            at = GROUNDED.index(f"[cite: {mark}", at + 1)
        given = {"target": "a.py", "reason": "", "uri": "file:///w/a.py", "firstLine": 3}
        return given | {"lastLine": 3, "status": status, "basis": basis, "at": at} | more

    lines, one = {"firstLine": 7, "lastLine": 9}, {"firstLine": 1, "lastLine": 1}
    moved = {"target": "c.py", "firstLine": 1, "lastLine": 2, "reason": "They are lines 5-6 now."}
    claim = "Nothing of `b.py` is left."
    start = GROUNDED.index(claim)
    answer: dict[str, Any] = recorded("ask")["answer"]
    return answer | {
        "text": GROUNDED,
        "citations": [
            cited("doc, a.py", 1, "verified", "checks"),
            cited("doc, a.py", 2, "contradicted", "model", reason="The lines say 3, not 5."),
            cited("fact", 1, "verified", "model", target="fact f1", uri="file:///w/l.py", **lines),
            cited("task", 1, "read", None, target="task 1", **lines),
            cited("task", 1, "read", None, target="task 1", uri="file:///w/b.py", **one),
            cited("doc, c.py", 1, "moved", None, **moved),
        ],
        "uncited": [{"statement": claim, "start": start, "end": start + len(claim)}],
        "corrections": [
            {
                "what": "rewritten",
                "before": "Runs may go on [cite: doc, a.py, L3].",
                "after": "Runs end at once [cite: doc, a.py, L3].",
                "reason": "The lines end them.",
            }
        ],
    }


def test_what_was_found_of_each_sentence_is_told_in_words(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer = from_wire(Answer, grounded())
    pipe().answer(answer)
    assert capsys.readouterr().out == (
        "Runs end at once [a.py:3]. They retry five times [✗ a.py:3]. The log says so [fact f1]."
        " Nothing of `b.py` is left. As task 1 found [task 1], it waits [! c.py:1-2].\n\n"
        "✗ a.py:3, contradicted (judged by a model): The lines say 3, not 5."
        " “They retry five times”\n"
        "! c.py:1-2, moved: They are lines 5-6 now. “As task 1 found, it waits”\n"
        "fact f1: /w/l.py:7-9\n"
        "task 1: /w/a.py:7-9, /w/b.py:1\n"
        "? cites nothing: “Nothing of `b.py` is left.”\n"
        "~ rewritten: “Runs may go on.” The lines end them. Now: “Runs end at once.”\n"
        "5 citations: 1 verified by rules, 1 verified by a model, 1 not judged, 1 moved,"
        " 1 contradicted; 1 sentence cites nothing; 1 sentence was corrected\n"
    )
    seen = drawn(lambda renderer: renderer.answer(answer))
    assert "✗ a.py:3, contradicted (judged by a model): The lines say 3," in seen
    assert "5 citations: 1 verified by rules, 1 verified by a model, 1" in seen


def planned(*states: str, results: Sequence[str] = ("", "", "")) -> dict[str, Any]:
    """The plan, with its tasks in these states."""
    tasks = [
        {"id": name, "description": text, "dependencies": after, "state": state, "result": r}
        for (name, text, after), state, r in zip(
            (("1", "Find a", []), ("2", "Find b", []), ("3", "Compare", ["1", "2"])),
            states,
            results,
            strict=True,
        )
    ]
    return event("plan", tasks=tasks)


FACT = {
    "id": "f1",
    "statement": "Runs end.",
    "path": "a.py",
    "uri": "file:///w/a.py",
    "firstLine": 1,
    "lastLine": 2,
    "state": "fresh",
    "confidence": 0.9,
    "createdAt": "2026-01-01T10:00:00+00:00",
    "sessionId": "s1",
    "pinned": False,
}


def test_a_plan_is_told_once_and_then_each_task_that_goes_on() -> None:
    def show(renderer: Renderer) -> None:
        renderer.event(event("state", state="PLANNING", detail=""))
        renderer.event(planned("active", "active", "pending"))
        renderer.event(event("state", state="EXECUTING", detail="tasks 1 and 2"))
        found = ("It is in `a.py` [cite: doc, a.py, L3].\n\nMore.", "", "")
        renderer.event(planned("done", "active", "pending", results=found))
        failed = (found[0], "It used up its 60 seconds.", "")
        renderer.event(planned("done", "failed", "active", results=failed))
        renderer.event(event("text.delta", text="It is so."))
        renderer.event(event("fact", fact=FACT))
        renderer.event(event("fact", fact=FACT | {"id": "f2", "state": "stale"}))
        renderer.answer(from_wire(Answer, recorded("ask")["answer"] | {"text": "It is so."}))

    assert drawn(show).startswith(
        "▸ 1. Find a\n"
        "▸ 2. Find b\n"
        "☐ 3. Compare  (builds on 1, 2)\n"
        "✓ 1. Find a: It is in `a.py`.\n"
        "✗ 2. Find b: It used up its 60 seconds.\n"
        "\nIt is so.\n"
    )
    ending = drawn(show).partition("It is so.\n")[2]
    assert 0 < ending.index("\n1 fact kept\n") < ending.index("(--resume)")


def test_an_answer_is_shown_whole_before_it_is_checked_and_then_what_changed() -> None:
    first = "It is so.\n\nIt calls `f`.\n\nIt ends"
    now = "It is so.\n\nIt calls `g`.\n\nIt ends"

    def checked(renderer: Renderer) -> None:
        renderer.event(event("text.delta", text=first))
        renderer.event(event("state", state="VERIFYING", detail=""))

    def corrected(renderer: Renderer) -> None:
        checked(renderer)
        renderer.event(event("text.discarded", reason="citations"))
        renderer.event(event("text.delta", text=now))
        renderer.answer(from_wire(Answer, recorded("ask")["answer"] | {"text": now}))

    assert drawn(checked) == "It is so.\n\nIt calls f.\n\nIt ends\n"
    words = " ".join(drawn(corrected).split())
    assert words.startswith("It is so. It calls f. It ends (some citations do not hold;")
    assert "what changed follows) It calls g. " in words
    assert words.count("It is so.") == words.count("It ends") == 1


def test_what_was_marked_is_told_once() -> None:
    marked = {"what": "marked", "before": "They.", "after": f"They. {UNSURE}", "reason": "No."}
    given = grounded() | {"corrections": [marked]}
    seen = drawn(lambda renderer: renderer.answer(from_wire(Answer, given)))
    assert "marked as unsure" not in seen
    assert "corrected" not in seen


@pytest.mark.parametrize("reason", list(DiscardReason))
def test_it_is_said_why_a_reply_is_void(reason: str) -> None:
    def show(renderer: Renderer) -> None:
        renderer.event(event("text.delta", text="It is so."))
        renderer.event(event("text.discarded", reason=reason))

    assert re.fullmatch(r"It is so\.\n\n\(.*\)\n", drawn(show), re.DOTALL)
