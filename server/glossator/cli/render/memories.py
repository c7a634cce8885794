"""How answers about memories are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from glossator.cli.messages import NO_MEMORY
from glossator.cli.render import Column, Exact, Part, Styled, Table, line, listed
from glossator.core.shown import shown
from glossator.memory import ForgottenMemory, MemoryList, MemoryText, MemoryView, OpenedMemory

_STATES = {"on": "green", "off": "dim", "stale": "yellow"}
_SOURCES = {"user": "everywhere", "project": "this workspace"}


def memory_parts(answer: object) -> Iterator[Part]:
    """The parts of an answer about memories."""
    match answer:
        case MemoryList(memories=memories, problems=problems):
            yield listed(_table(memories), NO_MEMORY)
            for problem in problems:
                yield line(problem, "yellow", aside=True)
        case MemoryText(memory=memory, text=text):
            about = f"{memory.name} ({memory.type}, {_SOURCES[memory.source]}; {_from(memory)})"
            yield line(about, "dim", aside=True)
            yield Exact(f"{memory.description}\n\n{text}\n")
        case OpenedMemory(path=path):
            yield line(shown(path))
        case ForgottenMemory(name=name, left=left):
            yield line(f"Forgot {name}; memories that are left here: {left:,}.", aside=True)


def _table(memories: Sequence[MemoryView]) -> Table:
    """A row for each memory."""
    columns = (
        Column(whole=True),
        Column(style="bold", whole=True),
        Column(whole=True),
        Column("about"),
        Column("from", "dim"),
    )
    rows = (
        (
            Styled(each.state, _STATES[each.state]),
            each.name,
            f"{each.type}, {_SOURCES[each.source]}",
            shown(each.description),
            _from(each),
        )
        for each in memories
    )
    return Table(columns, tuple(rows))


def _from(memory: MemoryView) -> str:
    """Where it is from, and why it does not count as it stands."""
    return "; ".join(filter(None, (memory.origin, memory.why)))
