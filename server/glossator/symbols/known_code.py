"""What language servers know of a name, in the form in which uses by spelling are shown.

The model names a symbol; servers want the place of a name. So a name that only one symbol has is
looked up by the outlines, and any other needs a line. What a server tells is trusted as far as it
goes: places in files that may not be shown are only counted.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from glossator.core.code import CodeAnswer, CodeKind, CodePlace, CodeQuestion, CodeServers
from glossator.core.document import Document
from glossator.core.errors import UsageError
from glossator.core.uri import to_path
from glossator.symbols.candidates import SearchScope
from glossator.symbols.find import Definition, Name, SourceLine, SymbolHits, Use
from glossator.symbols.finder import ALL_USES, CALLS, SymbolFinder
from glossator.symbols.references import Reference, ReferenceKind
from glossator.tools import IsHidden, ToolContext, in_thread, visible
from glossator.workspace import WorkspaceSnapshot, is_inside

SECONDS = 10.0  # that an answer is waited for; a server that starts reads the whole workspace

_KINDS: Mapping[CodeKind, frozenset[str]] = {
    CodeKind.REFERENCES: ALL_USES,
    CodeKind.CALLERS: CALLS,
}
_UNSPELLED: Mapping[CodeKind, ReferenceKind] = {
    CodeKind.REFERENCES: "reference",
    CodeKind.CALLERS: "call",
}
_DEFINITION = frozenset({"definition"})

_AMBIGUOUS = "{:,} definitions have this name: qualify it, or give path and line"
_UNDEFINED = "no definition of it was found"


@dataclass(frozen=True, slots=True)
class NamePlace:
    """Where a name stands: its document, the 1-based line, and the column in characters from 0."""

    document: Document
    line: int
    column: int

    def question(self, kind: CodeKind, new_name: str = "") -> CodeQuestion:
        """A question about the name there."""
        document = self.document
        before = document.lines[self.line - 1][: self.column]
        return CodeQuestion(
            kind, document.uri, self.line - 1, before, document.text, document.version, new_name
        )


@dataclass(frozen=True, slots=True)
class Told:
    """The lines that a server told of, `by` name; `elsewhere` counts those that are not shown."""

    by: str
    uses: tuple[Use, ...]
    elsewhere: int

    def within(self, path: str) -> Told:
        """The uses at or below an absolute path."""
        return replace(self, uses=tuple(use for use in self.uses if is_inside(use.line.path, path)))


def place_on(document: Document, line: int, name: Name) -> NamePlace:
    """The place of a name on a 1-based line. Raises `UsageError` if it is not there."""
    text = document.lines[line - 1] if 1 <= line <= len(document.lines) else None
    word = None if text is None else re.search(rf"(?<!\w){re.escape(name.last)}(?!\w)", text)
    if word is None:
        raise UsageError(
            f"{name.last!r} does not stand on line {line:,}.\nGive the line that a result showed"
            " it on, or leave line out."
        )
    return NamePlace(document, line, word.start())


async def place_of(
    finder: SymbolFinder, snapshot: WorkspaceSnapshot, name: Name, hides: IsHidden | None
) -> NamePlace | str:
    """Where the only symbol of this name is defined; else why that is not known."""
    found = await finder.definitions(snapshot, name, SearchScope(hides=hides))
    symbols: dict[object, Definition] = {}
    for each in found.hits:  # a name that is defined again in one place (overloads) is one symbol
        symbols.setdefault((each.line.path, each.symbol.container), each)
    if len(symbols) != 1:
        return _AMBIGUOUS.format(len(symbols)) if symbols else _UNDEFINED
    (only,) = symbols.values()
    document = await in_thread(visible, snapshot, only.line.path, hides)
    if isinstance(document, str) or document.sha256 != only.line.sha256:
        return "its file changed meanwhile"
    return NamePlace(document, only.symbol.name_line, only.symbol.name_column)


async def uses_told(
    servers: CodeServers, place: NamePlace, kind: CodeKind, context: ToolContext
) -> Told | str:
    """The uses of the name at `place`, as a server knows them; else why none does."""
    answer = await servers.ask(place.question(kind), SECONDS)
    if isinstance(answer, str):
        return answer
    snapshot, hides = context.snapshot, context.hidden
    scope = SearchScope(hides=hides)
    spelled = await context.need(SymbolFinder).uses(snapshot, _name_at(place), ALL_USES, scope)
    return await in_thread(_told, answer, kind, spelled, snapshot, hides)


def _name_at(place: NamePlace) -> Name:
    text = place.document.lines[place.line - 1][place.column :]
    word = re.match(r"\w+", text)
    return Name.parse(word[0] if word else text)


def _told(
    answer: CodeAnswer,
    kind: CodeKind,
    spelled: SymbolHits[Use],
    snapshot: WorkspaceSnapshot,
    hides: IsHidden | None,
) -> Told:
    """The places as uses: those that are spelled as the name with what the parser knows of them."""
    known: dict[tuple[str, int], list[Use]] = defaultdict(list)
    for use in spelled.hits:
        known[use.line.path, use.line.number].append(use)
    uses: list[Use] = []
    elsewhere = 0
    for uri, places in _by_document(answer.places):
        path = to_path(uri)
        document = None if path is None else visible(snapshot, path, hides)
        if not isinstance(document, Document):
            elsewhere += len(places)
            continue
        for place in places:
            if not 0 <= place.line < len(document.lines):
                continue  # the text is another by now
            line = SourceLine(
                document.path, document.sha256, place.line + 1, document.lines[place.line]
            )
            named = known.get((line.path, line.number), ())
            fitting = [use for use in named if use.reference.kind in _KINDS.get(kind, _DEFINITION)]
            uses += fitting or [_unspelled(line, place, kind)]
    return Told(answer.by, tuple(dict.fromkeys(uses)), elsewhere)


def _by_document(places: Iterable[CodePlace]) -> Iterator[tuple[str, Sequence[CodePlace]]]:
    by_uri: dict[str, dict[int, CodePlace]] = {}
    for place in places:
        by_uri.setdefault(place.uri, {}).setdefault(place.line, place)
    for uri in sorted(by_uri):
        yield uri, [by_uri[uri][line] for line in sorted(by_uri[uri])]


def _unspelled(line: SourceLine, place: CodePlace, kind: CodeKind) -> Use:
    """A use under another name, or one of what has another name."""
    within = (place.name,) if place.name and kind is CodeKind.CALLERS else ()
    return Use(
        line, Reference(line.number, 0, len(line.text), _UNSPELLED.get(kind, "definition"), within)
    )
