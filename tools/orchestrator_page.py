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
    """The page with the table as a diagram and in words."""
    before, _, rest = page.partition(_BEGIN)
    made = (*_diagram(), "\n", *_table())
    return before + _BEGIN + "".join(made) + _END + rest.partition(_END)[2]


def _rows() -> Iterator[tuple[RunState, str, str, tuple[RunState, ...]]]:
    """State, signal, action and next states, but for what every state has in common."""
    for (state, signal), transition in TABLE.items():
        if transition.to is None:
            asking = (s for (s, _), each in TABLE.items() if each.to is state)
            yield state, signal, transition.action, tuple(dict.fromkeys(asking))
        elif transition.to not in (RunState.FAILED, RunState.CANCELLED):
            yield state, signal, transition.action, (transition.to,)


def _diagram() -> Iterator[str]:
    yield "```mermaid\nstateDiagram-v2\n    [*] --> IDLE\n    state Running {\n"
    for state, signal, _, to in _rows():
        for each in to:
            if each not in ENDS:
                yield f"        {state} --> {each}: {signal}\n"
    yield "    }\n"
    for state, signal, _, to in _rows():
        for each in to:
            if each in ENDS:
                yield f"    {state} --> {each}: {signal}\n"
    yield "    Running --> FAILED: failed\n    Running --> CANCELLED: cancelled\n```\n"


def _table() -> Iterator[str]:
    yield "| in the state | when | it does this | and is then in |\n|---|---|---|---|\n"
    for state, signal, action, to in _rows():
        yield f"| {state} | {signal} | {action} | {' or '.join(to)} |\n"
    yield "| every state before the end | failed | say why there is no answer | FAILED |\n"
    yield "| every state before the end | cancelled | stop what is at work | CANCELLED |\n"
    yield "\nIn one run:"
    bounds = (f" {signal} at most {_times(most)}" for signal, most in MOST.items())
    yield ",".join(bounds) + ".\n"


def _times(most: int) -> str:
    return "once" if most == 1 else f"{most} times"


if __name__ == "__main__":
    PAGE.write_text(with_diagram(PAGE.read_text("utf-8")), "utf-8")
