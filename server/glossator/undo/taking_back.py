"""Taking turns back, decided and carried out: each undo is a turn with a checkpoint of its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial

from glossator.undo.checkpoint_log import FileStateReader
from glossator.undo.file_states import FileState, Folder, NoFile, as_state, same
from glossator.undo.plans import Plan, Problem, below, conflicts, restorations, taken_back, unkept
from glossator.undo.turn_log import Note, Turn, TurnLog

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
class PreparedUndo:
    """What undoing some turns restores, in place of the states `now`.

    `wanted` is None if nothing may be. Of paths `below` open documents, only the file is at stake.
    `part`: of some files alone.
    """

    turns: Sequence[Turn]
    wanted: Mapping[str, FileState] | None
    now: Mapping[str, FileState]
    below: frozenset[str]
    conflicts: tuple[Problem, ...]
    part: bool = False

    @staticmethod
    async def of(
        turns: Sequence[Turn],
        looking: FileStateReader,
        on_conflict: OnConflict,
        only: Collection[str] | None = None,
        doubtful: Collection[str] = (),
    ) -> PreparedUndo:
        """Prepare it, for all files or `only` those at some paths."""
        plan = Plan.of(turns)
        plan.doubtful.update(doubtful)
        part = only is not None and not plan.target.keys() <= set(only)
        if only is not None:
            plan.target = {path: plan.target[path] for path in plan.target if path in only}
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
        wanted_now = None if refused else wanted
        return PreparedUndo(turns, wanted_now, now, frozenset(files), found, part)

    async def carry_out(self, log: TurnLog, looking: FileStateReader) -> Undone:
        """Restore the files; one that changed since the preparation is left alone."""
        jobs = tuple(command for turn in self.turns for command in turn.jobs.values())
        incomplete = bool(jobs) or any(turn.running for turn in self.turns)
        if self.wanted is None:
            return Undone(None, conflicts=self.conflicts, incomplete=incomplete, jobs=jobs)
        undo = f"undo-{len(log.turns) + 1}"
        steps, failed = await looking.store.run(partial(restorations, self.wanted, self.now))
        paths = [step.path for step in steps]
        found = await looking.kept(paths, self.below)
        failed |= {problem.path: problem.reason for problem in unkept(found)}
        steps = [step for step in steps if step.path not in failed]
        planned = {step.path: as_state(step.found) for step in steps}
        if planned:  # the user wants it: it goes on even if this is not kept
            found = {path: found[path] for path in planned}
            taking = tuple(turn.id for turn in self.turns)
            log.note(Note(undo, found=found, planned=planned, taking=taking, part=self.part))
        done = await looking.files.restore(steps, looking.limit)
        untouched = tuple(path for path in planned if path not in done.left)
        undoes = self._undoes(log, bool(done.left))
        log.note(Note(undo, left=done.left, untouched=untouched, undoes=undoes))
        failed |= done.failed
        removed = _removed(self.now, done.left)
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
        if self.wanted or self.part:
            return ()
        undone = taken_back(log.turns.values())
        return tuple(turn for turn in turns if undone.get(turn, turn) in turns)


async def finish_undo(turn: Turn, log: TurnLog, looking: FileStateReader) -> tuple[Undone, int]:
    """Do what is left of an undo that was cut off with its server; gives how many files it left.

    These are neither as they were found nor as they are to be, or could not be brought back.
    """
    now = await looking.seen(turn.planned)
    there = {path: state for path, state in turn.planned.items() if same(state, now[path])}
    rest = {
        path: state
        for path, state in turn.planned.items()
        if isinstance(state, NoFile)  # its folder may be left
        or (path not in there and same(turn.found[path], now[path]))
    }
    steps, _ = await looking.store.run(partial(restorations, rest, now))
    left = there | (await looking.files.restore(steps, looking.limit)).left
    untouched = tuple(path for path in turn.planned if path not in left)
    undoes, resumed = turn.taking if left else (), bool(left)
    log.note(Note(turn.id, left=left, untouched=untouched, undoes=undoes, resumed=resumed))
    return finished(turn), len(untouched)


def finished(undo: Turn) -> Undone:
    """What an undo did that another server finished."""
    removed = _removed(undo.found, undo.left)
    return Undone(undo.id, tuple(path for path in undo.left if path not in removed), removed)


def _removed(before: Mapping[str, FileState], left: Mapping[str, FileState]) -> tuple[str, ...]:
    """The files that were taken away; where a folder was in their place, it is there again."""
    return tuple(
        path
        for path, state in left.items()
        if isinstance(state, NoFile | Folder) and not isinstance(before[path], NoFile)
    )
