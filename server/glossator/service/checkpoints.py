"""Checkpoints: what each turn found in the files it changed, so that it can be taken back.

A tool that changes files tells of them `before` and `after`; a command runs inside `around`, which
looks at every listed file (see `baseline.py` for what that covers). What the user types or saves
meanwhile is not the turn's doing. Taking back is a turn of its own, with its own checkpoint, and
can be taken back as well. It never overwrites what somebody else has changed since, unless told to.

The bytes lie in `Objects`; what belongs to which turn is kept with the session.
"""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial
from typing import Any, TypeVar

from glossator.core.document import text_hash
from glossator.core.encoding import decode
from glossator.core.errors import StoreUnavailable, UsageError
from glossator.service.baseline import Baseline, Baselines, Coverage, Limits
from glossator.service.checkpoint_log import Keeper, Note, Turn, TurnLog
from glossator.service.checkpoint_store import CheckpointStore
from glossator.service.file_states import (
    Content,
    DiskFiles,
    Files,
    State,
    described,
    holding,
    same,
)
from glossator.service.undo_plan import Plan, Problem, restorations, unkept
from glossator.service.undo_plan import conflicts as find_conflicts
from glossator.store.objects import Objects

T = TypeVar("T")

_MEANWHILE = "was changed by somebody else just now"

Listed = Callable[[], Awaitable[Iterable[str]]]


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
    running when the server was ended, or what it changed could not be kept: it is not known.
    """

    turn: str | None
    restored: tuple[str, ...]
    conflicts: tuple[Problem, ...] = ()
    failed: tuple[Problem, ...] = ()
    incomplete: bool = False


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
        tell: Callable[[str], None],
        limits: Limits | None = None,
    ) -> None:
        """`files` are as the user sees them; commands see `disk`. The user is told of failures."""
        self._store = store
        self._files = files
        self._disk = disk
        self._tell = tell
        self._limits = limits or Limits()
        self._baselines: Baselines | None = None
        self._running: tuple[Baseline, int] | None = None  # and how many commands share it
        self._taking = asyncio.Lock()
        self._settling: set[asyncio.Task[Any]] = set()
        self._log = TurnLog(keeper)
        self._turns = self._log.turns

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
        now = await self._store.run(partial(self._keep, tuple(paths)))
        known = self._turns.get(turn, Turn(turn))
        mixed = tuple(p for p in now if p in known.left and not same(known.left[p], now[p]))
        fresh = {path: state for path, state in now.items() if path not in known.found}
        if fresh or mixed:
            self._log.announce(Note(turn, found=fresh, mixed=mixed))
        return unkept(fresh)

    async def after(
        self, turn: str, changed: Mapping[str, str | None], untouched: Iterable[str] = ()
    ) -> None:
        """Files were changed to a text, whatever came of it since, or (None) to what is there now.

        The `untouched` were not changed after all.
        """
        left = await asyncio.to_thread(self._left, changed)
        self._log.note(Note(turn, left=left, untouched=tuple(untouched)))

    @property
    def untold(self) -> dict[str, State]:
        """What undos have changed that the model was not told of, and what they left."""
        plan = Plan.of([turn for turn in self._turns.values() if turn.undoes and not turn.told])
        left = {path: plan.expected[path] for path in plan.target}
        return {path: state for path, state in left.items() if not same(plan.target[path], state)}

    def told(self) -> None:
        """The model was told of all undos."""
        self._log.tell()

    @asynccontextmanager
    async def around(self, turn: str, listed: Listed) -> AsyncIterator[Coverage]:
        """A command runs in the block; what it changes in the files that are `listed` is kept.

        `listed` gives the paths of the workspace's files as they are at that moment. Commands that
        overlap share what was kept for the first. What the editor saves meanwhile is the user's.
        What goes on after the block, in the background, is not covered.
        """
        baseline = await self._begin(turn, listed)
        try:
            yield baseline.coverage
        finally:
            settling = self._begun(self._settle(turn, baseline, listed))
            await asyncio.wait({settling})
        settling.result()

    async def undo_turn(
        self, turn: str | None = None, on_conflict: OnConflict = OnConflict.REFUSE
    ) -> Undone:
        """Take one turn back: the last that stands, if none is named. Raises `UsageError`."""
        await self._settled()
        chosen = turn or self._last_standing()
        if chosen not in self._turns:
            raise UsageError(f"There is no checkpoint of the turn {chosen!r}; list the turns.")
        return await self._take_back([self._turns[chosen]], on_conflict)

    async def restore_to(self, turn: str, on_conflict: OnConflict = OnConflict.REFUSE) -> Undone:
        """Bring back what was before a turn, whatever came after it. Raises `UsageError`."""
        await self._settled()
        order = list(self._turns)
        if turn not in self._turns:
            raise UsageError(f"There is no checkpoint of the turn {turn!r}; list the turns.")
        later = [self._turns[name] for name in order[order.index(turn) :]]
        return await self._take_back(later, on_conflict)

    async def _take_back(self, turns: Sequence[Turn], on_conflict: OnConflict) -> Undone:
        plan = Plan.of(turns)
        now = await asyncio.to_thread(self._look, tuple(plan.target))
        conflicts = tuple(find_conflicts(plan, now))
        incomplete = any(turn.running for turn in turns)
        if conflicts and on_conflict is OnConflict.REFUSE:
            return Undone(None, (), conflicts, incomplete=incomplete)
        left_alone = {problem.path for problem in conflicts}
        if on_conflict is OnConflict.OVERWRITE:
            left_alone = set()
        wanted = {
            path: state
            for path, state in plan.target.items()
            if path not in left_alone and not same(state, now[path])
        }
        bringing = self._begun(self._bring_back(wanted, now, turns))
        undone = await asyncio.shield(bringing)
        again = {problem.path for problem in undone.conflicts}
        before = tuple(problem for problem in conflicts if problem.path not in again)
        return replace(undone, conflicts=before + undone.conflicts, incomplete=incomplete)

    async def _bring_back(
        self, wanted: Mapping[str, State], now: Mapping[str, State], turns: Sequence[Turn]
    ) -> Undone:
        steps, failed = await self._store.run(partial(restorations, wanted, now))
        undo = f"undo-{len(self._turns) + 1}"
        paths = [step.path for step in steps]
        failed |= {problem.path: problem.reason for problem in await self.before(undo, paths)}
        steps = [step for step in steps if step.path not in failed]
        done = await self._files.restore(steps, self._limits.file_bytes)
        untouched = tuple(path for path in paths if path not in done.left)
        undoes = tuple(turn.id for turn in turns) if done.left or not wanted else ()
        self._log.note(Note(undo, left=done.left, untouched=untouched, undoes=undoes))
        failed |= done.failed
        return Undone(
            undo if done.left else None,
            tuple(done.left),
            tuple(Problem(path, _MEANWHILE) for path in done.changed),
            tuple(Problem(path, reason) for path, reason in failed.items()),
        )

    def _last_standing(self) -> str | None:
        standing: list[str] = []
        undone: set[str] = set()
        for turn in reversed(self._turns.values()):  # an undo that was undone counts for nothing
            if turn.id in undone:
                continue
            undone.update(turn.undoes)
            if not turn.undoes and (turn.found or turn.running):
                standing.append(turn.id)
        if not standing:
            raise UsageError(
                "No turn of this session has changed a file; there is nothing to undo."
            )
        return standing[0]

    def _begun(self, work: Coroutine[None, None, T]) -> asyncio.Task[T]:
        """A task for work that is carried out whoever is cancelled."""
        task = asyncio.create_task(work)
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)
        return task

    async def _settled(self) -> None:
        if self._settling:
            await asyncio.wait(self._settling)

    async def _begin(self, turn: str, listed: Listed) -> Baseline:
        """Count a command that is to run, if it can be kept what it will change."""
        mixed: tuple[str, ...] = ()
        async with self._taking:
            if self._running is None:
                paths = list(await listed())
                baseline, sharing = await self._store.run(partial(self._take, paths)), 0
                mixed = await asyncio.to_thread(self._changed_since, turn, baseline)
            else:
                baseline, sharing = self._running
            self._log.announce(Note(turn, mixed=mixed, running=True))
            self._running = (baseline, sharing + 1)
        return baseline

    async def _settle(self, turn: str, baseline: Baseline, listed: Listed) -> None:
        """Note what changed while a command ran. The command is over, so that nothing is raised."""
        if self._running is not None:
            sharing = self._running[1] - 1
            self._running = (baseline, sharing) if sharing else None
        try:
            paths = list(await listed())
            note = await self._store.run(partial(self._changes, turn, baseline, paths))
            self._log.note(note)
        except StoreUnavailable as error:  # the turn counts as one whose command never ended
            self._tell(f"{error} What a command changed is not kept, so undo will not restore it.")

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

    def _changes(self, turn: str, baseline: Baseline, paths: list[str], objects: Objects) -> Note:
        """What a command changed; what is as the editor saved it meanwhile is not its doing."""
        found, left = self._of(objects).changes(baseline, paths)
        mixed = []
        for path, state in tuple(left.items()):
            saved = self._files.saved(path, baseline.taken)
            if saved is None:
                continue
            if self._holds(path, state, saved):
                del found[path], left[path]
            else:
                mixed.append(path)
        return Note(turn, found, left, mixed=tuple(mixed), running=False)

    def _holds(self, path: str, state: State, sha256: str) -> bool:
        """Whether a file, known as `state`, holds the text of this hash."""
        found = self._disk.look(path, self._limits.file_bytes)
        decoded = decode(found.data) if isinstance(found, Content) else None
        text = None if decoded is None else text_hash(decoded[0])
        return text == sha256 and same(state, described(found))

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

    def _left(self, changed: Mapping[str, str | None]) -> dict[str, State]:
        limit = self._limits.file_bytes
        found = {
            path: self._files.look(path, limit)
            if text is None
            else holding(text, self._disk.look(path, limit), limit)
            for path, text in changed.items()
        }
        return {path: described(item) for path, item in found.items()}
