"""The server's types as TypeScript: `python -m tools.mirror` writes them to the client.

They are read off the dataclasses themselves, as `core.wire` sends and takes them, so that nothing
has to be written twice.
"""

from __future__ import annotations

import inspect
import json
import re
import types
import typing
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, Field, fields
from enum import EnumType, StrEnum
from pathlib import Path
from typing import Any

from glossator.commands.declared import CHAT_COMMANDS
from glossator.commands.loaded import COMMANDS
from glossator.core.attached import EditorState, FileDiagnostics, Wanted
from glossator.core.citation_words import DOING
from glossator.core.citations import GRAMMAR
from glossator.core.code import CodeAnswer, CodeKind
from glossator.core.edit import EditPlan, PlanView
from glossator.core.events import Envelope, Event, TurnsUndone
from glossator.core.permission import PermissionAnswer, PermissionRequest
from glossator.core.ports import Review, TerminalTold
from glossator.core.question import Asker, Question, QuestionAnswer
from glossator.core.run_events import JobsChanged, SessionNow, UnsavedFiles
from glossator.core.shown import PATTERNS
from glossator.core.span import GRAVEST, Citation, CitationView
from glossator.core.wire import camel
from glossator.core.words import CHOICES, MODES, TOOLS, Act, Became
from tools.manifest import OFFERED

FILE = Path(__file__).parents[1] / "vscode-client" / "src" / "wire.ts"

_HEAD = """\
// What goes over the wire; see docs/protocol.md. Made from the server's own types by
// `make wire`, and compared with them by a test. Lines are 1-based and inclusive.
"""
_PLAIN = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
    Any: "unknown",
    object: "unknown",
    dict: "Readonly<Record<string, unknown>>",
    Envelope: "Event",
}
_MODE = "{ readonly id: Mode; readonly label: string; readonly detail: string }"
_ASKED: tuple[type[Any], ...] = (
    CodeKind,
    Wanted,
    TurnsUndone,
    JobsChanged,
    UnsavedFiles,
    SessionNow,
)
_ANSWERED: tuple[type[Any], ...] = (
    QuestionAnswer,
    PermissionAnswer,
    Review,
    FileDiagnostics,
    CodeAnswer,
    TerminalTold,
    EditorState,
)
_SENT_AS: dict[type[Any], Any] = {  # what is sent in another form than it is kept
    Citation: CitationView,
    EditPlan: PlanView,
    Envelope: Event,
}
_KEPT_AS: dict[type[Any], type[Any]] = {PlanView: EditPlan}  # whose name the view has
_REQUESTS = {  # what is sent with the session that asks, and the properties that are sent with it
    "PermissionRequest": (PermissionRequest, ("choices",)),
    "Question": (Question, ()),
    "ReviewRequest": (PlanView, ()),
}


class Mirror:
    """Collects the types that are reached, each rendered once."""

    def __init__(self) -> None:
        self._rendered: dict[str, str] = {}

    def text(self) -> str:
        """The whole file."""
        for kind in _ANSWERED:
            self.type_of(kind, given=True)
        for kind in _ASKED:
            self.type_of(kind)
        for name, (kind, properties) in _REQUESTS.items():
            self._request(name, kind, properties)
        events = " | ".join(map(self._event, typing.get_args(Event)))
        commands = "\n".join(map(self._command, COMMANDS))
        chat = "\n".join(f'  "{each.name}": "{name}",' for each, name in CHAT_COMMANDS.items())
        offered = "\n".join(f'  | "{name}"' for name in OFFERED)
        grammar = "\n".join(f"  {name}: {_in_js(each)}," for name, each in GRAMMAR.items())
        gravest = ", ".join(f'"{each}"' for each in GRAVEST)
        doing = "\n".join(f'  {state}: "{words}",' for state, words in DOING.items())
        modes = "\n".join(
            f'  {{ id: "{mode}", label: "{label}", detail: "{detail}" }},'
            for mode, (label, detail) in MODES.items()
        )
        choices = "\n".join(f'  {choice}: "{label}",' for choice, label in CHOICES.items())
        acts, became = _words(Act), _words(Became)
        tools = "\n".join(f'  {tool}: "{name}",' for tool, name in TOOLS.items())
        unseen = "\n".join(f"  {name}: {_in_js(each)}," for name, each in PATTERNS.items())
        return "\n".join(
            (
                _HEAD,
                *(self._rendered[name] for name in sorted(self._rendered)),
                "/** All that a run tells while it goes on. */",
                f"export type Event = {events};\n",
                "/** What each command takes and answers. */",
                f"export interface Commands {{\n{commands}\n}}\n",
                "/** Those of them that VS Code offers; package.json has their titles. */",
                f"export type Offered =\n{offered};\n",
                "/** What a question that begins with `/` does instead. */",
                f"export const CHAT_COMMANDS = {{\n{chat}\n}} as const;\n",
                "/** How citations are written: regular expressions, without regard to case. */",
                f"export const CITATIONS = {{\n{grammar}\n}} as const;\n",
                "/** What checking a citation found, the gravest first. */",
                f"export const GRAVEST: readonly CitationStatus[] = [{gravest}];\n",
                "/** What is said of a run in a state. */",
                f"export const DOING: Partial<Record<RunState, string>> = {{\n{doing}\n}};\n",
                "/** The modes as they are called, and what each does without asking. */",
                f"export const MODES: readonly ({_MODE})[] = [\n{modes}\n];\n",
                "/** What the answers to a permission are called. */",
                f"export const CHOICES: Readonly<Record<Choice, string>> = {{\n{choices}\n}};\n",
                "/** What buttons, keys and commands do, as it is called. */",
                f"export const ACTS = {{\n{acts}\n}} as const;\n",
                "/** What has become of edits, runs and worktrees. */",
                f"export const BECAME = {{\n{became}\n}} as const;\n",
                "/** Tools that people see under another name than the model's. */",
                f"export const TOOLS: Readonly<Record<string, string>> = {{\n{tools}\n}};\n",
                "/** What of a text is shown escaped: see core/shown.py. Regular expressions. */",
                f"export const SHOWN = {{\n{unseen}\n}} as const;\n",
            )
        )

    def type_of(self, hint: Any, *, given: bool = False) -> str:
        """A type expression as TypeScript; the types in it are rendered, too.

        What is `given` to the server may leave out what has a default.
        """
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if hint in _PLAIN:
            return _PLAIN[hint]
        if origin in (types.UnionType, typing.Union):
            return " | ".join(self.type_of(each, given=given) for each in arguments)
        if origin is typing.Literal:
            return " | ".join(f'"{value}"' for value in arguments)
        if origin in (tuple, list):
            return f"ReadonlyArray<{self.type_of(arguments[0], given=given)}>"
        if origin is dict:
            return _PLAIN[dict]
        return self._named(hint, given=given)

    def _named(self, kind: type[Any], *, given: bool) -> str:
        kind = _KEPT_AS.get(kind, kind)
        name = kind.__name__.removesuffix("View")
        if name not in self._rendered:
            self._rendered[name] = ""  # it may hold itself
            sent = _SENT_AS.get(kind, kind)
            if isinstance(sent, EnumType):
                values = " | ".join(f'"{member.value}"' for member in sent)  # type: ignore[var-annotated]  # it has members
                text = f"export type {name} = {values};\n"
            else:
                text = self._interface(name, self._fields(sent, given=given))
            self._rendered[name] = _doc(sent) + text
        return name

    def _interface(self, name: str, fields: Iterable[str]) -> str:
        body = "".join(f"\n  readonly {field};" for field in fields)
        return (
            f"export interface {name} {{{body}\n}}\n" if body else f"export type {name} = object;\n"
        )

    def _fields(self, kind: type[Any], *, given: bool) -> Iterator[str]:
        hints = typing.get_type_hints(kind)
        optional = {each.name for each in fields(kind) if _has_default(each)} if given else set()
        for name in (each.name for each in fields(kind)):
            mark = "?" if name in optional else ""
            yield f"{camel(name)}{mark}: {self.type_of(hints[name], given=given)}"

    def _event(self, kind: type[Any]) -> str:
        name = f"{kind.__name__}Event"
        head = ("runId: string", "seq: number", f'kind: "{kind.kind}"')
        told = self._fields(kind, given=False)
        self._rendered[name] = _doc(kind) + self._interface(name, (*head, *told))
        return name

    def _request(self, name: str, kind: type[Any], properties: Iterable[str]) -> None:
        more = (
            f"{each}: {self.type_of(typing.get_type_hints(getattr(kind, each).fget)['return'])}"
            for each in properties
        )
        sent = (*self._fields(kind, given=False), *more, *self._fields(Asker, given=False))
        self._rendered[name] = _doc(kind) + self._interface(name, sent)

    def _command(self, name: str) -> str:
        command = COMMANDS[name]
        request = self.type_of(command.request, given=True)
        answer = self.type_of(command.answer)
        return f'  readonly "{name}": {{ readonly request: {request}; readonly answer: {answer} }};'


def _words(words: type[StrEnum]) -> str:
    return "\n".join(
        f'  {camel(name.lower())}: "{each}",' for name, each in words.__members__.items()
    )


def _in_js(pattern: str) -> str:
    """A regular expression of Python's as the text of one of JavaScript's."""
    pattern = re.sub(r"\\U000([0-9a-f]{5})", r"\\u{\1}", pattern)
    return json.dumps(re.sub(r"\(\?P=(\w+)\)", r"\\k<\1>", pattern).replace("(?P<", "(?<"))


def _has_default(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _doc(kind: type[Any]) -> str:
    first = (inspect.getdoc(kind) or "").partition("\n\n")[0].replace("\n", " ")
    return f"/** {first} */\n"


if __name__ == "__main__":
    FILE.write_text(Mirror().text(), encoding="utf-8")
