"""The parts of a command's declaration; `declared.py` has them all. Standard library only."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from glossator.core.errors import DeclarationError

_NAME = re.compile(r"glossator\.[a-z][A-Za-z]*")


@dataclass(frozen=True, slots=True)
class Chat:
    """`/name` at the beginning of a question; with `words`, some are expected after it."""

    name: str
    description: str
    words: bool = False


@dataclass(frozen=True, slots=True)
class LineAction:
    """Something to do with lines. One that does not edit only reads, in every mode.

    `prompt` is the name of a prompt, `kind` LSP's kind of code action; `joint` stands between the
    title and the name of a symbol, `help` is for the command line.
    """

    command: str
    title: str
    prompt: str
    help: str
    kind: str = ""
    joint: str = ""
    edits: bool = False

    def titled(self, name: str) -> str:
        """The title, with what it is about: `Write tests for swim`."""
        return " ".join(filter(None, (self.title, self.joint if name else "", name)))

    @property
    def word(self) -> str:
        """The name as typed on a command line: `write-tests`."""
        return self.title.lower().replace(" ", "-")


@dataclass(frozen=True, slots=True)
class CommandDeclaration:
    """A command. `handler` is `module:function`, in this package.

    `answer` names the class of the answer, `Class` of this room or `room:Class`, where a terminal
    shows it in a form of its own; its module imports values alone, for a client waits for it.
    `title` is what progress bars show, by default the words of the name. `progress`: editors show a
    progress bar. `report`: clients without a panel are shown the answer as a document. `terminal`
    is its sub-command there, and `help` says what that does; functions of the command line use it
    for those of `also`. A handler with a parameter `action` is given the one of the command.
    """

    name: str
    handler: str
    answer: str = ""
    title: str = ""
    progress: bool = False
    report: bool = False
    chat: tuple[Chat, ...] = ()
    terminal: str = ""
    also: tuple[str, ...] = ()
    help: str = ""
    action: LineAction | None = None

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise DeclarationError(f"{self.name!r} is no command's name: glossator.camelCase is.")
        if not self.title:
            words = re.sub(r"(?=[A-Z])", " ", self.name.removeprefix("glossator."))
            object.__setattr__(self, "title", words.capitalize())
        if any(not each.description for each in self.chat):
            raise DeclarationError(f"{self.name} needs a description for its chat command.")

    def answer_class(self) -> type[Any] | None:
        """The class of the answer; None where clients take it as it is on the wire."""
        room, _, name = self.answer.rpartition(":")
        if not name:
            return None
        found: type[Any] = getattr(import_module(f"glossator.{room or 'commands'}"), name)
        return found


def by_name(declarations: Iterable[CommandDeclaration]) -> Mapping[str, CommandDeclaration]:
    """The table. Raises `DeclarationError` for a name that is given twice."""
    known = tuple(declarations)
    names = Counter([each.name for each in known] + [f"/{c.name}" for d in known for c in d.chat])
    if twice := [name for name, count in names.items() if count > 1]:
        raise DeclarationError(f"Declared twice: {', '.join(twice)}.")
    return {each.name: each for each in known}
