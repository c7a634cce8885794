"""What each turn of a session found and left, as notes that the session keeps."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from glossator.undo.file_states import FileState, Folder, Link, NoFile, Stored, Unkept

CHECKPOINTS = "checkpoints"  # under which a session keeps the notes
SEEN_UNDOS = "told"  # … and the turns whose undoing the model knows of


class NoteJournal(Protocol):
    """The file of a session, beside those of others."""

    @property
    def written_before(self) -> int:
        """When it was last written to before it was resumed (ns since 1970)."""

    def live(self) -> None:
        """Note that this server lives, for `written_before`."""

    async def kept_elsewhere(self, name: str, since: int) -> list[Any]:
        """What other sessions kept under a name, of those that kept anything since (ns)."""


class NoteStore(Protocol):
    """Where notes are kept: a session."""

    @property
    def dropped(self) -> Collection[str]:
        """The turns that the conversation knows nothing of any more."""

    @property
    def journal(self) -> NoteJournal:
        """The file that they are kept in."""

    def keep(self, name: str, value: Any) -> None:  # noqa: ANN401 - whatever JSON can carry
        """Keep a value under a name."""

    def keep_surely(self, name: str, value: Any) -> None:  # noqa: ANN401 - as above
        """Like `keep`; raises `StoreUnavailable` if the value would be lost with this server."""

    def kept(self, name: str) -> list[Any]:
        """All that was kept under a name, oldest first."""


@dataclass(slots=True)
class Turn:
    """What a turn found and left, by absolute path.

    `mixed` are the paths that somebody else changed between two changes of the turn, `doubtful`
    those that perhaps somebody else changed. `undoes` are the turns that this one took back;
    `seen`: the model knows of it, in logs that say so here. `running` counts the commands that were
    begun and not ended, `baseline` is the object with what was before them. `been` is all that the
    turn left at a path at some time. `jobs` are the command lines, by name, of jobs that were not
    over when the turn was. `part`: only some of the files of the turns that it `undoes` were taken
    back. `planned` is what an undo that is not over is to leave, `taking` what it is to undo.
    `spans` are the times (ns since 1970) within which commands changed a path. `resumed`: an undo
    that was cut off with its server, and finished by another one, which the user was not told.
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
    doubtful: set[str] = field(default_factory=set)
    baseline: str = ""
    planned: dict[str, FileState] = field(default_factory=dict)
    taking: tuple[str, ...] = ()
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    resumed: bool = False

    @property
    def is_cut_off(self) -> bool:
        """Whether a command or an undo is not over: with its server, if that has ended."""
        return bool(self.running or self.planned)


@dataclass(frozen=True, slots=True)
class Note:
    """More about a turn; of `untouched` files it was found out that the turn did not change them.

    `at` is when it was noted, `since` when the command began that left this (ns since 1970; 0: no
    command). `running`: a command began (true) or ended. `jobs` began, and those `ended` did so
    within the turn. The other fields as of a `Turn`; an undo that was `planned` is over with the
    next note on it.
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
    at: int = 0
    since: int = 0
    doubtful: tuple[str, ...] = ()
    baseline: str = ""
    planned: dict[str, FileState] = field(default_factory=dict)
    taking: tuple[str, ...] = ()
    resumed: bool | None = None


class TurnLog:
    """The turns of a session, oldest first, in memory and where they are kept."""

    def __init__(self, notes: NoteStore) -> None:
        self._notes = notes
        self.turns = turns_of(notes.kept(CHECKPOINTS))

    def announce(self, note: Note) -> None:
        """Note what is about to be done; if that cannot be kept, it must not be done."""
        note = replace(note, at=time.time_ns())
        self._notes.keep_surely(CHECKPOINTS, note_to_json(note))
        take_note(self.turns, note)

    def note(self, note: Note) -> None:
        """Note what was done; if it cannot be kept, this server knows it all the same."""
        note = replace(note, at=time.time_ns())
        take_note(self.turns, note)
        self._notes.keep(CHECKPOINTS, note_to_json(note))

    @property
    def written_before(self) -> int:
        """When an earlier server wrote the last note, or lived, at least (ns since 1970)."""
        return self._notes.journal.written_before

    def live(self) -> None:
        """Note that this server lives."""
        self._notes.journal.live()

    async def elsewhere(self, since: int) -> list[Note]:
        """What other sessions noted since (ns since 1970), the notes of each in their order."""
        kept = await self._notes.journal.kept_elsewhere(CHECKPOINTS, since)
        return [note for note in notes_from_json(kept) if note.at >= since]

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


def turns_of(kept: Iterable[dict[str, Any]]) -> dict[str, Turn]:
    """The turns by their notes, as a session kept these."""
    turns: dict[str, Turn] = {}
    for note in notes_from_json(kept):
        take_note(turns, note)
    return turns


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
    if note.since:
        turn.spans.update(dict.fromkeys(note.left, (note.since, note.at)))
    turn.planned, turn.taking = note.planned, note.taking
    if note.resumed is not None:
        turn.resumed = note.resumed
    turn.baseline = note.baseline or turn.baseline
    turn.doubtful.update(note.doubtful)
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
        "found": {path: state_to_json(state) for path, state in note.found.items()},
        "left": {path: state_to_json(state) for path, state in note.left.items()},
        "untouched": list(note.untouched),
        "mixed": list(note.mixed),
        "undoes": list(note.undoes),
        "told": note.seen,
        "part": note.part,
        "jobs": dict(note.jobs),
        "ended": list(note.ended),
        "at": note.at,
        "since": note.since,
        "doubtful": list(note.doubtful),
        "baseline": note.baseline,
        "planned": {path: state_to_json(state) for path, state in note.planned.items()},
        "taking": list(note.taking),
    }
    said = {name: value for name, value in fields.items() if value}
    if note.running is not None:
        said["running"] = note.running
    if note.resumed is not None:
        said["resumed"] = note.resumed
    return {"turn": note.turn, **said}


def notes_from_json(values: Iterable[dict[str, Any]]) -> list[Note]:
    """Notes from JSON; fields of a later version are passed over."""
    return [
        Note(
            turn=value["turn"],
            found=_states(value, "found"),
            left=_states(value, "left"),
            untouched=tuple(value.get("untouched", ())),
            mixed=tuple(value.get("mixed", ())),
            undoes=tuple(value.get("undoes", ())),
            seen=value.get("told", False),
            part=value.get("part", False),
            running=value.get("running"),
            jobs=dict(value.get("jobs", {})),
            ended=tuple(value.get("ended", ())),
            at=value.get("at", 0),
            since=value.get("since", 0),
            doubtful=tuple(value.get("doubtful", ())),
            baseline=value.get("baseline", ""),
            planned=_states(value, "planned"),
            taking=tuple(value.get("taking", ())),
            resumed=value.get("resumed"),
        )
        for value in values
    ]


def _states(value: dict[str, Any], name: str) -> dict[str, FileState]:
    return {path: state_from_json(state) for path, state in value.get(name, {}).items()}


def state_to_json(state: FileState) -> list[Any]:
    """A state as JSON."""
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


def state_from_json(value: list[Any]) -> FileState:
    """A state from JSON."""
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
