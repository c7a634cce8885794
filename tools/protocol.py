"""The tables of commands in docs/protocol.md: `python -m tools.protocol` writes them there.

A row is read off a command's declaration and the dataclasses of its handler: their fields, and
their docstrings.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum, EnumType
from itertools import groupby
from pathlib import Path
from typing import Any

from glossator.commands.answers.context import ContextAnswer
from glossator.commands.answers.server import ModelList, StatusAnswer
from glossator.commands.answers.sessions import SessionInfo, UndoAnswer
from glossator.commands.complete import CompleteAnswer
from glossator.commands.declared import CHAT_COMMANDS
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
_MANY = 4  # values of an enum that has a name
_NO_DEFAULT = (MISSING, None, "", (), False)


def generated(text: str) -> str:
    """The document with its tables as they are now."""
    for name, table in (("commands", _commands()), ("chat", _chat())):
        begin, end = f"<!-- {name}: made by `make wire` -->\n", f"<!-- /{name} -->\n"
        before, _, rest = text.partition(begin)
        text = "".join((before, begin, *table, end, rest.partition(end)[2]))
    return text


def _commands() -> list[str]:
    forms = groupby(COMMANDS.items(), key=lambda each: (each[1].request, each[1].answer))
    rows = [(request, answer, [name for name, _ in each]) for (request, answer), each in forms]
    table = _Table(_used_twice(rows))
    return [
        "\n| command | argument | answer | |\n",
        "|---|---|---|---|\n",
        *(table.row(*row) for row in rows),
        "\n",
    ]


def _chat() -> list[str]:
    rows = ["\n| in a chat | command | |\n", "|---|---|---|\n"]
    for chat, name in CHAT_COMMANDS.items():
        words = " …" if chat.words else ""
        rows.append(f"| `/{chat.name}{words}` | `{name}` | {chat.description} |\n")
    return [*rows, "\n"]


class _Table:
    """Writes each row; what was written in an earlier one is named, and not said again."""

    def __init__(self, named: Collection[Any]) -> None:
        self._named = named  # dataclasses and enums that have a name, and are spelled out once
        self._spelled: set[Any] = set()
        self._first: dict[Any, str] = {}  # the first command of each argument and answer
        self._said: set[str] = set()

    def row(self, request: type[Any], answer: type[Any], commands: Sequence[str]) -> str:
        names = ", ".join(f"`{name}`" for name in commands)
        argument = self._once(request, commands[0], self._argument(request))
        answered = self._once(answer, commands[0], self._answer(answer))
        said = dict.fromkeys(filter(None, (_doc(request), *_docs(answer))))
        new = " ".join(each for each in said if each not in self._said)
        self._said |= said.keys()
        return f"| {names} | {argument} | {answered} | {new} |\n"

    def _once(self, kind: type[Any], command: str, written: str) -> str:
        """The form, or whose it was already, whichever is shorter."""
        first = self._first.setdefault(kind, command)
        return written if first == command else min(written, f"as of `{first}`", key=len)

    def _argument(self, kind: type[Any]) -> str:
        return ", ".join(
            f"`{self._field(each, hint, given=True)}`{_default(each)}"
            for each, hint in _hinted(kind)
        )

    def _answer(self, kind: type[Any]) -> str:
        if kind in _TOLD_BELOW:
            return f"{_TOLD_BELOW[kind]}, see below"
        if kind in self._spelled:
            return _name(kind)
        base = _base(kind)
        known = {each.name for each in fields(base)} if base else set()
        own = [f"`{self._field(each, of)}`" for each, of in _hinted(kind) if each.name not in known]
        return ", ".join([*([_TOLD_BELOW[base]] if base else []), *own])

    def _field(self, field: Field[Any], hint: Any, *, given: bool = False) -> str:
        optional = field.default is not MISSING or field.default_factory is not MISSING
        form = self._form(hint, given=given)
        return camel(field.name) + ("?" if optional and given else "") + (form and f": {form}")

    def _form(self, hint: Any, *, given: bool) -> str:
        """What is in a field; "" for plain words, numbers and truth."""
        hint = _SENT_AS.get(hint, hint)
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if hint in _TOLD_BELOW:
            form = _TOLD_BELOW[hint]
        elif origin in (types.UnionType, typing.Union):
            form = " or ".join(filter(None, (self._form(each, given=given) for each in arguments)))
        elif origin is typing.Literal:
            form = _or(arguments)
        elif isinstance(hint, EnumType):
            form = self._enum(typing.cast(type[Enum], hint))
        elif origin in (tuple, list):
            form = f"[{self._form(arguments[0], given=given) or '…'}]"
        elif is_dataclass(hint):
            form = self._dataclass(typing.cast(Any, hint), given=given)
        else:
            form = ""
        return form

    def _enum(self, kind: type[Enum]) -> str:
        values = _or([each.value for each in kind])
        if kind not in self._named or len(kind) < _MANY:
            return values
        if kind in self._spelled:
            return kind.__name__
        self._spelled.add(kind)
        return f"{kind.__name__} ({values})"

    def _dataclass(self, kind: type[Any], *, given: bool) -> str:
        name = _name(kind) if kind in self._named else ""
        if kind in self._spelled and name:
            return name
        self._spelled.add(kind)
        inner = (self._field(each, of, given=given) for each, of in _hinted(kind))
        return " ".join(filter(None, (name, "{" + ", ".join(inner) + "}")))


def _name(kind: type[Any]) -> str:
    """As the client's `wire.ts` has it."""
    return kind.__name__.removesuffix("View")


def _used_twice(rows: Iterable[tuple[type[Any], type[Any], list[str]]]) -> set[Any]:
    """What more than one argument or answer is, or has in its fields."""
    kinds = {kind for request, answer, _ in rows for kind in (request, answer)}
    counted = Counter(part for kind in kinds - _TOLD_BELOW.keys() for part in _parts(kind))
    return {part for part, times in counted.items() if times > 1}


def _parts(kind: Any) -> set[Any]:
    """What the table spells out of a type: the dataclasses and enums in it, at any depth."""
    kind = _SENT_AS.get(kind, kind)
    if kind in _TOLD_BELOW:
        return set()
    if isinstance(kind, EnumType):
        return {kind}
    if not is_dataclass(kind):
        return {part for each in typing.get_args(kind) for part in _parts(each)}
    base = _base(typing.cast(Any, kind))
    known = {each.name for each in fields(base)} if base else set()
    hints = [hint for each, hint in _hinted(typing.cast(Any, kind)) if each.name not in known]
    return {kind, *(part for each in hints for part in _parts(each))}


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


def _docs(answer: type[Any]) -> list[str]:
    """What is said of an answer; of one that is just a list, what is said of its items, too."""
    if answer in _TOLD_BELOW:
        return []
    (_, hint), *more = _hinted(answer)
    item = None if more or not typing.get_args(hint) else typing.get_args(hint)[0]
    return [_doc(answer), *([_doc(item)] if is_dataclass(item) else [])]


def _doc(kind: Any) -> str:
    """The docstring, in the protocol's names."""
    text = "" if kind in _TOLD_BELOW else " ".join((inspect.getdoc(kind) or "").split())
    text = re.sub(r"`([a-z]+(?:_[a-z]+)+)`", lambda name: f"`{camel(name[1])}`", text)
    return "" if text == "Takes nothing." else re.sub(r"\bNone\b", "null", text)


if __name__ == "__main__":
    FILE.write_text(generated(FILE.read_text(encoding="utf-8")), encoding="utf-8")
