"""What the commands about turns and their changes answer."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.core.events import UndoneTurn


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn that changed files, and what was asked; `undoes` are the turns it took back.

    `question` is empty for an undo. `undone_by` is the undo that took the turn back, None while its
    changes stand.
    """

    turn: str
    question: str
    paths: tuple[str, ...]
    undoes: tuple[str, ...]
    undone_by: str | None


@dataclass(frozen=True, slots=True)
class TurnList:
    """Oldest first."""

    turns: tuple[TurnView, ...]


@dataclass(frozen=True, slots=True)
class UndoProblem:
    """A file that is not as it was, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class UndoAnswer:
    """What was brought back; `turn` undoes the undo, None if nothing was changed.

    What is there again, or as it was, is `restored`; what is gone again is `removed`. Files that
    somebody else has changed since are `conflicts`; without `overwrite` nothing at all is brought
    back then. `incomplete`: a command was cut off with its server, or one of `jobs` (by their
    command lines) went on after its turn, and what they changed is not known. `undid` are the
    questions of the turns that are undone now and were not before, `redid` of those that no longer
    are. `undone` are all turns of the session that are undone now. `unsaved` are the paths that
    only the editor has as they are now.
    """

    turn: str | None
    restored: tuple[str, ...]
    removed: tuple[str, ...]
    conflicts: tuple[UndoProblem, ...]
    failed: tuple[UndoProblem, ...]
    incomplete: bool
    jobs: tuple[str, ...]
    undid: tuple[str, ...]
    redid: tuple[str, ...]
    undone: tuple[UndoneTurn, ...]
    unsaved: tuple[str, ...] = ()

    @property
    def not_undone(self) -> tuple[UndoProblem, ...]:
        """The files that are not as they were; a conflict that was overwritten is none of them."""
        done = {*self.restored, *self.removed}
        return (*(each for each in self.conflicts if each.path not in done), *self.failed)
