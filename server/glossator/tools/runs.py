"""The command runs of one conversation, by whose numbers their output is cited."""

from __future__ import annotations

from collections.abc import Callable, Iterable


class CommandRuns:
    """The commands in the order in which they were run; `began` is told each as it begins."""

    def __init__(self, commands: Iterable[str] = ()) -> None:
        self.commands = list(commands)
        self.began: Callable[[str], None] = lambda _: None

    def begin(self, command: str) -> int:
        """The number of one more run, from 1."""
        self.commands.append(command)
        self.began(command)
        return len(self.commands)
