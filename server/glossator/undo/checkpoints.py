"""Checkpoints: what each turn found in the files it changed, so that it can be taken back.

A tool that changes files calls `before` and `after`; a command runs inside `around`, which compares
all listed files. What the user types or saves meanwhile is not the turn's. An undo is a turn with a
checkpoint of its own, and can be undone; it overwrites no later change unless it is asked to.
"""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncIterator,
    Callable,
    Collection,
    Coroutine,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from glossator.core.errors import StoreUnavailable, UsageError
from glossator.core.events import UndoneTurn
from glossator.core.line_diff import changed_blocks, lines_with_ends
from glossator.core.run_events import FileChange
from glossator.store import Objects
from glossator.undo.baseline import BaselineCoverage, BaselineLimits
from glossator.undo.checkpoint_log import (
    CheckpointStore,
    FileStateReader,
)
from glossator.undo.command_changes import Commands, Listed, Rests, claimed_elsewhere
from glossator.undo.file_states import (
    Content,
    DiskFiles,
    FileState,
    FoundState,
    NoFile,
    RestorableFiles,
    Stored,
    same,
)
from glossator.undo.plans import (
    Plan,
    Problem,
    TurnChanges,
    UnseenUndos,
    led_to,
    listed_turns,
    undo_of,
    undoable_turns,
    undone_turns,
    unkept,
)
from glossator.undo.taking_back import OnConflict, PreparedUndo, Undone, finish_undo, finished
from glossator.undo.turn_log import Note, NoteStore, Turn, TurnLog

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
    """The changes, in the order of the paths. Raises `StoreUnavailable`."""
    plan = Plan.of([turn])
    before = await _texts_before(plan, looking, paths)
    look = looking.files.now()

    def delta(path: str, old: str | None) -> FileDelta:
        at = look(path, looking.limit)
        new = _text(looking, path, at.data) if isinstance(at, Content) else _no_text(at)
        return FileDelta(path, _change(plan.target[path], plan.expected[path]), old, new)

    return await asyncio.to_thread(lambda: tuple(delta(*each) for each in before.items()))


async def _texts_before(
    plan: Plan, looking: FileStateReader, paths: Iterable[str]
) -> dict[str, str | None]:
    """What files held before; None where that is not known, "" for no file."""
    found = {path: plan.target[path] for path in paths if path in plan.target}

    def kept(objects: Objects) -> dict[str, bytes | None]:
        names = {state.object for state in found.values() if isinstance(state, Stored)}
        return {name: objects.get(name) for name in names}

    data = await looking.store.run(kept)

    def text(path: str, state: FileState) -> str | None:
        if isinstance(state, Stored):
            return _text(looking, path, data[state.object])
        return _no_text(state)

    return await asyncio.to_thread(lambda: {path: text(path, found[path]) for path in found})


def _text(looking: FileStateReader, path: str, data: bytes | None) -> str | None:
    decoded = None if data is None else looking.disk.decoded(path, data)
    return None if decoded is None else decoded[0]


def _change(found: FileState, left: FileState) -> FileChange:
    if isinstance(found, NoFile):
        return FileChange.CREATED
    return FileChange.DELETED if isinstance(left, NoFile) else FileChange.CHANGED


def _no_text(state: FileState | FoundState) -> str | None:
    return "" if isinstance(state, NoFile) else None


T = TypeVar("T")

_NONE_CHANGED = "No turn of this session has changed a file; there is nothing to undo."
_ALL_UNDONE = (
    "Every turn that changed a file is undone; there is nothing to undo. Name an undo to take it"
    " back; the list of turns has them."
)
_NONE_UNDONE = "No turn of this session is undone; there is nothing to redo."
_NOT_UNDONE = "The turn {!r} is not undone, so there is nothing to redo; list the turns."


class Checkpoints:
    """The checkpoints of one session. Methods raise `StoreUnavailable`.

    Paths are absolute and real. Callers name the turns; they are kept in order.
    """

    def __init__(
        self,
        store: CheckpointStore,
        notes: NoteStore,
        files: RestorableFiles,
        disk: DiskFiles,
        tell: Callable[[str], None],
        limits: BaselineLimits | None = None,
        show_undone: Callable[[tuple[UndoneTurn, ...]], None] = lambda _: None,
    ) -> None:
        """`files` are as the user sees them; commands see `disk`. `tell` gets failures.

        After each undo, which turns are undone is shown.
        """
        limits = limits or BaselineLimits()
        self._tell = tell
        self._show_undone = show_undone
        self._looking = FileStateReader(store, files, disk, limits.file_bytes)
        self._settling: set[asyncio.Task[Any]] = set()
        self.changes = 0  # how often an edit or a command has changed files
        self._log = TurnLog(notes)
        self._turns = self._log.turns
        self._commands = Commands(self._looking, self._log, limits)
        self._cut_off = [turn for turn in self._turns.values() if turn.is_cut_off]
        self._taking_up = asyncio.Lock()

    @property
    def turns(self) -> tuple[TurnChanges, ...]:
        """The turns that changed something, oldest first."""
        return tuple(turn for turn in listed_turns([*self._turns.values()]) if turn.paths)

    @property
    def undoable(self) -> tuple[TurnChanges, ...]:
        """The turns that can have changed something and were not undone, oldest first."""
        names = set(undoable_turns(self._turns.values()))
        return tuple(turn for turn in listed_turns([*self._turns.values()]) if turn.turn in names)

    @property
    def undone(self) -> tuple[UndoneTurn, ...]:
        """The turns that are undone now, oldest first; undos are not among them."""
        return undone_turns(self._turns.values())

    @property
    def is_settling(self) -> bool:
        """Whether work outlives its caller."""
        return bool(self._settling)

    async def before(self, turn: str, paths: Iterable[str]) -> tuple[Problem, ...]:
        """Keep files that are about to be changed; gives those that cannot be kept."""
        wanted = tuple(paths)
        await self._commands.look(turn, wanted)
        now = await self._looking.kept(wanted)
        known = self._turns.get(turn, Turn(turn))
        mixed = tuple(p for p in now if p in known.left and not same(known.left[p], now[p]))
        fresh = {path: state for path, state in now.items() if path not in known.found}
        if fresh or mixed:
            self._log.announce(Note(turn, found=fresh, mixed=mixed))
        return unkept(fresh)

    async def after(
        self, turn: str, changed: Mapping[str, str | None], untouched: Iterable[str] = ()
    ) -> None:
        """Note that files were changed to a text, or (None) to their current content.

        The `untouched` were not changed after all.
        """
        left = await self._looking.left(changed)
        self.changes += bool(left)
        self._log.note(Note(turn, left=left, untouched=tuple(untouched)))

    @property
    def unseen_undos(self) -> UnseenUndos:
        """What undos have changed that the model does not know yet."""
        return UnseenUndos.of(self._log.unseen_undos, self._turns.values())

    def mark_undos_seen(self) -> None:
        """The model knows all undos now."""
        self._log.mark_undos_seen()

    @asynccontextmanager
    async def around(
        self, turn: str, listed: Listed, rests: Rests | None = None
    ) -> AsyncIterator[BaselineCoverage]:
        """A command runs in the block; what it changes in the files that are `listed` is kept.

        `listed` gives the paths of the workspace's files as they are at that moment. Commands that
        overlap share what was kept for the first. What the user saves meanwhile is the user's, what
        other sessions change is theirs; so is what changes while the command `rests`.
        What continues after the block is not covered.
        """
        baseline = await self._commands.begin(turn, listed, rests)
        try:
            yield baseline.coverage
        finally:
            settling = self._begun(self._settle(turn, listed))
            await asyncio.wait({settling})
        settling.result()

    @property
    def were_cut_off(self) -> bool:
        """Whether an earlier server left something unfinished."""
        return bool(self._cut_off)

    async def take_up(self, listed: Listed) -> AsyncIterator[tuple[Undone, int]]:
        """Finish what an earlier server was cut off in: undos, and looking at what commands did.

        Gives what each undo did in all, and how many files it left. `listed` as of `around`.
        """
        async with self._taking_up:
            while self._cut_off:
                turn = self._cut_off[0]
                if turn.planned:
                    finishing = self._begun(finish_undo(turn, self._log, self._looking))
                    yield await asyncio.shield(finishing)
                    self._show_undone(self.undone)
                else:
                    await self._commands.take_up(turn, listed)
                self._cut_off.remove(turn)

    def job_began(self, turn: str, name: str, command: str) -> None:
        """Note that a job began; until it ends, the turn may change more files."""
        self._log.announce(Note(turn, jobs={name: command}))

    def job_ended(self, turn: str, name: str) -> None:
        """A job ended inside `around`."""
        self._log.note(Note(turn, ended=(name,)))

    async def own(self, paths: Iterable[str], undo: str | None = None) -> dict[str, FileState]:
        """What the editor shows, kept, where only our turns made that out of what is on disk.

        With `undo`, only that turn and those it took back.
        """
        shown = await self._looking.kept(tuple(paths))
        on_disk = await self._looking.on_disk(shown)
        turns = tuple(
            turn
            for turn in self._turns.values()
            if undo is None or turn.id in (undo, *self._turns[undo].undoes)
        )
        return {
            path: shown[path] for path in shown if led_to(turns, path, on_disk[path], shown[path])
        }

    async def saved(self, turn: str, shown: Mapping[str, FileState]) -> None:
        """Note that the editor saved what it had shown, in the form that is on disk now."""
        left = await self._looking.kept(shown, on_disk=shown)
        self._log.note(Note(turn, found=dict(shown), left=left))

    async def undo_turn(
        self,
        turn: str | None = None,
        on_conflict: OnConflict = OnConflict.REFUSE,
        only: Collection[str] | None = None,
    ) -> Undone:
        """Take one turn back: the last undoable one, if none is named. Raises `UsageError`.

        Or `only` what it changed in the files at these paths. If none is named after an undo was
        cut off, it is that undo that was meant.
        """
        await self._settled()
        last = next(reversed(self._turns.values()), None)
        if turn is None and last is not None and last.resumed:
            self._log.note(Note(last.id, resumed=False))
            return finished(last)
        chosen = turn or next(undoable_turns(self._turns.values()), None)
        if chosen is None:
            raise UsageError(_ALL_UNDONE if self.turns else _NONE_CHANGED)
        return await self._take_back([self._known(chosen)], on_conflict, only)

    async def redo_turn(
        self, turn: str | None = None, on_conflict: OnConflict = OnConflict.REFUSE
    ) -> Undone:
        """Take back the undo of a turn, the last one if none is named. Raises `UsageError`."""
        await self._settled()
        undo = undo_of(self._turns.values(), turn)
        if undo is None:
            raise UsageError(_NOT_UNDONE.format(turn) if turn else _NONE_UNDONE)
        return await self._take_back([self._turns[undo]], on_conflict)

    async def restore_to(self, turn: str, on_conflict: OnConflict = OnConflict.REFUSE) -> Undone:
        """Bring back the state before a turn and all later ones. Raises `UsageError`."""
        await self._settled()
        turns = list(self._turns.values())
        return await self._take_back(turns[turns.index(self._known(turn)) :], on_conflict)

    def _known(self, turn: str) -> Turn:
        if turn not in self._turns:
            raise UsageError(f"There is no checkpoint of the turn {turn!r}; list the turns.")
        return self._turns[turn]

    async def deltas(self, turn: str, choose: Choose) -> tuple[FileDelta, ...]:
        """What a turn changed in those files that are chosen of all in a thread, in their order."""
        await self._settled()
        paths = [path for each in self.turns if each.turn == turn for path in each.paths]
        chosen = await asyncio.to_thread(choose, paths)
        return await deltas_of(self._turns.get(turn, Turn(turn)), self._looking, chosen)

    async def texts_before(self, turn: str | None, choose: Choose) -> Mapping[str, str]:
        """What the chosen files held before a turn, or before all; no files that were not there."""
        await self._settled()
        plan = Plan.of([each for each in self._turns.values() if turn in (None, each.id)])
        chosen = await asyncio.to_thread(choose, [*plan.target])
        texts = await _texts_before(plan, self._looking, chosen)
        return {path: text for path, text in texts.items() if text}

    async def _take_back(
        self, turns: Sequence[Turn], on_conflict: OnConflict, only: Collection[str] | None = None
    ) -> Undone:
        since = [since for turn in turns for since, _ in turn.spans.values()]
        others = await self._log.elsewhere(min(since)) if since else []
        doubtful = claimed_elsewhere(turns, others)
        decided = await PreparedUndo.of(turns, self._looking, on_conflict, only, doubtful)
        return await asyncio.shield(self._begun(self._carry_out(decided)))

    async def _carry_out(self, decided: PreparedUndo) -> Undone:
        undone = await decided.carry_out(self._log, self._looking)
        self._show_undone(self.undone)
        return undone

    def _begun(self, work: Coroutine[None, None, T]) -> asyncio.Task[T]:
        """A task that outlives its caller's cancellation."""
        task = asyncio.create_task(work)
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)
        return task

    async def _settled(self) -> None:
        if self._settling:
            await asyncio.wait(self._settling)

    async def _settle(self, turn: str, listed: Listed) -> None:
        """Note what changed while a command ran. The command is over, so nothing is raised."""
        try:
            self.changes += await self._commands.end(turn, listed)
        except StoreUnavailable as error:  # the turn counts as one whose command never ended
            self._tell(f"{error} What a command changed is not kept, so undo will not restore it.")
