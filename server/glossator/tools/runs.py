"""The command runs of one conversation, by whose numbers their output is cited."""

from __future__ import annotations

from collections.abc import Callable, Iterable


class CommandRuns:
    """The commands in the order in which they were run, and how those ended that failed.

    `began` and `failed` are called as that happens, so that it can be kept.
    """

    def __init__(
        self, commands: Iterable[str] = (), failures: Iterable[tuple[int, str]] = ()
    ) -> None:
        self._commands = list(commands)
        self._failures = dict(failures)
        self.jobs: dict[str, int] = {}  # the numbers of runs in the background
        self.began: Callable[[str], None] = lambda _: None
        self.failed: Callable[[int, str], None] = lambda _number, _outcome: None

    def begin(self, command: str) -> int:
        """The number of one more run, from 1."""
        self._commands.append(command)
        self.began(command)
        return len(self._commands)

    def looked(self, job: str, outcome: str) -> None:
        """A job was looked at; `outcome` as of `fail`, "" if it runs or ended well."""
        if outcome and (number := self.jobs.pop(job, None)) is not None:
            self.fail(number, outcome)

    def fail(self, number: int, outcome: str) -> None:
        """A run ended otherwise than well, such as with "exit code 1"."""
        self._failures[number] = outcome
        self.failed(number, outcome)

    def told(self) -> tuple[str, ...]:
        """Each run as it is shown: the command, after how it ended if that was not well."""
        return tuple(
            f"[{self._failures[number]}] {command}" if number in self._failures else command
            for number, command in enumerate(self._commands, start=1)
        )
