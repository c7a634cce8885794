"""Taking turns back, as a plan: what shall be where, and what stands against it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from glossator.service.baseline import same
from glossator.service.checkpoint_log import State, Stored, Turn
from glossator.service.file_states import Absent, Content, Folder, Link, Restoration, Unkept
from glossator.store.objects import Objects, object_id

_NOT_LEFT = Unkept("was being changed when the server was ended")
_EMPTY = object_id(b"")
_GONE = Unkept("had to make room for newer checkpoints, or was damaged on disk")


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that is not as it was before, and why; `reason` completes "it …"."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What shall be at each path, what should be there now, and who else has been at it."""

    target: dict[str, State]
    expected: dict[str, State]
    mixed: set[str]

    @staticmethod
    def of(turns: Sequence[Turn]) -> Plan:
        """Back to before the first of `turns`, given in their order."""
        plan = Plan({}, {}, set())
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
        return plan


def conflicts(plan: Plan, now: Mapping[str, State]) -> Iterator[Problem]:
    """The files that are neither as the turns left them nor as they shall be."""
    for path, state in plan.target.items():
        if same(state, now[path]):
            continue
        expected = plan.expected[path]
        if path in plan.mixed:
            yield Problem(path, "was changed by somebody else in between")
        elif isinstance(expected, Unkept):
            yield Problem(path, expected.reason)
        elif not same(expected, now[path]):
            yield Problem(path, "was changed by somebody else since")


def led_to(turns: Sequence[Turn], path: str, on_disk: State, shown: State) -> bool:
    """Whether the turns, and nobody else, made what is `shown` out of what is `on_disk`."""
    for turn in reversed(turns):
        if path not in turn.found:
            continue
        if path in turn.mixed or not same(turn.left.get(path, _NOT_LEFT), shown):
            return False
        found = turn.found[path]
        if any(_begins(state, on_disk) for state in (found, *turn.been[path])):
            return True
        shown = found
    return False


def _begins(state: State, on_disk: State) -> bool:
    """Whether it is on the disk; editors put an empty file where a new one is to be."""
    if isinstance(state, Absent) and isinstance(on_disk, Stored):
        return on_disk.object == _EMPTY
    return same(state, on_disk)


def restorations(
    wanted: Mapping[str, State], objects: Objects
) -> tuple[list[Restoration], dict[str, str]]:
    """What to bring back, deletions and folders first, and why the rest cannot be."""
    plan: list[Restoration] = []
    failed: dict[str, str] = {}
    for path, state in sorted(wanted.items(), key=lambda item: _step(item[1])):
        match state:
            case Stored(name, mode):
                data = objects.get(name)
                if data is None:
                    failed[path] = _GONE.reason
                else:
                    plan.append(Restoration(path, Content(data, mode)))
            case Link() | Absent() | Folder():
                plan.append(Restoration(path, state))
            case Unkept(reason):
                failed[path] = reason
    return plan, failed


def _step(state: State) -> int:
    return 0 if isinstance(state, Absent) else 1 if isinstance(state, Folder) else 2


def unkept(states: Mapping[str, State]) -> tuple[Problem, ...]:
    """The files that are not kept."""
    return tuple(
        Problem(path, state.reason) for path, state in states.items() if isinstance(state, Unkept)
    )
