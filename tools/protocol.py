"""The table of commands in docs/protocol.md: `python -m tools.protocol` writes it there.

A row is read off a command's declaration and the dataclasses of its handler: their fields, and
the docstring of the argument. The client's `wire.ts` describes answers and all other types.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum, EnumType
from itertools import groupby
from pathlib import Path
from typing import Any

from glossator.commands.answers.context import ContextAnswer
from glossator.commands.answers.server import ModelList, StatusAnswer
from glossator.commands.answers.sessions import SessionInfo, UndoAnswer
from glossator.commands.complete import CompleteAnswer
from glossator.commands.loaded import COMMANDS
from glossator.core.answer import Answer
from glossator.core.events import Envelope
from glossator.core.report import Report
from glossator.core.span import Citation, CitationView
from glossator.core.wire import camel

FILE = Path(__file__).parents[1] / "docs" / "protocol.md"

_TOLD_BELOW: dict[Any, str] = {  # a paragraph of its own, which begins with this name
    Answer: "Answer",
    Envelope: "event",
    CompleteAnswer: "Complete",
    ContextAnswer: "Context",
    ModelList: "Models",
    Report: "Report",
    SessionInfo: "Session",
    StatusAnswer: "Status",
    UndoAnswer: "Undo",
}
_SENT_AS: dict[Any, Any] = {Citation: CitationView}
_BEGIN, _END = "<!-- commands: made by `make wire` -->\n", "<!-- /commands -->\n"
_FEW = 4  # fields of an answer that are told here; an enum of as many has a name
_NO_DEFAULT = (MISSING, None, "", (), False)


def generated(text: str) -> str:
    """The document with its table as it is now."""
    before, _, rest = text.partition(_BEGIN)
    return "".join((before, _BEGIN, *_commands(), _END, rest.partition(_END)[2]))


def _commands() -> list[str]:
    forms = groupby(COMMANDS.items(), key=lambda each: (each[1].request, each[1].answer))
    rows = [(request, answer, [name for name, _ in each]) for (request, answer), each in forms]
    table = _Table()
    return [
        "\n| command | argument | answer | about the argument |\n",
        "|---|---|---|---|\n",
        *(table.row(*row) for row in rows),
        "\n",
    ]


class _Table:
    """Writes each row; what was written in an earlier one is named, and not said again."""

    def __init__(self) -> None:
        self._spelled: set[Any] = set()  # enums whose values were told
        self._first: dict[Any, str] = {}  # the first command of each argument
        self._said: set[str] = set()

    def row(self, request: type[Any], answer: type[Any], commands: Sequence[str]) -> str:
        names = ", ".join(f"`{name}`" for name in commands)
        argument = self._argument(request, commands[0])
        said = _doc(request) or _doc(answer)
        new = "" if said in self._said else said
        self._said.add(said)
        return f"| {names} | {argument} | {self._answer(answer)} | {new} |\n"

    def _argument(self, kind: type[Any], command: str) -> str:
        """Its fields, or whose it was already, whichever is shorter."""
        written = ", ".join(
            f"`{self._field(each, hint, given=True)}`{_default(each)}"
            for each, hint in _hinted(kind)
        )
        first = self._first.setdefault(kind, command)
        return written if first == command else min(written, f"as of `{first}`", key=len)

    def _answer(self, kind: type[Any]) -> str:
        """Its fields, or the name of a type that has many."""
        if kind in _TOLD_BELOW:
            return f"{_TOLD_BELOW[kind]}, see below"
        base = _base(kind)
        known = {each.name for each in fields(base)} if base else set()
        own = [(each, of) for each, of in _hinted(kind) if each.name not in known]
        if len(own) > _FEW:
            return f"`{_name(kind)}`"
        written = [f"`{self._field(each, of)}`" for each, of in own]
        return ", ".join([*([_TOLD_BELOW[base]] if base else []), *written])

    def _field(self, field: Field[Any], hint: Any, *, given: bool = False) -> str:
        optional = field.default is not MISSING or field.default_factory is not MISSING
        form = self._form(hint)
        return camel(field.name) + ("?" if optional and given else "") + (form and f": {form}")

    def _form(self, hint: Any) -> str:
        """What is in a field; "" for plain words, numbers and truth."""
        hint = _SENT_AS.get(hint, hint)
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if hint in _TOLD_BELOW:
            form = _TOLD_BELOW[hint]
        elif origin in (types.UnionType, typing.Union):
            form = " or ".join(filter(None, map(self._form, arguments)))
        elif origin is typing.Literal:
            form = _or(arguments)
        elif isinstance(hint, EnumType):
            form = self._enum(typing.cast(type[Enum], hint))
        elif origin in (tuple, list):
            form = f"[{self._form(arguments[0]) or '…'}]"
        else:
            form = _name(hint) if is_dataclass(hint) else ""
        return form

    def _enum(self, kind: type[Enum]) -> str:
        values = _or([each.value for each in kind])
        if len(kind) < _FEW:
            return values
        if kind in self._spelled:
            return kind.__name__
        self._spelled.add(kind)
        return f"{kind.__name__} ({values})"


def _name(kind: Any) -> str:
    """As the client's `wire.ts` has it."""
    return str(kind.__name__).removesuffix("View")


def _base(kind: type[Any]) -> type[Any] | None:
    """What an answer adds to, if that is told below."""
    return next((each for each in kind.__mro__[1:] if each in _TOLD_BELOW), None)


def _hinted(kind: type[Any]) -> list[tuple[Field[Any], Any]]:
    hints = typing.get_type_hints(kind)
    return [(each, hints[each.name]) for each in fields(kind)]


def _or(words: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _default(field: Field[Any]) -> str:
    default = field.default
    if any(default is each or default == each for each in _NO_DEFAULT):
        return ""
    return f" ({default.value if isinstance(default, Enum) else default})"


def _doc(kind: Any) -> str:
    """The docstring, in the protocol's names."""
    text = "" if kind in _TOLD_BELOW else " ".join((inspect.getdoc(kind) or "").split())
    text = re.sub(r"`([a-z]+(?:_[a-z]+)+)`", lambda name: f"`{camel(name[1])}`", text)
    return "" if text == "Takes nothing." else re.sub(r"\bNone\b", "null", text)


if __name__ == "__main__":
    FILE.write_text(generated(FILE.read_text(encoding="utf-8")), encoding="utf-8")
