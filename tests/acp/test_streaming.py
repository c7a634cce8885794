"""An answer in the pieces in which it comes: shown as it is shown whole, and each piece once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from glossator.acp.streaming import differing
from glossator.acp.updates import Updates
from glossator.core.citations import CitationMark, rewrite_citations
from glossator.core.events import (
    CitationChecked,
    DiscardReason,
    Event,
    Notice,
    RunFinished,
    TextDelta,
    TextDiscarded,
    ThinkingDelta,
    ToolStarted,
)
from glossator.core.run_events import RunState, StateChanged
from glossator.core.span import Citation, CitationStatus

MARK = "[cite: doc, a.py, L1-L2]"
LINES = "    value = compute(item, [1, 2])  # note\n" * 100
TEXTS = {
    "code": f"As {MARK}:\n\n```python\n{LINES}```\nSo {MARK}.\n",
    "code with a mark": f"````md\n```\nIt says {MARK}.\n```\n````\nIt holds {MARK}.\n",
    "other fences": f"~~~\n``` {MARK}\n~~~\nIt holds {MARK}.\n",
    "one paragraph": f"It `holds` {MARK}. " * 80,
    "quoted code": f"{'word ' * 250}`one two` {MARK}",
    "marks at the ends of lines": f"One {MARK}\nand [1,\n 2]\n{MARK} two\n\n" * 50,
    "one line of code": f"```js\n{'let x = `a b`; ' * 150}\n```\n{MARK}",
    "a mark that is all of quoted code": f"It is `{MARK}`. {MARK}\n",
    "a mark within quoted code": f"Say `one {MARK} two`. {MARK}\n",
    "a link to a mark": f"See [the words]({MARK}).\nIt holds.\n",
    "a mark with an address": f"It holds {MARK}(file:///a). So {MARK}\n",
    "brackets in a path": f"It holds [cite: doc, app/[id]/p.py, L1]. So {MARK}\n",
    "words before a fence": f"{'word ' * 300}``` {MARK}\n{MARK}",
}


def locate(path: str) -> str | None:
    return f"/ws/{path}"


def shown(text: str, size: int) -> str:
    """All that is shown of a text that comes in pieces of so many characters."""
    of = Updates(locate)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    events: list[Event] = [*map(TextDelta, pieces), RunFinished("end")]
    return said(of, *events)


def said(of: Updates, *events: Event) -> str:
    """What the updates of these events say."""
    contents = (getattr(each, "content", None) for event in events for each in of.of(event))
    return "".join(each.text for each in contents if each is not None)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("size", [1, 4, 1_000])
def test_in_pieces_it_is_the_same(text: str, size: int) -> None:
    assert shown(text, size) == shown(text, len(text))
    assert "](file:///ws/a.py#L1)" in shown(text, size)


def test_a_mark_that_streams_while_another_one_is_checked_is_a_link() -> None:
    checked = CitationChecked(Citation("a.py", None, CitationStatus.VERIFIED))
    begun, ended = TextDelta(MARK[:16]), TextDelta(f"{MARK[16:]}.")
    assert said(Updates(locate), begun, checked, ended, RunFinished("end")) == (
        "[`a.py:1-2`](file:///ws/a.py#L1)."
    )


CODE = "```\na\n\nb\n```"
BEGINS = "\n\n*Not all of this holds; what changed follows.*\n\n"
GOES_ON = "\n\n*A hook of yours has the model go on; the new answer follows.*\n\n"
VOID = TextDiscarded(DiscardReason.CITATIONS)
VOIDED, MENDED = f"One {MARK}.\n\nTwo.", f"One {MARK}.\n\nThree."


@pytest.mark.parametrize(
    ("last", "follows"),
    [(f"\n\nThree {MARK}.", f"{BEGINS}Three [`a.py:1-2`](file:///ws/a.py#L1)."), ("", "")],
)
def test_of_a_corrected_answer_what_changed_follows(last: str, follows: str) -> None:
    of = Updates(locate)
    same = f"One {MARK}.\n\n{CODE}"
    assert "Two" in said(of, TextDelta(f"{same}\n\nTwo {MARK}.\n"))
    assert said(of, VOID, TextDelta(f"{same}{last}"), RunFinished("end")) == follows


@pytest.mark.parametrize(
    ("events", "follows"),
    [
        ([ThinkingDelta("Hm."), TextDelta(MENDED)], f"Hm.{BEGINS}Three."),
        ([ToolStarted("c", "Read", {}), TextDelta(MENDED)], f"{BEGINS}Three."),
        (
            [TextDelta("I look."), ToolStarted("c", "Read", {}), TextDelta(MENDED)],
            f"{BEGINS}I look.{BEGINS}Three.",
        ),
        (
            [TextDelta(MENDED[:12]), Notice("Slow."), TextDelta(MENDED[12:])],
            f"\n\n*Slow.*\n\n{BEGINS}Three.",
        ),
        (
            [TextDelta(MENDED), StateChanged(RunState.VERIFYING), Notice("Slow.")],
            f"{BEGINS}Three.\n\n*Slow.*\n\n",
        ),
        (
            [TextDelta(MENDED[:12]), Notice("It stands."), TextDiscarded(), TextDelta(VOIDED)],
            "\n\n*It stands.*\n\n",
        ),
        ([TextDelta(MENDED), VOID, TextDelta(VOIDED)], f"{BEGINS}Three.{BEGINS}Two."),
        (
            [TextDelta(MENDED), TextDiscarded(DiscardReason.HOOK), TextDelta("New.")],
            f"{BEGINS}Three.{GOES_ON}New.",
        ),
    ],
)
def test_only_what_changed_follows_whatever_comes_between(
    events: list[Event], follows: str
) -> None:
    of = Updates(locate)
    said(of, TextDelta(VOIDED))
    said(of, VOID)
    assert said(of, *events, RunFinished("end")) == follows


def test_a_paragraph_of_a_list_that_changed_is_no_code() -> None:
    before, item = "1. One\n\n", "    Two.\n    Three."
    assert differing(f"{before}{item}", before) == "Two.\nThree."


@pytest.mark.parametrize("name", ["code", "one paragraph", "one line of code"])
def test_what_was_shown_is_not_looked_at_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0

    def counting(text: str, show: Callable[[CitationMark], str]) -> str:
        nonlocal looked_at
        looked_at += len(text)
        return rewrite_citations(text, show)

    monkeypatch.setattr("glossator.acp.updates.rewrite_citations", counting)
    text = TEXTS[name]
    shown(text, 40)
    once, looked_at = looked_at, 0
    shown(text * 4, 40)
    assert looked_at < 5 * once
