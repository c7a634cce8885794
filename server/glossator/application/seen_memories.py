"""The memories that a session keeps, and those that its conversation has seen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from glossator.core.context_kinds import ContextKind
from glossator.memory import Memories, Memory, SessionMemories
from glossator.permissions import Switches
from glossator.sessions import MEMORIES, Session

_QUESTION_CHARACTERS = 120


def turned_on(memories: tuple[Memory, ...], off: frozenset[str]) -> tuple[Memory, ...]:
    """The memories that the user did not turn off; `off` are paths."""
    return tuple(each for each in memories if str(each.path) not in off)


def session_memories(
    memories: Memories, session: Session, changed: Callable[[], object], switches: Switches
) -> SessionMemories:
    """What the Memory tool works on; `changed` is called when it kept or forgot something."""

    def is_off(memory: Memory) -> bool:
        return not turned_on((memory,), switches.off(ContextKind.MEMORY))

    def has_seen(memory: Memory) -> bool:
        return not unseen(session, (memory,))

    source, saw = partial(_source, session), partial(mark_seen, session)
    return SessionMemories(memories, source, saw, has_seen, changed, is_off)


def mark_seen(session: Session, memory: Memory) -> None:
    """Note that the conversation has seen the memory in its current form."""
    session.keep(MEMORIES, [str(memory.path), memory.version])


def unseen(session: Session, memories: tuple[Memory, ...]) -> tuple[Memory, ...]:
    """The memories not seen in their current form, or not since the last compaction."""
    seen: set[tuple[str, str]] = set()
    for entry in session.kept(MEMORIES):
        match entry:
            case [str(path), str(version)]:
                seen.add((path, version))
            case _:  # what was seen before is not in the conversation any more
                seen.clear()
    return tuple(each for each in memories if (str(each.path), each.version) not in seen)


def _source(session: Session) -> str:
    """`session 4f2a: How do we test?`."""
    asked = session.asked
    question = " ".join(asked[-1].question.split()) if asked else ""
    if len(question) > _QUESTION_CHARACTERS:
        question = f"{question[: _QUESTION_CHARACTERS - 1]}…"
    return f"session {session.id}: {question}" if question else f"session {session.id}"
