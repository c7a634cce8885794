"""What language servers know of a name, in the form in which uses by spelling are shown.

The model names a symbol; servers want the place of a name. So a name that only one symbol has is
looked up by the outlines, and any other needs a line. What a server tells is trusted as far as it
goes: places in files that may not be shown are only counted.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from glossator.core.code import CodeKind, CodePlace, CodeQuestion, CodeServers
from glossator.core.document import Document
from glossator.core.errors import UsageError
from glossator.core.file_kinds import CODE, language_of
from glossator.core.notebook import is_notebook
from glossator.core.shown import some_of
from glossator.core.uri import to_path
from glossator.symbols.candidates import SearchScope
from glossator.symbols.find import Definition, Limits, Name, SourceLine, SymbolHits, Use
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

_AMBIGUOUS = "{:,} definitions have this name ({}): qualify it, or give path and line"
_MOST_OUTLINED = 60  # definitions of which it is said what they are
_LABELS = Limits(texts=2_000, hits=20_000, seconds=5.0)
_SPELLED = Limits(texts=300, hits=2_000, seconds=0.5)  # while the server is asked
_MOST_NAMED = 6  # of them
_NOTEBOOK = "servers do not count the lines of notebooks as they are shown"
_UNDEFINED = "no definition of it was found"
_UNSEARCHED = "not all files that may define it were read"
# where one name is defined several times in one place: overloads, conditions, declarations
_DEFINED_AGAIN = frozenset({"python", "typescript", "tsx", "javascript"})
_QUALIFIES = (".", "->", "::")


@dataclass(frozen=True, slots=True)
class NamePlace:
    """Where a name stands: its document, the 1-based line, and the column in characters from 0."""

    document: Document
    line: int
    column: int
    name: str

    def question(self, kind: CodeKind, new_name: str = "") -> CodeQuestion:
        """A question about the name there."""
        document = self.document
        before = document.lines[self.line - 1][: self.column]
        return CodeQuestion(
            kind, document.uri, self.line - 1, before, document.text, document.version, new_name
        )


@dataclass(frozen=True, slots=True)
class Told:
    """The lines that a server told of, `by` name; `elsewhere` counts those that are not shown.

    `namesakes` are other methods of the name, which count for themselves. `unsaid` are the files
    (absolute paths) of which nothing was told though their code spells the name.
    """

    by: str
    uses: tuple[Definition | Use, ...]
    elsewhere: int
    namesakes: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()

    def within(self, path: str) -> Told:
        """The uses at or below an absolute path."""
        uses = tuple(use for use in self.uses if is_inside(use.line.path, path))
        unsaid = tuple(each for each in self.unsaid if is_inside(each, path))
        return replace(self, uses=uses, unsaid=unsaid)


def place_on(document: Document, line: int, name: Name) -> NamePlace:
    """The place of a name on a 1-based line, qualified if it is. Raises `UsageError` if none is."""
    text = document.lines[line - 1] if 1 <= line <= len(document.lines) else ""
    word = re.compile(rf"(?<!\w){re.escape(name.last)}(?!\w)")
    columns = [match.start() for match in word.finditer(text)]
    if not columns:
        raise UsageError(
            f"{name.last!r} does not stand on line {line:,}.\nGive the line that a result showed"
            " it on, or leave line out."
        )
    wanted = bool(name.scope)
    fitting = [each for each in columns if text[:each].rstrip().endswith(_QUALIFIES) == wanted]
    return NamePlace(document, line, (fitting or columns)[0], name.last)


async def place_at(context: ToolContext, path: str, line: int, name: Name) -> NamePlace:
    """Like `place_on`, in the file that a model names."""
    document = await in_thread(visible, context.snapshot, path, context.hidden)
    if isinstance(document, str):
        raise UsageError(document)
    return place_on(document, line, name)


async def place_of(
    finder: SymbolFinder, snapshot: WorkspaceSnapshot, name: Name, scope: SearchScope
) -> NamePlace | str:
    """Where the only symbol of this name is defined; else why that is not known."""
    found = await finder.definitions(snapshot, name, scope)
    symbols: dict[object, Definition] = {}
    for each in found.hits:
        again = each.language in _DEFINED_AGAIN
        where = each.line.path, each.symbol.container, None if again else each.line.number
        symbols.setdefault(where, each)
    if len(symbols) > 1:
        places = [_named(each, snapshot) for each in symbols.values()]
        return _AMBIGUOUS.format(len(places), some_of(places, _MOST_NAMED))
    coverage = found.coverage
    if coverage.unread or coverage.worker_away:
        return _UNSEARCHED
    if not symbols:
        return _UNDEFINED
    (only,) = symbols.values()
    document = await in_thread(visible, snapshot, only.line.path, scope.hides)
    if isinstance(document, str) or document.sha256 != only.line.sha256:
        return "its file changed meanwhile"
    symbol = only.symbol
    return NamePlace(document, symbol.name_line, symbol.name_column, symbol.name)


def _named(definition: Definition, snapshot: WorkspaceSnapshot) -> str:
    symbol, line = definition.symbol, definition.line
    name = ".".join((*symbol.container, symbol.name))
    return f"{name} {snapshot.relative(line.path)}:{line.number}"


async def uses_told(
    servers: CodeServers, place: NamePlace, kind: CodeKind, context: ToolContext
) -> Told | str:
    """The uses of the name at `place`, as a server knows them; else why none does."""
    if is_notebook(place.document.path):
        return _NOTEBOOK
    snapshot, hides = context.snapshot, context.hidden
    finder, name = context.need(SymbolFinder), Name.parse(place.name)
    asking = servers.ask(place.question(kind), SECONDS)
    if kind not in _KINDS:
        answer, spelled = await asking, None
    else:
        scope = SearchScope(languages=CODE, hides=hides)
        looking = finder.uses(snapshot, name, ALL_USES, scope, _SPELLED)
        answer, spelled = await asyncio.gather(asking, looking)
    if isinstance(answer, str):
        return unquoted(answer, context.hidden)
    seen, elsewhere = await in_thread(_seen, answer.places, snapshot, hides)
    if spelled is None:
        named = seen[:_MOST_OUTLINED]
        hits: list[Definition | Use] = [await _defined(finder, snapshot, *each) for each in named]
        hits += [_unspelled(*each, kind) for each in seen[_MOST_OUTLINED:]]
        return Told(answer.by, tuple(dict.fromkeys(hits)), elsewhere)
    files = frozenset(document.path for document, _ in seen)
    defining = (await finder.definitions(snapshot, name, SearchScope(hides=hides))).hits
    own = {each.line.path for each in defining}  # of which nothing need be told
    alike = {use.line.path for use in spelled.hits if use.reference.kind in _KINDS[kind]}
    unsaid = sorted(alike - files - own)
    if spelled.coverage.unread:  # a common name, of which a list of files would tell nothing
        unsaid = []
        scope = SearchScope(only=files, hides=hides)
        spelled = await finder.uses(snapshot, name, ALL_USES, scope, _LABELS)
    uses = _labelled(seen, kind, spelled)
    known = {(use.line.path, use.line.number) for use in uses}
    others = namesakes(defining, known | {(place.document.path, place.line)}, snapshot)
    return Told(answer.by, uses, elsewhere, others, tuple(unsaid))


def namesakes(
    found: Sequence[Definition], known: AbstractSet[tuple[str, int]], snapshot: WorkspaceSnapshot
) -> tuple[str, ...]:
    """Of the definitions found other methods of the name of a method, in words, with places.

    One may override the other. `known` are the lines of the method and its uses, by path and
    1-based number.
    """
    methods = {(each.line.path, each.line.number): each for each in found if each.symbol.container}
    if methods.keys().isdisjoint(known):
        return ()
    return tuple(_named(each, snapshot) for at, each in methods.items() if at not in known)


def unquoted(reason: str, hides: IsHidden | None) -> str:
    """A server's words, or where rules hide files, which it may quote, only what they are about."""
    return reason if hides is None else reason.partition(":")[0]


def _seen(
    places: Iterable[CodePlace], snapshot: WorkspaceSnapshot, hides: IsHidden | None
) -> tuple[list[tuple[Document, CodePlace]], int]:
    """The places in documents that may be shown, and how many others there are; blocking."""
    seen: list[tuple[Document, CodePlace]] = []
    elsewhere = 0
    for uri, each in _by_document(places):
        path = to_path(uri)
        document = None if path is None else visible(snapshot, path, hides)
        if not isinstance(document, Document) or is_notebook(document.path):
            elsewhere += len(each)
        else:  # a line beyond the end is one of another text
            seen += [(document, at) for at in each if 0 <= at.line < len(document.lines)]
    return seen, elsewhere


async def _defined(
    finder: SymbolFinder, snapshot: WorkspaceSnapshot, document: Document, place: CodePlace
) -> Definition | Use:
    """What is defined on the line of a place."""
    symbols = await finder.outline(snapshot, document, name_line=place.line + 1)
    if not symbols:
        return _unspelled(document, place, CodeKind.DEFINITIONS)
    return Definition(_line(document, place), symbols[0], language_of(document.path) or "")


def _labelled(
    seen: Iterable[tuple[Document, CodePlace]], kind: CodeKind, spelled: SymbolHits[Use]
) -> tuple[Use, ...]:
    """The places as uses: those that are spelled as the name with what the parser knows of them."""
    known: dict[tuple[str, int], list[Use]] = defaultdict(list)
    for use in spelled.hits:
        if use.reference.kind in _KINDS[kind]:
            known[use.line.path, use.line.number].append(use)
    uses: list[Use] = []
    for document, place in seen:
        uses += known.get((document.path, place.line + 1)) or [_unspelled(document, place, kind)]
    return tuple(dict.fromkeys(uses))


def _line(document: Document, place: CodePlace) -> SourceLine:
    text = document.lines[place.line]
    return SourceLine(document.path, document.sha256, place.line + 1, text)


def _by_document(places: Iterable[CodePlace]) -> Iterator[tuple[str, Sequence[CodePlace]]]:
    by_uri: dict[str, dict[int, CodePlace]] = {}
    for place in places:
        by_uri.setdefault(place.uri, {}).setdefault(place.line, place)
    for uri in sorted(by_uri):
        yield uri, [by_uri[uri][line] for line in sorted(by_uri[uri])]


def _unspelled(document: Document, place: CodePlace, kind: CodeKind) -> Use:
    """A use under another name, or one of what has another name."""
    within = (place.name,) if place.name and kind is CodeKind.CALLERS else ()
    line, meant = _line(document, place), _UNSPELLED.get(kind, "definition")
    return Use(line, Reference(line.number, 0, len(line.text), meant, within))
