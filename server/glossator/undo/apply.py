"""Taking turns back: decided on what is there, then done as a turn with a checkpoint of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial

from glossator.undo.checkpoint_log import Note, Turn, TurnLog
from glossator.undo.file_state_reader import FileStateReader
from glossator.undo.file_states import Absent, Folder, State, same
from glossator.undo.plan import Plan, Problem, below, conflicts, restorations, taken_back, unkept

_MEANWHILE = "was changed by somebody else just now"


class OnConflict(Enum):
    """What to do about files that somebody else has changed since."""

    REFUSE = auto()  # change nothing at all, and list them
    LEAVE = auto()  # bring back the others
    OVERWRITE = auto()  # bring them back, too; the undo can be undone


@dataclass(frozen=True, slots=True)
class Undone:
    """What was brought back: files that are `restored`, and those that were `removed` again.

    `turn` is the checkpoint of the undo itself, None if nothing was changed. `conflicts` were
    changed by somebody else, `failed` could not be brought back. With `incomplete`, what was
    changed is not all known: a command was running when the server was ended, or one of the `jobs`
    when its turn was, or what a command changed could not be kept.
    """

    turn: str | None
    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    conflicts: tuple[Problem, ...] = ()
    failed: tuple[Problem, ...] = ()
    incomplete: bool = False
    jobs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TakingBack:
    """What is to be brought back of some turns, in place of what is there `now`.

    `wanted` is None if nothing may be. Of paths `below` open documents, only the file is at stake.
    """

    turns: Sequence[Turn]
    wanted: Mapping[str, State] | None
    now: Mapping[str, State]
    below: frozenset[str]
    conflicts: tuple[Problem, ...]

    @staticmethod
    async def of(
        turns: Sequence[Turn], looking: FileStateReader, on_conflict: OnConflict
    ) -> TakingBack:
        """Decide it."""
        plan = Plan.of(turns)
        seen = await looking.seen(plan.target)
        files = below(plan, seen, await looking.on_disk(plan.target))
        now = seen | files
        found = tuple(conflicts(plan, now))
        left_alone = {problem.path for problem in found}
        if on_conflict is OnConflict.OVERWRITE:
            left_alone = set()
        wanted = {
            path: state
            for path, state in plan.target.items()
            if path not in left_alone and not same(state, now[path])
        }
        refused = found and on_conflict is OnConflict.REFUSE
        return TakingBack(turns, None if refused else wanted, now, frozenset(files), found)

    async def carry_out(self, log: TurnLog, looking: FileStateReader) -> Undone:
        """Do it; what is no longer as it was decided on is left alone."""
        jobs = tuple(command for turn in self.turns for command in turn.jobs.values())
        incomplete = bool(jobs) or any(turn.running for turn in self.turns)
        if self.wanted is None:
            return Undone(None, conflicts=self.conflicts, incomplete=incomplete, jobs=jobs)
        undo = f"undo-{len(log.turns) + 1}"
        steps, failed = await looking.store.run(partial(restorations, self.wanted, self.now))
        paths = [step.path for step in steps]
        found = await looking.kept(paths, self.below)
        if found:  # the user wants it: it goes on also where its note would be lost with the server
            log.note(Note(undo, found=found))
        failed |= {problem.path: problem.reason for problem in unkept(found)}
        steps = [step for step in steps if step.path not in failed]
        done = await looking.files.restore(steps, looking.limit)
        untouched = tuple(path for path in paths if path not in done.left)
        undoes = self._undoes(log, bool(done.left))
        log.note(Note(undo, left=done.left, untouched=untouched, undoes=undoes))
        failed |= done.failed
        removed = tuple(path for path, state in done.left.items() if self._removed(path, state))
        before = (each for each in self.conflicts if each.path not in done.changed)
        return Undone(
            undo if done.left else None,
            tuple(path for path in done.left if path not in removed),
            removed,
            (*before, *(Problem(path, _MEANWHILE) for path in done.changed)),
            tuple(Problem(path, reason) for path, reason in failed.items()),
            incomplete,
            jobs,
        )

    def _undoes(self, log: TurnLog, changed: bool) -> tuple[str, ...]:
        """The turns that are taken back; where nothing had to be, those that were not already."""
        turns = tuple(turn.id for turn in self.turns)
        if changed:
            return turns
        if self.wanted:
            return ()
        undone = taken_back(log.turns.values())
        return tuple(turn for turn in turns if undone.get(turn, turn) in turns)

    def _removed(self, path: str, left: State) -> bool:
        """Whether a file was taken away; where a folder was in its place, that is there again."""
        return isinstance(left, Absent | Folder) and not isinstance(self.now[path], Absent)
