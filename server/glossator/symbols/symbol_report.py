"""The result of looking up a name: lines with their definitions, and how complete it is."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, islice

from glossator.core.document import Document
from glossator.core.file_kinds import CODE, language_of
from glossator.core.shown import some_of
from glossator.core.span import Span, runs
from glossator.core.tool_result import Budget, ToolResult, counted, cut, shorten
from glossator.core.uri import to_uri
from glossator.symbols.find import Coverage, Definition, Name, SourceLine, SymbolHits, Use
from glossator.symbols.known_code import Told
from glossator.symbols.symbol import NearSymbol, Symbol
from glossator.tools import Selection, account
from glossator.workspace import WorkspaceSnapshot

MAX_DEFINITIONS, MAX_USES = 50, 250  # lines
MAX_BYTES = 20_000
BODY_LINES, BODY_BYTES = 200, 16_000  # of all definitions together
DEFINITIONS, USES, CALLS = "definitions", "uses", "calls"

_NOTES_BYTES = 2_000
_MAX_LINE_CHARACTERS = 300
_MAX_BODY_CHARACTERS = 500  # of a line
_MAX_DOCUMENTATION = 200  # characters
_LONG_LINE = 500  # characters of a line that is not worth showing
_MINIFIED = (".min.js", ".min.mjs", ".min.cjs", ".min.css")
_ALIKE_FROM = 3  # equal lines, of which the first is shown
_GROUPED_FROM, _GROUPED_SHOWN = 8, 4  # lines in one definition, of which the first few are shown
_MOST_NAMESAKES = 5
_PLACES_LISTED = 20  # of lines that are listed by number


@dataclass(frozen=True, slots=True)
class _FoundLine:
    """One line of the result, and what is known about it."""

    line: SourceLine
    about: str
    within: tuple[str, ...] = ()  # the definitions around it, outermost first
    symbol: Symbol | None = None  # defined there
    is_hit: bool = True  # or a mere mention


@dataclass(frozen=True, slots=True)
class _Row:
    """A part of the result, the lines that it shows or makes citable, and its hits."""

    text: str
    shown: tuple[SourceLine, ...]
    citable: tuple[SourceLine, ...]
    hits: int


@dataclass(slots=True)
class _Bodies:
    """The documents whose definitions are shown whole, and the budget for that."""

    documents: Mapping[str, Document]
    lines: int = BODY_LINES
    bytes: int = BODY_BYTES
    left_out: int = field(default=0, init=False)


def report(
    what: str,
    name: Name,
    found: SymbolHits[Definition] | SymbolHits[Use],
    snapshot: WorkspaceSnapshot,
    selection: Selection,
    *,
    near: Sequence[NearSymbol] = (),
    bodies: Mapping[str, Document] | None = None,
) -> ToolResult:
    """The hits with their lines, then mentions of the name, then what was not searched.

    `what` was looked up. Mentions are shown with uses, and where nothing else was found; symbols
    `near` the name where nothing was. With `bodies`, documents by path, definitions are shown
    whole.
    """
    coverage = found.coverage
    if found.hits and what != USES:
        coverage = replace(coverage, mentions=0)
    whole = None if bodies is None else _Bodies(bodies)
    limit = MAX_DEFINITIONS if what == DEFINITIONS else MAX_USES
    rows = list(islice(_rows(map(_entry, found.hits), what, snapshot, whole), limit))
    if coverage.mentions:
        mentions = (_FoundLine(line, "mentioned", is_hit=False) for line in found.mentions)
        rows += _rows(mentions, "mentions", snapshot)
    kept, _ = cut((row.text for row in rows), Budget(bytes=MAX_BYTES - _NOTES_BYTES))
    shown = rows[: len(kept)]
    omitted = len(found.hits) - sum(row.hits for row in shown)
    parts = [*kept]
    unfinished = list(_unfinished(coverage))
    if not found.hits:
        parts.insert(0, f"Found no {what} of {name.whole}{' in what was read' * bool(unfinished)}.")
        if unfinished:
            parts[:0] = ["The search is incomplete.", *unfinished]
        parts.append(account(snapshot, selection, [_searched(coverage, name)]))
        parts += _similar(near, snapshot)
    if omitted:
        parts.append(f"[{omitted:,} more {what}; narrow by path]")
    if whole and whole.left_out:
        parts.append(f"[without their bodies: {whole.left_out:,}; Read their lines]")
    if found.hits:
        parts += unfinished
    parts += _doubts(coverage, proves_absence=not found.hits)
    return _result(parts, shown, omitted, _outcome(what, found.hits), snapshot)


def told_report(
    what: str, name: Name, told: Told, snapshot: WorkspaceSnapshot, *, narrows: bool
) -> ToolResult:
    """What a language server told of a name, and who it was; nothing else was looked at.

    `narrows`: a path would narrow it.
    """
    rows = list(islice(_rows(map(_entry, told.uses), what, snapshot), MAX_USES))
    kept, _ = cut((row.text for row in rows), Budget(bytes=MAX_BYTES - _NOTES_BYTES))
    shown = rows[: len(kept)]
    omitted = len(told.uses) - sum(row.hits for row in shown)
    parts = [*kept] or [f"There are no {what} of {name.whole}."]
    if omitted:
        parts.append(f"[{omitted:,} more {what}{'; narrow by path' * narrows}]")
    if told.elsewhere:
        parts.append(f"[{told.elsewhere:,} more in notebooks, outside, or hidden by rules]")
    if told.namesakes:
        named = some_of(told.namesakes, _MOST_NAMESAKES)
        parts.append(f"[also named so, and not counted: {named}]")
    if told.unsaid:
        files = some_of([snapshot.relative(path) for path in told.unsaid], _MOST_NAMESAKES)
        unread = f"of other symbols, or of files that {told.by} does not read"
        parts.append(f"[also spelled so in {files}: {unread}]")
    parts.append(f"[by {told.by}]")
    return _result(parts, shown, omitted, _outcome(what, told.uses), snapshot)


def _result(
    parts: Sequence[str],
    shown: Sequence[_Row],
    omitted: int,
    outcome: str,
    snapshot: WorkspaceSnapshot,
) -> ToolResult:
    seen = tuple(_spans((line for row in shown for line in row.shown), snapshot))
    citable = tuple(_spans((line for row in shown for line in row.citable), snapshot))
    return ToolResult("\n".join(parts), seen, omitted, citable=citable, outcome=outcome)


def _outcome(what: str, hits: Sequence[Definition | Use]) -> str:
    """How many were found, for people."""
    files = len({hit.line.path for hit in hits})
    return f"{counted(len(hits), what)} in {counted(files, 'files')}" if hits else f"no {what}"


def _entry(hit: Definition | Use) -> _FoundLine:
    match hit:
        case Definition(line, symbol):
            about = f"{_kind(symbol)}, lines {symbol.first_line}-{symbol.last_line}"
            if symbol.documentation:
                about += f": {shorten(symbol.documentation, _MAX_DOCUMENTATION)}"
            return _FoundLine(line, about, symbol.container, symbol)
        case Use(line, reference):
            where = f" in {' > '.join(reference.within)}" if reference.within else ""
            return _FoundLine(line, f"{reference.kind}{where}", reference.within)


def _kind(symbol: Symbol) -> str:
    where = f" in {' > '.join(symbol.container)}" if symbol.container else ""
    return f"{symbol.kind}{where}"


def _rows(
    entries: Iterable[_FoundLine],
    what: str,
    snapshot: WorkspaceSnapshot,
    bodies: _Bodies | None = None,
) -> Iterator[_Row]:
    """The rows for lines: the first of many in one definition, and counts for minified files."""
    by_line: dict[tuple[str, int], list[_FoundLine]] = defaultdict(list)
    for entry in entries:
        by_line[entry.line.path, entry.line.number].append(entry)
    lines = list(by_line.values())
    alike = Counter(_same_text(line[0]) for line in lines)
    together = Counter(_same_place(line[0]) for line in lines if " in " in line[0].about)
    groups: dict[object, list[list[_FoundLine]]] = defaultdict(list)
    for line in lines:
        first = line[0]
        text, place = _same_text(first), _same_place(first)
        if len(first.line.text) > _LONG_LINE or first.line.path.endswith(_MINIFIED):
            groups[first.line.path].append(line)
        elif alike[text] >= _ALIKE_FROM:
            groups[text].append(line)
        else:
            groups[place if together[place] >= _GROUPED_FROM else first].append(line)
    for key, group in groups.items():
        if isinstance(key, str):
            yield _minified(group, what, snapshot)
            continue
        identical = key == _same_text(group[0][0])
        shown = 1 if identical else _GROUPED_SHOWN
        for line in group[:shown]:
            yield (bodies and _body(line, bodies, snapshot)) or _line(line, snapshot)
        if group[shown:]:
            yield _more(group[shown:], _abouts(group[0]), identical=identical)


def _same_text(entry: _FoundLine) -> tuple[object, ...]:
    return "text", entry.line.path, entry.within, entry.line.text.strip()


def _same_place(entry: _FoundLine) -> tuple[object, ...]:
    return "place", entry.line.path, entry.about


def _abouts(line: Iterable[_FoundLine]) -> str:
    return "; ".join(dict.fromkeys(entry.about for entry in line))


def _row(
    text: str,
    entries: Sequence[_FoundLine],
    shown: Iterable[SourceLine] = (),
    citable: Iterable[SourceLine] = (),
) -> _Row:
    return _Row(text, tuple(shown), tuple(citable), sum(entry.is_hit for entry in entries))


def _line(entries: Sequence[_FoundLine], snapshot: WorkspaceSnapshot) -> _Row:
    line = entries[0].line
    text = shorten(line.text, _MAX_LINE_CHARACTERS)
    text = f"{snapshot.relative(line.path)}:{line.number}:{text}  [{_abouts(entries)}]"
    if len(line.text) <= _MAX_LINE_CHARACTERS:
        return _row(text, entries, shown=[line])
    return _row(text, entries, citable=[line])


def _more(lines: Sequence[Sequence[_FoundLine]], known: str, *, identical: bool) -> _Row:
    """Lines like one that is shown, by number; details already `known` are not repeated.

    Lines with `identical` text may be cited, too.
    """
    numbers: dict[str, list[int]] = defaultdict(list)
    for line in lines:
        numbers[_abouts(line)].append(line[0].line.number)
    places = [
        (first, last, "" if about == known else f" [{about}]")
        for about, each in numbers.items()
        for first, last in runs(each)
    ]
    listed = {n for first, last, _ in places[:_PLACES_LISTED] for n in range(first, last + 1)}
    entries = [entry for line in lines for entry in line]
    listed_places = _listed([_place(first, last) + about for first, last, about in places])
    text = f"  … and {len(lines):,} more like it, lines {listed_places}"
    same = [entry.line for entry in entries if identical and entry.line.number in listed]
    return _row(text, entries, citable=same)


def _minified(
    lines: Sequence[Sequence[_FoundLine]], what: str, snapshot: WorkspaceSnapshot
) -> _Row:
    entries = [entry for line in lines for entry in line]
    path = entries[0].line.path
    kind = "minified" if language_of(path) in CODE else "long"
    number = counted(len(lines), f"{kind} lines")
    numbers = [line[0].line.number for line in lines]
    places = _listed([_place(first, last) for first, last in runs(numbers)])
    text = f"{snapshot.relative(path)}: {counted(len(entries), what)} in {number}: {places}"
    return _row(text, entries)


def _place(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _listed(places: Sequence[str]) -> str:
    return ", ".join([*places[:_PLACES_LISTED], *(["…"] if len(places) > _PLACES_LISTED else [])])


def _body(
    entries: Sequence[_FoundLine], bodies: _Bodies, snapshot: WorkspaceSnapshot
) -> _Row | None:
    """A definition with its body, as Read shows lines; None if the budget is used up."""
    line, symbol = entries[0].line, entries[0].symbol
    document = bodies.documents.get(line.path)
    if symbol is None or document is None or document.sha256 != line.sha256:
        bodies.left_out += 1
        return None
    first, last = symbol.first_line, min(symbol.last_line, len(document.lines))
    lines = [
        SourceLine(line.path, line.sha256, number, text)
        for number, text in enumerate(document.lines[first - 1 : last], first)
    ]
    numbered = (f"{each.number}\t{shorten(each.text, _MAX_BODY_CHARACTERS)}" for each in lines)
    kept, left = cut(numbered, Budget(bodies.lines, bodies.bytes))
    if not kept:
        bodies.left_out += 1
        return None
    bodies.lines -= len(kept)
    bodies.bytes -= sum(len(each.encode("utf-8", "surrogatepass")) + 1 for each in kept)
    path = snapshot.relative(line.path)
    parts = [f"{path}:{first}-{last}  [{_kind(symbol)}]", *kept]
    if left:
        offset = first + len(kept)
        parts.append(f"[go on with Read: path={path}, offset={offset}, limit={left}]")
    shown = lines[: len(kept)]
    return _row(
        "\n".join(parts),
        entries,
        shown=[each for each in shown if len(each.text) <= _MAX_BODY_CHARACTERS],
        citable=[each for each in shown if len(each.text) > _MAX_BODY_CHARACTERS],
    )


def _similar(near: Sequence[NearSymbol], snapshot: WorkspaceSnapshot) -> Iterator[str]:
    """Definitions with similar names."""
    if near:
        yield "Similar names:"
    for each in near:
        place = f"{snapshot.relative(each.path)}:{each.symbol.name_line}"
        more = f" and {each.others:,} more" if each.others else ""
        yield f"  {each.symbol.name}: {place}{more} [{_kind(each.symbol)}]"


def _searched(coverage: Coverage, name: Name) -> str:
    return (
        f"{coverage.candidates:,} of them may contain {name.last!r}, by the index or as open files;"
        f" {coverage.read:,} were read, {coverage.holding:,} contain it."
    )


def _unfinished(coverage: Coverage) -> Iterator[str]:
    """The reasons why not all files that may hold the name were read."""
    if coverage.worker_away:
        why = f" (it {coverage.why_away})" if coverage.why_away else ""
        yield f"The worker process is not running{why}, so few files were read: try again later."
    if count := coverage.unread:
        yield f"{_files(count, 'more ')} may contain the name and were not read: narrow by path."


def _doubts(coverage: Coverage, *, proves_absence: bool) -> Iterator[str]:
    """What else may be missing; binary files count if nothing was found."""
    if (count := coverage.unreadable) and proves_absence:
        yield f"{_files(count)} could not be read as text."
    if count := coverage.unparsed:
        yield f"{_files(count)} with the name could not be parsed: use Grep there."
    if count := coverage.mentions:
        lines = "1 line mentions" if count == 1 else f"{count:,} lines mention"
        yield f"{lines} the name in files of languages that are not parsed."


def _files(count: int, more: str = "") -> str:
    return f"{count:,} {more}file" + ("s" if count != 1 else "")


def _spans(lines: Iterable[SourceLine], snapshot: WorkspaceSnapshot) -> Iterator[Span]:
    """Spans of consecutive lines."""
    places = sorted({(line.path, line.sha256, line.number) for line in lines})
    for (path, sha256), group in groupby(places, key=lambda place: place[:2]):
        overlay = snapshot.overlays.get(path)
        uri = to_uri(path) if overlay is None else overlay.uri
        for first, last in runs(number for *_, number in group):
            yield Span(uri, sha256, first, last)
