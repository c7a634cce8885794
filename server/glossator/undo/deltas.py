"""What a turn changed in each file: its text before, and now."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from glossator.core.line_diff import changed_blocks, lines_with_ends
from glossator.core.run_events import FileChange
from glossator.store import Objects
from glossator.undo.apply import Plan
from glossator.undo.checkpoint_log import FileStateReader
from glossator.undo.file_states import Content, FileState, FoundState, NoFile, Stored
from glossator.undo.turn_log import Turn

Choose = Callable[[Sequence[str]], Iterable[str]]  # of paths


@dataclass(frozen=True, slots=True)
class FileDelta:
    """A file, by its absolute path; a text is None where it is not known, "" for no file."""

    path: str
    change: FileChange
    before: str | None
    now: str | None

    @property
    def counts(self) -> tuple[int, int] | None:
        """How many lines were added and removed; None where a text is not known."""
        if self.before is None or self.now is None:
            return None
        old, new = lines_with_ends(self.before), lines_with_ends(self.now)
        blocks = changed_blocks(old, new)
        added = sum(block.new_end - block.new_start for block in blocks)
        return added, sum(block.old_end - block.old_start for block in blocks)


async def deltas_of(
    turn: Turn, looking: FileStateReader, paths: Iterable[str]
) -> tuple[FileDelta, ...]:
    """In the order of the paths. Raises `StoreUnavailable`."""
    plan = Plan.of([turn])
    found = {path: plan.target[path] for path in paths if path in plan.target}

    def kept(objects: Objects) -> dict[str, bytes | None]:
        names = {state.object for state in found.values() if isinstance(state, Stored)}
        return {name: objects.get(name) for name in names}

    before = await looking.store.run(kept)
    look = looking.files.now()
    now = await asyncio.to_thread(lambda: {path: look(path, looking.limit) for path in found})

    def text(path: str, data: bytes | None) -> str | None:
        decoded = None if data is None else looking.disk.decoded(path, data)
        return None if decoded is None else decoded[0]

    def delta(path: str, state: FileState) -> FileDelta:
        old = text(path, before[state.object]) if isinstance(state, Stored) else _no_text(state)
        at = now[path]
        new = text(path, at.data) if isinstance(at, Content) else _no_text(at)
        return FileDelta(path, _change(state, plan.expected[path]), old, new)

    return await asyncio.to_thread(lambda: tuple(delta(*each) for each in found.items()))


def _change(found: FileState, left: FileState) -> FileChange:
    if isinstance(found, NoFile):
        return FileChange.CREATED
    return FileChange.DELETED if isinstance(left, NoFile) else FileChange.CHANGED


def _no_text(state: FileState | FoundState) -> str | None:
    return "" if isinstance(state, NoFile) else None
