"""What checkpoints remember: for each turn, what it found and what it left; as JSON and back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from glossator.service.file_states import Absent, Folder, Link, Unkept


@dataclass(frozen=True, slots=True)
class Stored:
    """A regular file: the name of its bytes among the objects, and its permission bits."""

    object: str
    mode: int


State = Stored | Link | Absent | Folder | Unkept


@dataclass(slots=True)
class Turn:
    """What a turn found and left, by absolute path.

    `mixed` are the paths that somebody else changed between two changes of the turn. `undoes` are
    the turns that this one took back. `running` is true from a command's start to its end. `been`
    is all that the turn left at a path at some time. `jobs` are the command lines, by name, of jobs
    that were not over when the turn was.
    """

    id: str
    found: dict[str, State] = field(default_factory=dict)
    left: dict[str, State] = field(default_factory=dict)
    mixed: set[str] = field(default_factory=set)
    undoes: tuple[str, ...] = ()
    running: bool = False
    been: dict[str, set[State]] = field(default_factory=dict)
    jobs: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Note:
    """More about a turn; `jobs` began, and those `ended` did so within the turn."""

    turn: str
    found: dict[str, State] = field(default_factory=dict)
    left: dict[str, State] = field(default_factory=dict)
    mixed: tuple[str, ...] = ()
    undoes: tuple[str, ...] = ()
    running: bool | None = None
    jobs: dict[str, str] = field(default_factory=dict)
    ended: tuple[str, ...] = ()


def take_note(turns: dict[str, Turn], note: Note) -> Turn:
    """Add a note to what is known; what a turn found at first stays."""
    turn = turns.setdefault(note.turn, Turn(note.turn))
    for path, state in note.found.items():
        turn.found.setdefault(path, state)
    turn.left.update(note.left)
    for path, state in note.left.items():
        turn.been.setdefault(path, set()).add(state)
    turn.mixed.update(note.mixed)
    turn.undoes += note.undoes
    turn.jobs.update(note.jobs)
    for name in note.ended:
        turn.jobs.pop(name, None)
    if note.running is not None:
        turn.running = note.running
    return turn


def note_to_json(note: Note) -> dict[str, Any]:
    """A note as JSON; what it does not say is left out."""
    fields: dict[str, Any] = {
        "found": {path: _to_json(state) for path, state in note.found.items()},
        "left": {path: _to_json(state) for path, state in note.left.items()},
        "mixed": list(note.mixed),
        "undoes": list(note.undoes),
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
            mixed=tuple(value.get("mixed", ())),
            undoes=tuple(value.get("undoes", ())),
            running=value.get("running"),
            jobs=dict(value.get("jobs", {})),
            ended=tuple(value.get("ended", ())),
        )
        for value in values
    ]


def _to_json(state: State) -> list[Any]:
    match state:
        case Stored(name, mode):
            return ["file", name, mode]
        case Link(target):
            return ["link", target]
        case Absent(folder):
            return ["absent", folder]
        case Folder():
            return ["folder"]
        case Unkept(reason):
            return ["unkept", reason]


def _from_json(value: list[Any]) -> State:
    match value:
        case ["file", str(name), int(mode)]:
            return Stored(name, mode)
        case ["link", str(target)]:
            return Link(target)
        case ["absent", folder]:
            return Absent(folder)
        case ["folder"]:
            return Folder()
        case ["unkept", str(reason)]:
            return Unkept(reason)
        case _:
            return Unkept("was kept by another version of Glossator")
