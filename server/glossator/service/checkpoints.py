"""Checkpoints: what each turn found in the files it changed, so that it can be taken back.

A tool that changes files tells of them `before` and `after`; a command runs inside `around`, which
looks at every listed file (see `baseline.py` for what that covers). Taking back is a turn of its
own, with its own checkpoint, and can be taken back as well. It never overwrites what somebody else
has changed since, unless told to.

The bytes lie in `Objects`; what belongs to which turn is kept with the session.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Any, Protocol

from glossator.core.errors import UsageError
from glossator.service.baseline import Baseline, Baselines, Coverage, Limits, described, same
from glossator.service.checkpoint_log import (
    Note,
    State,
    Turn,
    note_to_json,
    notes_from_json,
    take_note,
)
from glossator.service.checkpoint_store import CheckpointStore
from glossator.service.file_states import Content, DiskFiles, Files
from glossator.service.undo_plan import Plan, Problem, led_to, restorations, unkept
from glossator.service.undo_plan import conflicts as find_conflicts
from glossator.store.objects import Objects

NAME = "checkpoints"  # under which a session keeps the notes


class Keeper(Protocol):
    """Where notes are kept: a session."""

    def keep(self, name: str, value: Any) -> None:  # noqa: ANN401 - whatever JSON can carry
        """Keep a value under a name."""

    def kept(self, name: str) -> list[Any]:
        """All that was kept under a name, oldest first."""


class OnConflict(Enum):
    """What to do about files that somebody else has changed since."""

    REFUSE = auto()  # change nothing at all, and list them
    LEAVE = auto()  # bring back the others
    OVERWRITE = auto()  # bring them back, too; the undo can be undone


@dataclass(frozen=True, slots=True)
class Undone:
    """What was brought back.

    `turn` is the checkpoint of the undo itself, None if nothing was changed. `conflicts` were
    changed by somebody else, `failed` could not be brought back. With `incomplete`, a command was
    running when the server was ended, or one of the `jobs` when its turn was; what they changed
    then is not known.
    """

    turn: str | None
    restored: tuple[str, ...]
    conflicts: tuple[Problem, ...] = ()
    failed: tuple[Problem, ...] = ()
    incomplete: bool = False
    jobs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnChanges:
    """A turn that changed files, for lists; `undoes` are the turns it took back."""

    turn: str
    paths: tuple[str, ...]
    undoes: tuple[str, ...]


class Checkpoints:
    """The checkpoints of one session. Methods raise `StoreUnavailable`.

    Paths are absolute and real. Turns are named by whoever runs them, and kept in their order.
    """

    def __init__(
        self,
        store: CheckpointStore,
        keeper: Keeper,
        files: Files,
        disk: DiskFiles,
        limits: Limits | None = None,
    ) -> None:
        """`files` are as the user sees them; commands see `disk`."""
        self._store = store
        self._keeper = keeper
        self._files = files
        self._disk = disk
        self._limits = limits or Limits()
        self._baselines: Baselines | None = None
        self._running: tuple[Baseline, int] | None = None  # and how many commands share it
        self._taking = asyncio.Lock()
        self._settling: set[asyncio.Task[None]] = set()
        self._turns: dict[str, Turn] = {}
        for note in notes_from_json(keeper.kept(NAME)):
            take_note(self._turns, note)

    @property
    def turns(self) -> tuple[TurnChanges, ...]:
        """The turns that changed something, oldest first."""
        return tuple(
            TurnChanges(turn.id, paths, turn.undoes)
            for turn in self._turns.values()
            if (paths := tuple(sorted(Plan.of([turn]).target)))
        )

    async def before(self, turn: str, paths: Iterable[str]) -> tuple[Problem, ...]:
        """Keep files that are about to be changed; gives those that cannot be kept."""
        chosen = tuple(paths)
        now = await self._store.run(partial(self._keep, chosen))
        known = self._turns.get(turn, Turn(turn))
        mixed = tuple(p for p in chosen if p in known.left and not same(known.left[p], now[p]))
        fresh = {path: state for path, state in now.items() if path not in known.found}
        if fresh or mixed:
            self._note(Note(turn, found=fresh, mixed=mixed))
        return unkept(now)

    async def after(self, turn: str, paths: Iterable[str]) -> None:
        """Files were changed, or not after all: what they are now is what the turn left."""
        look = partial(self._look, tuple(paths))
        self._note(Note(turn, left=await asyncio.to_thread(look)))

    @asynccontextmanager
    async def around(
        self, turn: str, listed: Callable[[], Awaitable[Iterable[str]]]
    ) -> AsyncIterator[Coverage]:
        """A command runs in the block; what it changes in the files that are `listed` is kept.

        `listed` gives the paths of the workspace's files as they are at that moment. Commands that
        overlap share what was kept for the first. What goes on after the block is not covered.
        """
        mixed: tuple[str, ...] = ()
        async with self._taking:
            if self._running is None:
                paths = list(await listed())
                self._running = (await self._store.run(partial(self._take, paths)), 0)
                mixed = await asyncio.to_thread(self._changed_since, turn, self._running[0])
            baseline, sharing = self._running
            self._running = (baseline, sharing + 1)
        self._note(Note(turn, mixed=mixed, running=True))
        try:
            yield baseline.coverage
        finally:
            settling = asyncio.create_task(self._settle(turn, baseline, listed))
            self._settling.add(settling)
            settling.add_done_callback(self._settling.discard)
            await asyncio.shield(settling)

    def job_began(self, turn: str, name: str, command: str) -> None:
        """Until it has ended, nobody knows all that the turn changes."""
        self._note(Note(turn, jobs={name: command}))

    def job_ended(self, turn: str, name: str) -> None:
        """A job ended inside `around`."""
        self._note(Note(turn, ended=(name,)))

    async def own(self, paths: Iterable[str]) -> dict[str, State]:
        """What the editor shows, kept, where only our turns made that out of what is on disk."""
        shown = await self._store.run(partial(self._keep, tuple(paths)))
        on_disk = await asyncio.to_thread(self._look_on_disk, tuple(paths))
        turns = tuple(self._turns.values())
        return {
            path: shown[path] for path in shown if led_to(turns, path, on_disk[path], shown[path])
        }

    async def saved(self, turn: str, shown: Mapping[str, State]) -> None:
        """The editor saved what it had shown, as it is on disk now: editors format."""
        left = await asyncio.to_thread(self._look_on_disk, tuple(shown))
        self._note(Note(turn, found=dict(shown), left=left))

    async def undo_turn(
        self, turn: str | None = None, on_conflict: OnConflict = OnConflict.REFUSE
    ) -> Undone:
        """Take one turn back: the last that stands, if none is named. Raises `UsageError`."""
        chosen = turn or self._last_standing()
        if chosen not in self._turns:
            raise UsageError(f"There is no checkpoint of the turn {chosen!r}; list the turns.")
        return await self._take_back([self._turns[chosen]], on_conflict)

    async def restore_to(self, turn: str, on_conflict: OnConflict = OnConflict.REFUSE) -> Undone:
        """Bring back what was before a turn, whatever came after it. Raises `UsageError`."""
        order = list(self._turns)
        if turn not in self._turns:
            raise UsageError(f"There is no checkpoint of the turn {turn!r}; list the turns.")
        later = [self._turns[name] for name in order[order.index(turn) :]]
        return await self._take_back(later, on_conflict)

    async def _take_back(self, turns: Sequence[Turn], on_conflict: OnConflict) -> Undone:
        await self._settled()
        plan = Plan.of(turns)
        now = await asyncio.to_thread(self._look, tuple(plan.target))
        conflicts = tuple(find_conflicts(plan, now))
        jobs = tuple(command for turn in turns for command in turn.jobs.values())
        incomplete = bool(jobs) or any(turn.running for turn in turns)
        if conflicts and on_conflict is OnConflict.REFUSE:
            return Undone(None, (), conflicts, incomplete=incomplete, jobs=jobs)
        left_alone = {problem.path for problem in conflicts}
        if on_conflict is OnConflict.OVERWRITE:
            left_alone = set()
        wanted = {
            path: state
            for path, state in plan.target.items()
            if path not in left_alone and not same(state, now[path])
        }
        steps, failed = await self._store.run(partial(restorations, wanted))
        undo = f"undo-{len(self._turns) + 1}"
        paths = [step.path for step in steps]
        failed |= {problem.path: problem.reason for problem in await self.before(undo, paths)}
        steps = [step for step in steps if step.path not in failed]
        failed |= await self._files.restore(steps)
        await self.after(undo, paths)
        self._note(Note(undo, undoes=tuple(turn.id for turn in turns)))
        restored = tuple(step.path for step in steps if step.path not in failed)
        return Undone(
            undo if restored else None,
            restored,
            conflicts,
            tuple(Problem(path, reason) for path, reason in failed.items()),
            incomplete,
            jobs,
        )

    def _last_standing(self) -> str | None:
        standing: list[str] = []
        undone: set[str] = set()
        for turn in reversed(self._turns.values()):  # an undo that was undone counts for nothing
            if turn.id in undone:
                continue
            undone.update(turn.undoes)
            if not turn.undoes and (Plan.of([turn]).target or turn.running or turn.jobs):
                standing.append(turn.id)
        if not standing:
            raise UsageError(
                "No turn of this session has changed a file; there is nothing to undo."
            )
        return standing[0]

    async def _settled(self) -> None:
        if self._settling:
            await asyncio.wait(self._settling)

    async def _settle(
        self,
        turn: str,
        baseline: Baseline,
        listed: Callable[[], Awaitable[Iterable[str]]],
    ) -> None:
        """Note what changed while a command ran; what the user changed then counts as its doing."""
        if self._running is not None:
            sharing = self._running[1] - 1
            self._running = (baseline, sharing) if sharing else None
        paths = list(await listed())
        found, left = await self._store.run(partial(self._changes, baseline, paths))
        self._note(Note(turn, found, left, running=False))

    def _changed_since(self, turn: str, baseline: Baseline) -> tuple[str, ...]:
        """The files that are no longer as the turn has left them so far, on disk or unsaved."""
        left = self._turns[turn].left if turn in self._turns else {}
        changed = {
            path: state
            for path, state in left.items()
            if path in baseline.states and not same(state, baseline.states[path])
        }
        now = self._look(tuple(changed))
        return tuple(path for path, state in changed.items() if not same(state, now[path]))

    def _take(self, paths: list[str], objects: Objects) -> Baseline:
        return self._of(objects).take(paths)

    def _changes(
        self, baseline: Baseline, paths: list[str], objects: Objects
    ) -> tuple[dict[str, State], dict[str, State]]:
        return self._of(objects).changes(baseline, paths)

    def _of(self, objects: Objects) -> Baselines:
        if self._baselines is None:
            self._baselines = Baselines(objects, self._disk, self._limits)
        return self._baselines

    def _keep(self, paths: tuple[str, ...], objects: Objects) -> dict[str, State]:
        found = {path: self._files.look(path, self._limits.file_bytes) for path in paths}
        objects.put([item.data for item in found.values() if isinstance(item, Content)])
        return {path: described(item) for path, item in found.items()}

    def _look(self, paths: tuple[str, ...]) -> dict[str, State]:
        limit = self._limits.file_bytes
        return {path: described(self._files.look(path, limit)) for path in paths}

    def _look_on_disk(self, paths: tuple[str, ...]) -> dict[str, State]:
        limit = self._limits.file_bytes
        return {path: described(self._disk.look(path, limit)) for path in paths}

    def _note(self, note: Note) -> None:
        take_note(self._turns, note)
        self._keeper.keep(NAME, note_to_json(note))
