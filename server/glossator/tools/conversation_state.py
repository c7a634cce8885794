"""What the tools of one conversation remember: diagnostics, commands, the todo list."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from glossator.core.attached import Diagnostic
from glossator.core.events import Todo

FindingCounts = Mapping[str, int]  # equal diagnostics, by a hash of severity, source and message


@dataclass(frozen=True, slots=True)
class Difference:
    """The new diagnostics, and how many are gone or unchanged."""

    new: tuple[Diagnostic, ...]
    fixed: int
    kept: int


@dataclass(slots=True)
class Findings:
    """The diagnostics shown, by document; without lines, since every edit above moves them."""

    _shown: dict[str, FindingCounts] = field(default_factory=dict)
    _base: Findings | None = None

    def draft(self) -> Findings:
        """A copy on write; what is shown from now on stays in the copy."""
        return Findings(_base=self)

    def copy(self) -> Findings:
        """An independent copy."""
        return Findings(dict(self._shown))

    def adopt(self, draft: Findings) -> None:
        """Take over what a draft has shown."""
        for uri, counts in draft._shown.items():
            self.remember(uri, counts)

    def differ(self, uri: str, items: tuple[Diagnostic, ...]) -> Difference:
        """What changed since the last call; `items` now count as shown."""
        now = Counter(map(_hash, items))
        left = Counter(self.last(uri))
        before = left.total()
        if now != left:
            self.remember(uri, now)
        new = []
        for item in items:
            if left[_hash(item)] > 0:
                left[_hash(item)] -= 1
            else:
                new.append(item)
        return Difference(tuple(new), left.total(), before - left.total())

    def remember(self, uri: str, counts: FindingCounts) -> None:
        """Note that these diagnostics of a document were shown."""
        self._shown[uri] = counts

    def forget(self) -> None:
        """Count all as new again: the results that showed them left the conversation."""
        self._shown.clear()

    def last(self, uri: str) -> FindingCounts:
        """The diagnostics of a document as they were last shown."""
        known = self._shown.get(uri)
        if known is None and self._base:
            return self._base.last(uri)
        return known or {}


def _hash(item: Diagnostic) -> str:
    text = f"{item.severity}\0{item.source}\0{item.message}"
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class CommandRuns:
    """The commands in the order they ran, whose numbers citations name, and the failures.

    `began` and `failed` are called at these events, for the session's log.
    """

    def __init__(
        self, commands: Iterable[str] = (), failures: Iterable[tuple[int, str]] = ()
    ) -> None:
        self._commands = list(commands)
        self._failures = dict(failures)
        self.jobs: dict[str, int] = {}  # numbers of runs in the background
        self.began: Callable[[str], None] = lambda _: None
        self.failed: Callable[[int, str], None] = lambda _number, _outcome: None

    def begin(self, command: str) -> int:
        """Add a run; returns its number, counted from 1."""
        self._commands.append(command)
        self.began(command)
        return len(self._commands)

    def looked(self, job: str, outcome: str) -> None:
        """Note that the model looked at a job; `outcome` is how it failed, "" if it did not."""
        if outcome and (number := self.jobs.pop(job, None)) is not None:
            self.fail(number, outcome)

    def fail(self, number: int, outcome: str) -> None:
        """Note that a run failed, for example with "exit code 1"."""
        self._failures[number] = outcome
        self.failed(number, outcome)

    def lines(self) -> tuple[str, ...]:
        """Each run in a line: its command, behind its outcome if it failed."""
        return tuple(
            f"[{self._failures[number]}] {command}" if number in self._failures else command
            for number, command in enumerate(self._commands, start=1)
        )


class TodoList:
    """The steps that the model plans; `changed` is called with each new list."""

    def __init__(self) -> None:
        self.steps: tuple[Todo, ...] = ()
        self.changed: Callable[[tuple[Todo, ...]], None] = lambda _: None

    def replace(self, steps: tuple[Todo, ...]) -> None:
        """Replace the list."""
        if steps != self.steps:
            self.steps = steps
            self.changed(steps)
