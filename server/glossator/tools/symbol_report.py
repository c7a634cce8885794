"""What a look-up of a name found, for the model: lines with their places, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from glossator.core.span import Span, runs
from glossator.core.tool_result import Budget, ToolResult, cut, shorten
from glossator.core.uri import to_uri
from glossator.tools.account import account
from glossator.tools.selection import Selection
from glossator.workspace.snapshot import WorkspaceSnapshot
from glossator.workspace.symbols.find import Coverage, Definition, Found, Line, Use
from glossator.workspace.symbols.names import Name

MAX_BYTES = 20_000
DEFINITIONS, USES, CALLS = "definitions", "uses", "calls"

_NOTES_BYTES = 1_500
_MAX_LINE_CHARACTERS = 300
_MAX_DOCUMENTATION = 200  # characters


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of a text and what is known about it."""

    line: Line
    about: str


def report(
    what: str,
    name: Name,
    found: Found[Definition] | Found[Use],
    limit: int,
    snapshot: WorkspaceSnapshot,
    selection: Selection,
) -> ToolResult:
    """The hits with their lines, then mere mentions of the name, then what was not looked at.

    `what` was looked for. Mentions matter to who wants all uses, and where nothing else was found.
    """
    entries = [_entry(hit) for hit in found.hits[:limit]]
    coverage = found.coverage
    if found.hits and what != USES:
        coverage = replace(coverage, mentions=0)
    if coverage.mentions:
        entries += [_Entry(line, "mentioned") for line in found.mentions]
    shown = [
        f"{snapshot.relative(entry.line.path)}:{entry.line.number}:"
        f"{shorten(entry.line.text, _MAX_LINE_CHARACTERS)}  [{entry.about}]"
        for entry in entries
    ]
    kept, _ = cut(shown, Budget(bytes=MAX_BYTES - _NOTES_BYTES))
    omitted = len(found.hits) - min(len(kept), len(found.hits))
    parts = [*kept]
    if not found.hits:
        parts.insert(0, f"Found no {what} of {name.whole}.")
        parts.append(account(snapshot, selection, [_searched(coverage, name)]))
    if omitted:
        parts.append(f"[{omitted:,} more {what}; narrow by path]")
    parts += _doubts(coverage)
    told = entries[: len(kept)]
    whole = [each for each in told if len(each.line.text) <= _MAX_LINE_CHARACTERS]
    shortened = [each for each in told if len(each.line.text) > _MAX_LINE_CHARACTERS]
    return ToolResult(
        "\n".join(parts),
        tuple(_spans(whole, snapshot)),
        omitted,
        vouched=tuple(_spans(shortened, snapshot)),
    )


def _entry(hit: Definition | Use) -> _Entry:
    match hit:
        case Definition(line, symbol):
            where = f" in {' > '.join(symbol.container)}" if symbol.container else ""
            about = f"{symbol.kind}{where}, lines {symbol.first_line}-{symbol.last_line}"
            if symbol.documentation:
                about += f": {shorten(symbol.documentation, _MAX_DOCUMENTATION)}"
            return _Entry(line, about)
        case Use(line, reference):
            where = f" in {' > '.join(reference.within)}" if reference.within else ""
            return _Entry(line, f"{reference.kind}{where}")


def _searched(coverage: Coverage, name: Name) -> str:
    return (
        f"{coverage.candidates:,} of them may hold {name.last!r} by the index or are open;"
        f" {coverage.read:,} were read, {coverage.holding:,} hold it."
    )


def _doubts(coverage: Coverage) -> Iterator[str]:
    """What keeps the answer from being all there is."""
    if coverage.worker_away:
        yield "The worker process is away, so only a few files were read: ask again in a minute."
    if count := coverage.unread:
        yield f"{_files(count, 'more ')} may hold the name and were not read: narrow by path."
    if count := coverage.unreadable:
        yield f"{_files(count)} could not be read as text."
    if count := coverage.unparsed:
        yield f"{_files(count)} with the name too large to parse: look into it with Grep."
    if count := coverage.mentions:
        lines = "1 line mentions" if count == 1 else f"{count:,} lines mention"
        yield f"{lines} the name in files of languages that are not parsed."


def _files(count: int, more: str = "") -> str:
    return f"{count:,} {more}file" + ("s" if count != 1 else "")


def _spans(entries: Iterable[_Entry], snapshot: WorkspaceSnapshot) -> Iterator[Span]:
    """Runs of consecutive lines, text by text."""
    places = sorted({(entry.line.path, entry.line.sha256, entry.line.number) for entry in entries})
    for (path, sha256), group in groupby(places, key=lambda place: place[:2]):
        overlay = snapshot.overlays.get(path)
        uri = to_uri(path) if overlay is None else overlay.uri
        for first, last in runs(number for *_, number in group):
            yield Span(uri, sha256, first, last)
