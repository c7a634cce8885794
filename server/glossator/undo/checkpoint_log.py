"""What checkpoints keep: each turn's files as notes in the session, their bytes in one store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from glossator.core.document import text_hash
from glossator.core.encoding import decode
from glossator.core.errors import StoreUnavailable
from glossator.store import Objects, unavailable
from glossator.undo.file_states import (
    Content,
    DiskFiles,
    FileState,
    Folder,
    FoundState,
    Link,
    NoFile,
    RestorableFiles,
    Stored,
    Unkept,
    as_state,
    same,
    with_text,
)

CHECKPOINTS = "checkpoints"  # under which a session keeps the notes
SEEN_UNDOS = "told"  # … and the turns whose undoing the model knows of

T = TypeVar("T")

MAX_BYTES = 2_000_000_000  # on disk, of all workspaces


class NoteStore(Protocol):
    """Where notes are kept: a session."""

    @property
    def dropped(self) -> Collection[str]:
        """The turns that the conversation knows nothing of any more."""

    def keep(self, name: str, value: Any) -> None:  # noqa: ANN401 - whatever JSON can carry
        """Keep a value under a name."""

    def keep_surely(self, name: str, value: Any) -> None:  # noqa: ANN401 - as above
        """As `keep`; raises `StoreUnavailable` if it would be lost with this server."""

    def kept(self, name: str) -> list[Any]:
        """All that was kept under a name, oldest first."""


@dataclass(slots=True)
class Turn:
    """What a turn found and left, by absolute path.

    `mixed` are the paths that somebody else changed between two changes of the turn. `undoes` are
    the turns that this one took back; `seen`: the model knows of it, in logs that say so here.
    `running` counts the commands that were begun and not ended. `been` is all that the turn left at
    a path at some time. `jobs` are the command lines, by name, of jobs that were not over when the
    turn was. `part`: only some of the files of the turns that it `undoes` were taken back.
    """

    id: str
    found: dict[str, FileState] = field(default_factory=dict)
    left: dict[str, FileState] = field(default_factory=dict)
    mixed: set[str] = field(default_factory=set)
    undoes: tuple[str, ...] = ()
    seen: bool = False
    running: int = 0
    been: dict[str, set[FileState]] = field(default_factory=dict)
    jobs: dict[str, str] = field(default_factory=dict)
    part: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """More about a turn; of `untouched` files it was found out that the turn did not change them.

    `running`: a command began (true) or ended. `jobs` began, and those `ended` did so within the
    turn. `part` as of a `Turn`.
    """

    turn: str
    found: dict[str, FileState] = field(default_factory=dict)
    left: dict[str, FileState] = field(default_factory=dict)
    untouched: tuple[str, ...] = ()
    mixed: tuple[str, ...] = ()
    undoes: tuple[str, ...] = ()
    seen: bool = False
    running: bool | None = None
    jobs: dict[str, str] = field(default_factory=dict)
    ended: tuple[str, ...] = ()
    part: bool = False


class TurnLog:
    """The turns of a session, oldest first, in memory and where they are kept."""

    def __init__(self, notes: NoteStore) -> None:
        self._notes = notes
        self.turns: dict[str, Turn] = {}
        for note in notes_from_json(notes.kept(CHECKPOINTS)):
            take_note(self.turns, note)

    def announce(self, note: Note) -> None:
        """Note what is about to be done; it must not be, if that cannot be kept."""
        self._notes.keep_surely(CHECKPOINTS, note_to_json(note))
        take_note(self.turns, note)

    def note(self, note: Note) -> None:
        """Note what was done; this server knows it also if it cannot be kept."""
        take_note(self.turns, note)
        self._notes.keep(CHECKPOINTS, note_to_json(note))

    @property
    def unseen_undos(self) -> list[Turn]:
        """The undos that the model does not know yet, except those of turns it never saw."""
        seen = {turn for turns in self._notes.kept(SEEN_UNDOS) for turn in turns}
        unknown = set(self._notes.dropped)
        for turn in self.turns.values():
            if turn.undoes and unknown.issuperset(turn.undoes):
                unknown.add(turn.id)
        return [
            turn
            for turn in self.turns.values()
            if turn.undoes and not turn.seen and turn.id not in seen | unknown
        ]

    def mark_undos_seen(self) -> None:
        """The model knows all undos now."""
        if turns := [turn.id for turn in self.unseen_undos]:
            self._notes.keep(SEEN_UNDOS, turns)


def take_note(turns: dict[str, Turn], note: Note) -> Turn:
    """Add a note to what is known; what a turn found at first stays."""
    turn = turns.setdefault(note.turn, Turn(note.turn))
    for path, state in note.found.items():
        turn.found.setdefault(path, state)
    turn.left.update(note.left)
    for path, state in note.left.items():
        turn.been.setdefault(path, set()).add(state)
    for path in note.untouched:
        if path not in turn.left:
            turn.found.pop(path, None)
    turn.mixed.update(note.mixed)
    turn.undoes += note.undoes
    turn.seen |= note.seen
    turn.part |= note.part
    turn.jobs.update(note.jobs)
    for name in note.ended:
        turn.jobs.pop(name, None)
    if note.running is not None:
        turn.running += 1 if note.running else -1
    return turn


def note_to_json(note: Note) -> dict[str, Any]:
    """A note as JSON; what it does not say is left out."""
    fields: dict[str, Any] = {
        "found": {path: _to_json(state) for path, state in note.found.items()},
        "left": {path: _to_json(state) for path, state in note.left.items()},
        "untouched": list(note.untouched),
        "mixed": list(note.mixed),
        "undoes": list(note.undoes),
        "told": note.seen,
        "part": note.part,
        "jobs": dict(note.jobs),
        "ended": list(note.ended),
    }
    said = {name: value for name, value in fields.items() if value}
    if note.running is not None:
        said["running"] = note.running
    return {"turn": note.turn, **said}


def notes_from_json(values: Iterable[dict[str, Any]]) -> list[Note]:
    """Notes from JSON; fields of a later version are passed over."""
    return [
        Note(
            turn=value["turn"],
            found={path: _from_json(state) for path, state in value.get("found", {}).items()},
            left={path: _from_json(state) for path, state in value.get("left", {}).items()},
            untouched=tuple(value.get("untouched", ())),
            mixed=tuple(value.get("mixed", ())),
            undoes=tuple(value.get("undoes", ())),
            seen=value.get("told", False),
            part=value.get("part", False),
            running=value.get("running"),
            jobs=dict(value.get("jobs", {})),
            ended=tuple(value.get("ended", ())),
        )
        for value in values
    ]


def _to_json(state: FileState) -> list[Any]:
    match state:
        case Stored(name, mode):
            return ["file", name, mode]
        case Link(target):
            return ["link", target]
        case NoFile(folder):
            return ["absent", folder]
        case Folder():
            return ["folder"]
        case Unkept(reason):
            return ["unkept", reason]


def _from_json(value: list[Any]) -> FileState:
    match value:
        case ["file", str(name), int(mode)]:
            return Stored(name, mode)
        case ["link", str(target)]:
            return Link(target)
        case ["absent", folder]:
            return NoFile(folder)
        case ["folder"]:
            return Folder()
        case ["unkept", str(reason)]:
            return Unkept(reason)
        case _:
            return Unkept("was kept by another version of Glossator")


class CheckpointStore:
    """One file of objects; shared by the sessions of a server.

    The user reads once that it cannot be used; each caller gets the error.
    """

    def __init__(
        self, path: Path, max_bytes: int = MAX_BYTES, tell: Callable[[str], None] = lambda _: None
    ) -> None:
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="checkpoints")
        self._path = path
        self._max_bytes = max_bytes
        self._tell = tell
        self._told = False
        self._objects: Objects | None = None

    async def run(self, work: Callable[[Objects], T]) -> T:
        """Do work with the objects. Raises `StoreUnavailable`."""
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._threads, lambda: work(self._open())
            )
        except StoreUnavailable as error:
            if not self._told:
                self._told = True
                self._tell(f"{error} Until then, edits and commands are refused; reading works.")
            raise

    async def close(self) -> None:
        """Give the file back."""
        if self._objects is not None:
            await self.run(Objects.close)
        self._threads.shutdown()

    def _open(self) -> Objects:
        if self._objects is None:
            try:
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise unavailable(str(self._path.parent), error) from error
            self._objects = Objects(str(self._path), self._max_bytes)
        return self._objects


@dataclass(frozen=True, slots=True)
class FileStateReader:
    """Looks at files of at most `limit` bytes."""

    store: CheckpointStore
    files: RestorableFiles
    disk: DiskFiles
    limit: int

    async def seen(self, paths: Iterable[str]) -> dict[str, FileState]:
        """The states of files as the user sees them."""
        return await self._states(paths, self._seen())

    async def on_disk(self, paths: Iterable[str]) -> dict[str, FileState]:
        """The states of files on disk, as commands see them."""
        return await self._states(paths, self._on_disk)

    async def kept(
        self, paths: Iterable[str], on_disk: Collection[str] = ()
    ) -> dict[str, FileState]:
        """As the user sees them (those of `on_disk` as commands do), with the bytes kept.

        Raises `StoreUnavailable`.
        """
        seen = self._seen()

        def keep(objects: Objects) -> dict[str, FileState]:
            found = {path: (self._on_disk if path in on_disk else seen)(path) for path in paths}
            objects.put([item.data for item in found.values() if isinstance(item, Content)])
            return {path: as_state(item) for path, item in found.items()}

        return await self.store.run(keep)

    async def left(self, changed: Mapping[str, str | None]) -> dict[str, FileState]:
        """The states of files that were changed to a text, or (None) to what the user sees."""
        seen = self._seen()

        def look(path: str) -> FoundState:
            text = changed[path]
            return seen(path) if text is None else with_text(text, self._on_disk(path), self.limit)

        return await self._states(changed, look)

    def holds(self, path: str, state: FileState, sha256: str) -> bool:
        """Whether the file, known as `state`, holds the text of this hash; blocking."""
        found = self._on_disk(path)
        return isinstance(found, Content) and (
            _text_hash(found.data) == sha256 and same(state, as_state(found))
        )

    async def _states(
        self, paths: Iterable[str], look: Callable[[str], FoundState]
    ) -> dict[str, FileState]:
        return await asyncio.to_thread(lambda: {path: as_state(look(path)) for path in paths})

    def _seen(self) -> Callable[[str], FoundState]:
        look = self.files.now()
        return lambda path: look(path, self.limit)

    def _on_disk(self, path: str) -> FoundState:
        return self.disk.look(path, self.limit)


def text_hashes(states: Iterable[FileState], objects: Objects) -> set[str]:
    """The hashes of those texts whose bytes are kept. Raises `StoreUnavailable`."""
    contents = (objects.get(state.object) for state in states if isinstance(state, Stored))
    hashes = (_text_hash(data) for data in contents if data is not None)
    return {each for each in hashes if each is not None}


def _text_hash(data: bytes) -> str | None:
    decoded = decode(data)
    return None if decoded is None else text_hash(decoded[0])
