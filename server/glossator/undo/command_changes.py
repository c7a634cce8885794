"""What commands changed: the files of a workspace after them, compared with those before.

Commands of a session that overlap share what was kept for the first. That is an object of its own
while they run, so that the next server knows what they changed if this one is killed.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import partial

from glossator.core.atomic import FILE_TIME_LAG_NS
from glossator.core.errors import StoreUnavailable
from glossator.store import Objects
from glossator.undo.baseline import Baseline, BaselineLimits, Baselines, decoded, encoded
from glossator.undo.checkpoint_log import FileStateReader
from glossator.undo.file_states import FileState, NoFile, same
from glossator.undo.turn_log import Note, Turn, TurnLog

Rests = Callable[[str, int], bool]  # whether a command rested when a path changed (ns since 1970)


class _Whose(Enum):
    COMMAND = auto()
    OTHERS = auto()
    BOTH = auto()  # one after the other
    UNKNOWN = auto()


def told_apart(
    note: Note,
    others: Sequence[Note],
    rests: Iterable[Rests],
    renamed: Mapping[str, str],
    lived: int | None = None,
) -> Note:
    """What commands changed, without what others did meanwhile; blocking.

    `others` are the notes of other sessions since the commands began, in their order. Each command
    has its `rests`. `renamed` has the new paths of renamed files. After `lived` (ns since 1970) no
    server watched them.
    """
    checks = tuple(rests)

    def whose(path: str) -> _Whose:
        at = _changed_at(path, note.since)
        found = _by_others(note, path, others, at)
        if found is not _Whose.COMMAND:
            return found
        if at is None and path in renamed:
            at = _changed_at(renamed[path], note.since)
        times = {path: at}
        if is_latest := at is None:  # it went, or came with its folder, at that time or before
            folder = _folder_of(path, note.found[path])
            at = _changed_at(folder, note.since - FILE_TIME_LAG_NS)
            times = {folder: at, path: 0}  # of the path only whether the server itself made it
        if at is None:
            return _Whose.COMMAND
        if checks and all(
            check(name, time or 0) for check in checks for name, time in times.items()
        ):
            return _Whose.UNKNOWN if is_latest else _Whose.OTHERS
        return _Whose.UNKNOWN if lived is not None and at > lived else _Whose.COMMAND

    verdicts = {path: whose(path) for path in note.left}
    kept = {path for path, each in verdicts.items() if each is not _Whose.OTHERS}
    return replace(
        note,
        found={path: state for path, state in note.found.items() if path in kept},
        left={path: state for path, state in note.left.items() if path in kept},
        mixed=(*note.mixed, *(path for path in verdicts if verdicts[path] is _Whose.BOTH)),
        doubtful=tuple(path for path in verdicts if verdicts[path] is _Whose.UNKNOWN),
    )


def claimed_elsewhere(turns: Iterable[Turn], others: Sequence[Note]) -> set[str]:
    """The paths that both these turns' commands and others at the same time left as they are."""
    return {
        path
        for turn in turns
        for path, (since, at) in turn.spans.items()
        for each in others
        if path in each.left and 0 < each.since <= at and since <= each.at
        if same(each.left[path], turn.left[path])
    }


def _by_others(note: Note, path: str, others: Sequence[Note], at: int | None) -> _Whose:
    edits = [each for each in others if not each.since]
    whose = _edited(note.found[path], note.left[path], path, edits)
    if whose is not _Whose.COMMAND:
        return whose
    for each in others:
        if each.since and path in each.left:
            if not same(each.left[path], note.left[path]):
                return _Whose.BOTH
            if at is None or (each.since <= at + FILE_TIME_LAG_NS and at <= each.at):
                return _Whose.UNKNOWN
    return _Whose.COMMAND


def _edited(before: FileState, now: FileState, path: str, edits: Sequence[Note]) -> _Whose:
    """Whose work the state `now` of a path is, if others edited files."""
    first = [each.found[path] for each in edits if path in each.found]
    last = None
    is_open = False  # somebody is at it, or was when they ended
    for each in edits:
        is_open |= path in each.found
        if path in each.left or path in each.untouched:
            is_open = False
            last = each.left.get(path, last)
    if last is None:
        return _Whose.BOTH if is_open else _Whose.COMMAND
    only = not is_open and same(last, now) and (not first or same(first[0], before))
    return _Whose.OTHERS if only else _Whose.BOTH


def _changed_at(path: str, since: int) -> int | None:
    """When what is at a path was last changed (ns since 1970); None if it was not, or is gone."""
    try:
        at = os.lstat(path).st_ctime_ns
    except OSError:
        return None
    return None if at < since else at


def _folder_of(path: str, found: FileState) -> str:
    """The folder from which a path disappeared, or in which the folder above it appeared."""
    if isinstance(found, NoFile):
        return os.path.dirname(found.folder or path)
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return folder


Listed = Callable[[], Awaitable[Iterable[str]]]

_HEARTBEAT_SECONDS = 1.0  # between two signs of life while commands run
_HEARTBEAT_LATE_NS = 1_300_000_000  # the next sign comes by then, late or not


@dataclass(slots=True)
class _Running:
    """Commands that share a baseline, which is the object `name`."""

    baseline: Baseline
    name: str
    count: int = 0
    rests: list[Rests] = field(default_factory=list)  # also of those that are over
    beating: asyncio.Task[None] | None = None


class Commands:
    """The commands of one session. Methods raise `StoreUnavailable`."""

    def __init__(self, looking: FileStateReader, log: TurnLog, limits: BaselineLimits) -> None:
        self._looking = looking
        self._log = log
        self._limits = limits
        self._baselines: Baselines | None = None
        self._running: _Running | None = None
        self._taking = asyncio.Lock()

    async def begin(self, turn: str, listed: Listed, rests: Rests | None) -> Baseline:
        """Count a command that is about to run, if what it will change can be kept."""
        mixed: tuple[str, ...] = ()
        async with self._taking:
            running = self._running
            if running is None:
                paths = list(await listed())
                running = await self._looking.store.run(partial(self._take, paths))
                mixed = await self._changed_since(turn, running.baseline)
            self._log.announce(Note(turn, mixed=mixed, running=True, baseline=running.name))
            running.count += 1
            running.rests.append(rests or _never)
            if running.beating is None:
                running.beating = asyncio.create_task(self._beat())
            self._running = running
        return running.baseline

    async def end(self, turn: str, listed: Listed) -> bool:
        """Note what changed while a command ran; whether anything did."""
        running = self._running
        assert running is not None  # noqa: S101 - it began
        running.count -= 1
        if not running.count:
            self._running = None
            if running.beating is not None:
                running.beating.cancel()
        note = await self._changes(turn, running, await listed())
        self._log.note(replace(note, running=False))
        if not running.count:
            with suppress(StoreUnavailable):  # it goes when there is no room
                await self._looking.store.run(lambda objects: objects.drop([running.name]))
        return bool(note.left)

    async def look(self, turn: str, paths: Iterable[str]) -> None:
        """Note what commands that still run have changed, at these paths too."""
        if self._running is not None:
            note = await self._changes(turn, self._running, paths)
            if note.left:
                self._log.announce(note)

    async def take_up(self, turn: Turn, listed: Listed) -> None:
        """Note what a command changed before its server was killed, and until now.

        What changed when no server watched any more is doubtful.
        """
        paths, lived = list(await listed()), self._log.written_before + _HEARTBEAT_LATE_NS

        def changes(objects: Objects) -> tuple[Note, dict[str, str]] | None:
            kept = objects.get(turn.baseline) if turn.baseline else None
            baseline = None if kept is None else decoded(kept)
            if baseline is None:
                return None
            found, left, renamed = self._of(objects).changes(baseline, paths)
            return Note(turn.id, found, left, since=baseline.taken), renamed

        compared = await self._looking.store.run(changes)
        if compared is None:  # undo says that it does not know all
            return
        note, renamed = compared
        others = await self._log.elsewhere(note.since) if note.left else []
        note = await asyncio.to_thread(told_apart, note, others, (), renamed, lived)
        for _ in range(turn.running):
            self._log.note(Note(turn.id, running=False))
        self._log.note(replace(note, ended=tuple(turn.jobs)))
        await self._looking.store.run(lambda objects: objects.drop([turn.baseline]))

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_HEARTBEAT_SECONDS)
            self._log.live()

    async def _changes(self, turn: str, running: _Running, paths: Iterable[str]) -> Note:
        """What commands, and only commands, changed since they began, also at `paths`."""
        baseline, wanted = running.baseline, list(paths)

        def compared(objects: Objects) -> tuple[Note, dict[str, str]]:
            found, left, renamed = self._of(objects).changes(baseline, wanted)
            return Note(turn, found, left, since=baseline.taken), renamed

        note, renamed = await self._looking.store.run(compared)
        if not note.left:
            return note
        note = await self._without_saves(self._without_moves(note), baseline)
        others = await self._log.elsewhere(baseline.taken)
        rests = tuple(running.rests)
        note = await asyncio.to_thread(told_apart, note, others, rests, renamed)
        own: dict[str, FileState] = {}  # what edits of this session left, also while commands rest
        for each in self._log.turns.values():
            own |= each.left
        doubtful = (p for p in note.doubtful if p not in own or not same(own[p], note.left[p]))
        return replace(note, doubtful=tuple(doubtful))

    def _without_moves(self, note: Note) -> Note:
        """What a command changed, without what was deleted or renamed in the editor."""
        moved = {path for path in note.left if self._looking.files.moved(path, note.since)}
        before = [note.found[path] for path in moved]
        theirs = {
            path
            for path in moved
            if isinstance(state := note.left[path], NoFile)
            or (isinstance(note.found[path], NoFile) and any(same(state, each) for each in before))
        }
        return replace(
            note,
            found={path: state for path, state in note.found.items() if path not in theirs},
            left={path: state for path, state in note.left.items() if path not in theirs},
            mixed=(*note.mixed, *(moved - theirs)),
        )

    async def _without_saves(self, note: Note, baseline: Baseline) -> Note:
        saved = self._looking.files.saved
        saves = {path: saved(path, baseline.taken) for path in note.left}
        if not any(saves.values()):
            return note
        known = self._log.turns.get(note.turn, Turn(note.turn)).been
        been = {path: set(states) for path, states in known.items()}
        return await self._looking.store.run(partial(self._without, note, saves, been))

    async def _changed_since(self, turn: str, baseline: Baseline) -> tuple[str, ...]:
        """The files that are no longer as the turn has left them so far, on disk or unsaved."""
        left = self._log.turns[turn].left if turn in self._log.turns else {}
        changed = {
            path: state
            for path, state in left.items()
            if path in baseline.states and not same(state, baseline.states[path])
        }
        now = await self._looking.seen(changed)
        return tuple(path for path, state in changed.items() if not same(state, now[path]))

    def _take(self, paths: list[str], objects: Objects) -> _Running:
        baseline = self._of(objects).take(paths)
        (name,) = objects.put([encoded(baseline)])
        return _Running(baseline, name)

    def _without(
        self,
        note: Note,
        saves: Mapping[str, str | None],
        been: Mapping[str, set[FileState]],
        objects: Objects,
    ) -> Note:
        """What a command changed, without what the user saved meanwhile.

        Saving a text from before the command, or the turn's own, counts as no change.
        """
        found, left = dict(note.found), dict(note.left)
        mixed = []
        for path, sha256 in saves.items():
            if sha256 is None:
                continue
            if self._looking.holds(path, left[path], sha256):
                del found[path], left[path]
                continue
            states = {found[path], *been.get(path, ())}
            if sha256 not in self._looking.text_hashes(path, states, objects):
                mixed.append(path)
        return replace(note, found=found, left=left, mixed=(*note.mixed, *mixed))

    def _of(self, objects: Objects) -> Baselines:
        if self._baselines is None:
            self._baselines = Baselines(objects, self._looking.disk, self._limits)
        return self._baselines


def _never(_path: str, _changed: int) -> bool:
    return False
