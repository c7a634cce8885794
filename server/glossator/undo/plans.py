"""Plans to take turns back: target states, conflicts, and which turns are undone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from glossator.core.events import UndoneTurn
from glossator.store import Objects, object_id
from glossator.undo.file_states import (
    Content,
    FileState,
    Folder,
    Link,
    NoFile,
    Restoration,
    Stored,
    Unkept,
    same,
)
from glossator.undo.turn_log import Turn, turns_of

_NOT_LEFT = Unkept("was being changed when its turn was cut off")
_EMPTY = object_id(b"")
_GONE = Unkept("had to make room for newer checkpoints, or was damaged on disk")


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that is not as it was before, and why; `reason` completes "it …"."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class TurnChanges:
    """A turn that changed files, for lists; `undoes` are the turns it took back."""

    turn: str
    paths: tuple[str, ...]
    undoes: tuple[str, ...]
    undone_by: str | None = None  # an undo that stands


@dataclass(slots=True)
class Plan:
    """The target state and expected state of each path, and whether others changed it.

    It is not known of the `doubtful` whether others changed them.
    """

    target: dict[str, FileState]
    expected: dict[str, FileState]
    mixed: set[str]
    doubtful: set[str]

    @staticmethod
    def of(turns: Sequence[Turn]) -> Plan:
        """A plan to go back to before the first of `turns`, given in order."""
        plan = Plan({}, {}, set(), set())
        for turn in turns:
            for path, found in turn.found.items():
                left = turn.left.get(path, _NOT_LEFT)
                if same(found, left):
                    continue
                if path not in plan.target:
                    plan.target[path] = found
                elif not same(plan.expected[path], found):
                    plan.mixed.add(path)
                plan.expected[path] = left
            plan.mixed.update(turn.mixed)
            plan.doubtful.update(turn.doubtful)
        return plan


@dataclass(frozen=True, slots=True)
class UnseenUndos:
    """What some undos `left`, by path, where they changed something in all.

    `redone` says of each of them whether it was a redo: it took back nothing but undos.
    """

    left: dict[str, FileState]
    redone: tuple[bool, ...]

    @staticmethod
    def of(some: Sequence[Turn], turns: Iterable[Turn]) -> UnseenUndos:
        """Add up `some` undos; `turns` are all there are, in order."""
        plan = Plan.of(some)
        left = {
            path: plan.expected[path]
            for path, before in plan.target.items()
            if not same(before, plan.expected[path])
        }
        undos: set[str] = set()
        for turn in turns:
            if turn.undoes and not undos.issuperset(turn.undoes):
                undos.add(turn.id)
        return UnseenUndos(left, tuple(turn.id not in undos for turn in some))


def conflicts(plan: Plan, now: Mapping[str, FileState]) -> Iterator[Problem]:
    """The files that match neither their expected nor their target state."""
    for path, state in plan.target.items():
        if same(state, now[path]):
            continue
        expected = plan.expected[path]
        if path in plan.mixed:
            yield Problem(path, "was changed by somebody else in between")
        elif path in plan.doubtful:
            yield Problem(path, "may have been changed by somebody else while a command ran")
        elif isinstance(expected, Unkept):
            yield Problem(path, expected.reason)
        elif not same(expected, now[path]):
            yield Problem(path, "was changed by somebody else since")


def below(
    plan: Plan, seen: Mapping[str, FileState], on_disk: Mapping[str, FileState]
) -> dict[str, FileState]:
    """The files on disk to restore although the editor shows the target text already.

    The editor has not read the file again, or does not show what changed, such as a mode.
    """
    return {
        path: on_disk[path]
        for path, state in plan.target.items()
        if _is_alike(state, seen[path]) and same(plan.expected[path], on_disk[path])
    }


def _is_alike(one: FileState, other: FileState) -> bool:
    return isinstance(one, Stored) and isinstance(other, Stored) and one.object == other.object


def taken_back(turns: Iterable[Turn]) -> dict[str, str]:
    """The turns that are undone now, each with the undo that did it; `turns` in their order."""
    undone: dict[str, str] = {}
    for turn in reversed(tuple(turns)):
        if turn.id not in undone:  # an undo that was undone counts for nothing
            whole = () if turn.part else turn.undoes
            undone = dict.fromkeys(whole, turn.id) | undone
    return undone


def undoable_turns(turns: Iterable[Turn]) -> Iterator[str]:
    """The turns (given in order) that can have changed a file and were not undone.

    The newest first.
    """
    known = tuple(turns)
    undone = taken_back(known)
    for turn in reversed(known):
        changed = Plan.of([turn]).target or turn.running or turn.jobs
        if turn.id not in undone and not turn.undoes and changed:
            yield turn.id


def undo_of(turns: Iterable[Turn], turn: str | None) -> str | None:
    """The undo of a turn; if none is named, the last one that was not undone itself."""
    known = tuple(turns)
    undone = {each.turn: each.by for each in undone_turns(known)}
    if turn is not None:
        return undone.get(turn)
    return next((each.id for each in reversed(known) if each.id in undone.values()), None)


def undone_turns(turns: Iterable[Turn]) -> tuple[UndoneTurn, ...]:
    """The undone turns as clients see them; undos that were undone are not among them."""
    known = tuple(turns)
    undone = taken_back(known)
    return tuple(
        UndoneTurn(turn.id, undone[turn.id])
        for turn in known
        if turn.id in undone and not turn.undoes
    )


def undone_in_notes(notes: Iterable[dict[str, Any]]) -> tuple[UndoneTurn, ...]:
    """The undone turns, from the notes that a session kept."""
    return undone_turns(turns_of(notes).values())


def cut_off_in_notes(notes: Iterable[dict[str, Any]]) -> bool:
    """Whether an undo or a command is not over, from the notes that a session kept."""
    return any(turn.is_cut_off for turn in turns_of(notes).values())


def led_to(turns: Sequence[Turn], path: str, on_disk: FileState, shown: FileState) -> bool:
    """Whether the turns alone turned `on_disk` into `shown`."""
    for turn in reversed(turns):
        if path not in turn.found:
            continue
        if path in turn.mixed | turn.doubtful or not same(turn.left.get(path, _NOT_LEFT), shown):
            return False
        found = turn.found[path]
        if any(_begins(state, on_disk) for state in (found, *turn.been[path])):
            return True
        shown = found
    return False


def _begins(state: FileState, on_disk: FileState) -> bool:
    """Whether it is on the disk; editors put an empty file where a new one is to be."""
    if isinstance(state, NoFile) and isinstance(on_disk, Stored):
        return on_disk.object == _EMPTY
    return same(state, on_disk)


def restorations(
    wanted: Mapping[str, FileState], now: Mapping[str, FileState], objects: Objects
) -> tuple[list[Restoration], dict[str, str]]:
    """What to restore in place of the states `now`, and why the rest cannot be restored.

    Deletions and folders come first.
    """
    plan: list[Restoration] = []
    failed: dict[str, str] = {}
    for path, state in sorted(wanted.items(), key=lambda item: _step(item[1])):
        match state:
            case Stored(name, mode):
                data = objects.get(name)
                if data is None:
                    failed[path] = _GONE.reason
                else:
                    plan.append(Restoration(path, Content(data, mode), now[path]))
            case Link() | NoFile() | Folder():
                plan.append(Restoration(path, state, now[path]))
            case Unkept(reason):
                failed[path] = reason
    return plan, failed


def _step(state: FileState) -> int:
    return 0 if isinstance(state, NoFile) else 1 if isinstance(state, Folder) else 2


def unkept(states: Mapping[str, FileState]) -> tuple[Problem, ...]:
    """The files that are not kept."""
    return tuple(
        Problem(path, state.reason) for path, state in states.items() if isinstance(state, Unkept)
    )


def listed_turns(turns: Sequence[Turn]) -> Iterator[TurnChanges]:
    """The turns for lists, oldest first."""
    undone = taken_back(turns)
    for turn in turns:
        paths = tuple(sorted(Plan.of([turn]).target))
        yield TurnChanges(turn.id, paths, turn.undoes, undone.get(turn.id))
