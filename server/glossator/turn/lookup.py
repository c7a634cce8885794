"""Looks up what a task needs: what its description names, then what Search finds.

Definitions of the names come first, then chunks of the files in which to look, then chunks from
everywhere, until there is no room left. One looks in the files that are named by their paths, and
in those that hold a definition too long to be shown whole.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from glossator.application import Permission
from glossator.core.citations import place
from glossator.core.document import Document, Missing
from glossator.core.errors import UsageError
from glossator.core.file_kinds import language_of, weigh_by_kind
from glossator.core.names import names_in, paths_in
from glossator.core.shown import shown
from glossator.core.span import FoundPlace, whole_and_cut
from glossator.core.terms import query_terms
from glossator.core.tool_result import ToolResult, shorten
from glossator.permissions import Deny
from glossator.retrieval import MAX_CHUNKS, MAX_QUERY, Hit, RankedRetriever, Search, SearchArgs
from glossator.symbols import Definition, Name, SearchScope, Symbol, SymbolFinder
from glossator.tools import ReadState, ToolContext
from glossator.worker import JobFailed, WorkerGone
from glossator.workspace import FileEntry

MAX_CHARACTERS = 8_200  # of all that is shown
_DEFINITIONS_SHARE = 0.6  # of them, at most, for definitions of names
_MAX_NAMES = 6  # that are looked up; and paths
_MAX_BODIES = 3  # definitions of one name; of more, none is shown for its name alone
_MAX_INSIDE = 8  # chunks of the files in which to look
_MAX_WHOLE_WITH_MEMBERS = 60  # lines; a longer definition with members is not shown whole
_MAX_WHOLE_LINES = 200  # lines; a longer definition without members is not shown whole
_LINE_CHARACTERS = 300  # of a line
_BESIDE_THE_POINT = 0.5  # by its kind, a file that weighs less comes after all others

_WORD = re.compile(r"[^\W\d]\w*")
_IMPORTS = re.compile(r"=\s*(?:await\s+)?(?:require|import)\s*\(")


async def look_up(
    query: str, context: ToolContext, permission: Permission, reads: ReadState
) -> ToolResult:
    """The lines for a query, and the places where they are; none if nothing was found.

    What was shown is recorded in `reads`.
    """
    query = query[:MAX_QUERY]
    decided = await permission(Search(), SearchArgs(query=query), context)
    if isinstance(decided, Deny):
        return ToolResult.failed(decided.reason)
    material = _Material(query, replace(context, reads=reads))
    names, paths = names_in(query)[:_MAX_NAMES], paths_in(query)[:_MAX_NAMES]
    files = await asyncio.to_thread(_files_at, paths, context)
    for name in names:
        await material.define(name, files)
    inside = {file.path for file in files} | material.unfinished
    try:
        hits = await _hits(query, (*paths, *names), inside, context)
    except JobFailed as failure:
        return material.result() if material.parts else ToolResult.failed(str(failure))
    await asyncio.to_thread(material.fill, hits)
    return material.result()


@dataclass(slots=True)
class _Material:
    """What is shown for a query, and how many characters more may be.

    `unfinished` are the absolute paths of files with a named definition that is too long.
    """

    query: str
    context: ToolContext
    room: int = MAX_CHARACTERS
    parts: list[ToolResult] = field(default_factory=list)
    unfinished: set[str] = field(default_factory=set)

    async def define(self, name: str, files: Collection[FileEntry]) -> None:
        """Show the definitions of a name, those in `files` if there are any.

        An import of the name is no definition.
        """
        context, within = self.context, {file.path for file in files}
        finder, scope = context.need(SymbolFinder), SearchScope(hides=context.hidden)
        try:
            found = await finder.definitions(context.snapshot, Name.parse(name), scope)
            hits = [hit for hit in found.hits if not _IMPORTS.search(hit.line.text)]
            hits = [hit for hit in hits if hit.line.path in within] or hits
            for hit in hits if len(hits) <= _MAX_BODIES else ():
                await self._define(hit, finder)
        except (UsageError, WorkerGone, JobFailed):
            return  # Search looks for it, too

    async def _define(self, hit: Definition, finder: SymbolFinder) -> None:
        """Show a whole definition; of a long one its first line, and those of its members.

        Members that the query names are shown whole, too. They may stand elsewhere in the file, as
        the methods of Go do. Where there is no room for all that, the first line alone is shown.
        """
        snapshot, symbol = self.context.snapshot, hit.symbol
        document = await asyncio.to_thread(snapshot.read, hit.line.path)
        if isinstance(document, Missing) or document.sha256 != hit.line.sha256:
            return
        outline = await finder.outline(snapshot, document)
        within = (*symbol.container, symbol.name)
        members = [each for each in outline if each.container == within]
        whole = [symbol, *(each for each in members if not _encloses(symbol, each))]
        lines = sum(each.last_line - each.first_line + 1 for each in whole)
        is_long = lines > (_MAX_WHOLE_WITH_MEMBERS if members else _MAX_WHOLE_LINES)
        numbers: set[int] = set()
        if is_long:
            words = set(_WORD.findall(self.query))
            whole = [each for each in members if each.name in words]
            numbers = {symbol.name_line, *(each.name_line for each in members)}
            self.unfinished.add(document.path)
        for each in whole:
            numbers.update(range(each.first_line, each.last_line + 1))
        kind = f"{symbol.kind}{', not all of it' if is_long else ''}"
        least = round(MAX_CHARACTERS * (1 - _DEFINITIONS_SHARE))
        lines_named = symbol.first_line, symbol.last_line
        if not self._show(document, lines_named, kind, numbers, least):
            self.unfinished.add(document.path)
            kind = f"{symbol.kind}, not all of it"
            self._show(document, lines_named, kind, (symbol.name_line,))

    def fill(self, hits: Iterable[Hit]) -> None:
        """Show the chunks, as long as there is room; blocking."""
        for hit in hits:
            lines = hit.chunk.first_line, hit.chunk.last_line
            self._show(
                hit.document, lines, " > ".join(hit.chunk.within), range(lines[0], lines[1] + 1)
            )

    def _show(
        self,
        document: Document,
        lines: tuple[int, int],
        title: str,
        numbers: Iterable[int],
        least: int = 0,
    ) -> bool:
        """Show those of the lines `numbers` that say something and were not shown.

        Nothing is shown if less room than `least` were left: false is returned. `lines` are named
        above them.
        """
        snapshot, reads = self.context.snapshot, self.context.reads
        known = reads.lines(document)
        new = [n for n in sorted(numbers) if n not in known and document.lines[n - 1].strip()]
        if not any(map(str.isalnum, "".join(document.lines[n - 1] for n in new))):
            return True
        head = place(snapshot.relative(document.path), *lines)
        head += f"  [{shown(title)}]" if title else ""
        texts = (f"{n}\t{shorten(document.lines[n - 1], _LINE_CHARACTERS)}" for n in new)
        text = "\n".join((head, *texts))
        if self.room - len(text) < least:
            return False
        spans, cut = whole_and_cut(document, new, _LINE_CHARACTERS)
        reads.show(spans)
        reads.mark_citable(cut)
        found = FoundPlace(snapshot.relative(document.path), *lines, title)
        self.parts.append(ToolResult(text, spans, citable=cut, places=(found,)))
        self.room -= len(text) + 2
        return True

    def result(self) -> ToolResult:
        """All that is shown."""
        return ToolResult(
            "\n\n".join(each.text for each in self.parts),
            tuple(span for each in self.parts for span in each.spans),
            citable=tuple(span for each in self.parts for span in each.citable),
            places=tuple(found for each in self.parts for found in each.places),
        )


def _encloses(symbol: Symbol, other: Symbol) -> bool:
    return symbol.first_line <= other.first_line and other.last_line <= symbol.last_line


def _files_at(paths: Iterable[str], context: ToolContext) -> list[FileEntry]:
    """The files at the paths, or below them, that are not hidden; blocking.

    A path may lack its first folders; if none fits, a file of its name counts.
    """
    hides = context.hidden
    files = [each for each in context.snapshot.files() if not (hides and hides(each.path))]
    found: dict[str, FileEntry] = {}
    for path in paths:
        name = path.rpartition("/")[2]
        named = [each for each in files if name in each.relative]
        for wanted in (path, name if language_of(path) else path):
            fits = [each for each in named if f"/{wanted}/" in f"/{each.relative}/"]
            if fits:
                found |= {each.path: each for each in fits}
                break
    return list(found.values())


async def _hits(
    query: str, named: Iterable[str], inside: Collection[str], context: ToolContext
) -> list[Hit]:
    """The chunks that fit best, each once: those of the files `inside` first. Raises `JobFailed`.

    Within these one looks for what the query asks beside the names that led there. Tests,
    changelogs and the like come last, unless the query names such.
    """
    ranked, hides = context.need(RankedRetriever), context.hidden

    async def searched(asked: str, most: int, only: Sequence[FileEntry] | None) -> list[Hit]:
        found = await ranked.retriever.search(
            context.snapshot, asked, most, only, rerank=ranked.rerank
        )
        return [*found.hits]

    files = None if hides is None and not inside else context.snapshot.files()
    among: list[Hit] = []
    if inside and files:
        rest = _without(named, query)
        asked = rest if query_terms(rest) else query
        among = await searched(asked, _MAX_INSIDE, [each for each in files if each.path in inside])
    only = None if hides is None else [each for each in files or () if not hides(each.path)]
    everywhere = await searched(query, MAX_CHUNKS, only)
    every = {(hit.document.path, hit.chunk): hit for hit in (*among, *everywhere)}
    weigh, relative = weigh_by_kind(query), context.snapshot.relative
    return sorted(
        every.values(), key=lambda hit: weigh(relative(hit.document.path)) < _BESIDE_THE_POINT
    )


def _without(named: Iterable[str], query: str) -> str:
    """The query without the names and paths, but not without parts of its words."""
    for each in sorted(named, key=len, reverse=True):
        query = re.sub(rf"(?<!\w){re.escape(each)}(?!\w)", " ", query)
    return query


def looked_at(places: Iterable[FoundPlace]) -> str:
    """Places and what encloses them, one per line, for the agent that looks further."""
    return "\n".join(
        dict.fromkeys(
            f"- {place(each.path, each.first_line, each.last_line)}"
            f"{f' ({each.context})' if each.context else ''}"
            for each in places
        )
    )
