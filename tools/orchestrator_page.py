"""The diagram of docs/orchestrator.md, from the table: `python -m tools.orchestrator_page`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from glossator.core.run_events import RunState
from glossator.turn.orchestrator import ENDS, MOST, TABLE

PAGE = Path(__file__).parents[1] / "docs" / "orchestrator.md"
_BEGIN = "<!-- made by tools/orchestrator_page.py -->\n"
_END = "<!-- end -->\n"


def with_diagram(page: str) -> str:
    """The page with the table as a diagram, and how often a signal may come."""
    before, _, rest = page.partition(_BEGIN)
    return before + _BEGIN + "".join(_diagram()) + _bounds() + _END + rest.partition(_END)[2]


def _transitions() -> Iterator[tuple[RunState, RunState, str]]:
    """From, to and signal of each, but for what every state has in common."""
    for (state, signal), transition in TABLE.items():
        if transition.to is None:  # back to where the question came up
            asking = (s for (s, _), each in TABLE.items() if each.to is state)
            yield from ((state, each, signal) for each in dict.fromkeys(asking))
        elif transition.to not in (RunState.FAILED, RunState.CANCELLED):
            yield state, transition.to, signal


def _diagram() -> Iterator[str]:
    yield "```mermaid\nstateDiagram-v2\n    [*] --> IDLE\n    state Running {\n"
    inside = [each for each in _transitions() if each[1] not in ENDS]
    yield from (f"        {state} --> {to}: {signal}\n" for state, to, signal in inside)
    yield "    }\n"
    ending = [each for each in _transitions() if each[1] in ENDS]
    yield from (f"    {state} --> {to}: {signal}\n" for state, to, signal in ending)
    yield "    Running --> FAILED: failed\n    Running --> CANCELLED: cancelled\n```\n\n"


def _bounds() -> str:
    bounds = (f" {signal} at most {_times(most)}" for signal, most in MOST.items())
    return f"In one run:{','.join(bounds)}.\n"


def _times(most: int) -> str:
    return "once" if most == 1 else f"{most} times"


if __name__ == "__main__":
    PAGE.write_text(with_diagram(PAGE.read_text("utf-8")), "utf-8")
