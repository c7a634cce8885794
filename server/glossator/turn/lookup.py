"""Looks up what a task needs: definitions of the names in it, then what Search finds."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from dataclasses import replace

from glossator.application import Permission, reading_tools
from glossator.core.citations import place
from glossator.core.document import Missing
from glossator.core.errors import UsageError
from glossator.core.span import FoundPlace, whole_and_cut
from glossator.core.tokens import BYTES_PER_TOKEN
from glossator.core.tool_result import ToolResult, shorten
from glossator.core.uri import to_path
from glossator.llm import ToolCall
from glossator.retrieval import MAX_QUERY, MAX_TOKENS
from glossator.symbols import Definition, Name, SearchScope, Symbol, SymbolFinder
from glossator.tools import ReadState, ToolContext
from glossator.turn.calls import call_tool
from glossator.worker import JobFailed, WorkerGone

_MAX_NAMES = 6  # that are looked up
_DEFINITIONS_SHARE = 0.5  # of the tokens that Search may show, for definitions besides
_MAX_BODIES = 3  # definitions of one name that are shown with their bodies
_MAX_WHOLE_WITH_MEMBERS = 60  # lines; a longer definition with members is not shown whole
_MAX_WHOLE_LINES = 200  # lines; a longer definition without members is not shown whole
_LINE_CHARACTERS = 500  # of a line
_QUOTED = re.compile(r"`([^`\s]{2,100})`")
_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*")
_WORD = re.compile(r"[^\W\d]\w*")
_IMPORTS = re.compile(r"=\s*(?:await\s+)?(?:require|import)\s*\(")
_IS_NAME = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]|_|\w(?:\.|::)\w\w")  # and no word of prose


def names_in(text: str) -> tuple[str, ...]:
    """The names of symbols in a text: quoted as code, called, qualified or spelled as one."""
    spelled = [
        (match.start(), match[0])
        for match in _NAME.finditer(text)
        if text.startswith("(", match.end()) or _IS_NAME.search(match[0])
    ]
    quoted = [
        (match.start(1), name[0])
        for match in _QUOTED.finditer(text)
        if (name := _NAME.fullmatch(match[1].removesuffix("()")))
    ]
    return tuple(dict.fromkeys(name for _, name in sorted(spelled + quoted)))


async def look_up(
    query: str, context: ToolContext, permission: Permission, reads: ReadState
) -> ToolResult:
    """Definitions of the names in a query, then what Search finds.

    What was shown is recorded in `reads`. Definitions take at most half as many bytes as Search
    may.
    """
    room = round(MAX_TOKENS * BYTES_PER_TOKEN * _DEFINITIONS_SHARE)
    defined: list[ToolResult] = []
    for name in names_in(query)[:_MAX_NAMES]:
        own = ReadState()
        found = await _definitions(name, query, reads, replace(context, reads=own), permission)
        size = len(found.text.encode("utf-8", "surrogatepass")) if found else 0
        if found is not None and size <= room:
            room -= size
            reads.adopt(own)
            defined.append(found)
    call = ToolCall("search", "Search", {"query": query[:MAX_QUERY]})
    searched = await call_tool(reading_tools(), call, replace(context, reads=reads), permission)
    if not defined:
        return searched
    return replace(
        searched,
        text="\n\n".join(each.text for each in (*defined, searched)),
        spans=tuple(span for each in (*defined, searched) for span in each.spans),
        citable=tuple(span for each in (*defined, searched) for span in each.citable),
        places=(*_places(defined, context), *searched.places),
        error=False,
    )


async def _definitions(
    name: str, query: str, known: ReadState, context: ToolContext, permission: Permission
) -> ToolResult | None:
    """The definitions of a name; None if there are none, or if `known` shows them all.

    If there are many, only the lines that Symbols lists. An import of the name is no definition.
    """
    try:
        scope = SearchScope(hides=context.hidden)
        found = await context.need(SymbolFinder).definitions(
            context.snapshot, Name.parse(name), scope
        )
        hits = [hit for hit in found.hits if not _IMPORTS.search(hit.line.text)]
        if len(hits) <= _MAX_BODIES:
            parts = [await _definition(hit, query, known, context) for hit in hits]
            return _as_one(each for each in parts if each is not None)
    except (UsageError, WorkerGone, JobFailed):
        return None  # Search looks for it, too
    call = ToolCall("symbols", "Symbols", {"name": name})
    shown = await call_tool(reading_tools(), call, context, permission)
    return None if shown.error else shown


async def _definition(
    hit: Definition, query: str, known: ReadState, context: ToolContext
) -> ToolResult | None:
    """A whole definition; of a long one that has members, their first lines.

    Members that the query names are shown whole, too. None if `known` shows all of it.
    """
    snapshot, symbol = context.snapshot, hit.symbol
    document = await asyncio.to_thread(snapshot.read, hit.line.path)
    if isinstance(document, Missing) or document.sha256 != hit.line.sha256:
        return None
    outline = await context.need(SymbolFinder).outline(snapshot, document)
    within = (*symbol.container, symbol.name)
    members = [each for each in outline if each.container == within and _encloses(symbol, each)]
    is_long = symbol.last_line - symbol.first_line >= (
        _MAX_WHOLE_WITH_MEMBERS if members else _MAX_WHOLE_LINES
    )
    words = set(_WORD.findall(query))
    whole = [each for each in members if each.name in words] if is_long else [symbol]
    numbers = {n for each in whole for n in range(each.first_line, each.last_line + 1)}
    if is_long:
        numbers |= {symbol.name_line, *(each.name_line for each in members)}
    new = sorted(numbers - known.lines(document))
    if not new:
        return None
    for each in whole:
        lines = each.last_line - each.first_line + 1
        context.reads.remember(document.path, (each.first_line, lines), document.sha256)
    spans, shortened = whole_and_cut(document, new, _LINE_CHARACTERS)
    context.reads.show(spans)
    context.reads.mark_citable(shortened)
    head = place(snapshot.relative(document.path), symbol.first_line, symbol.last_line)
    head += f"  [{symbol.kind}{', not all of it' if is_long else ''}]"
    shown = (f"{n}\t{shorten(document.lines[n - 1], _LINE_CHARACTERS)}" for n in new)
    return ToolResult("\n".join((head, *shown)), spans, citable=shortened)


def _encloses(symbol: Symbol, other: Symbol) -> bool:
    return symbol.first_line <= other.first_line and other.last_line <= symbol.last_line


def _as_one(results: Iterable[ToolResult]) -> ToolResult | None:
    """Several results joined into one; None if there are none."""
    every = list(results)
    if not every:
        return None
    return ToolResult(
        "\n".join(each.text for each in every),
        tuple(span for each in every for span in each.spans),
        citable=tuple(span for each in every for span in each.citable),
    )


def _places(results: Iterable[ToolResult], context: ToolContext) -> tuple[FoundPlace, ...]:
    """The places where definitions were shown."""
    relative = context.snapshot.relative
    return tuple(
        FoundPlace(relative(path), span.first_line, span.last_line)
        for each in results
        for span in each.spans
        if (path := to_path(span.uri))
    )


def looked_at(places: Iterable[FoundPlace]) -> str:
    """Places and what encloses them, one per line, for the agent that looks further."""
    return "\n".join(
        dict.fromkeys(
            f"- {place(each.path, each.first_line, each.last_line)}"
            f"{f' ({each.context})' if each.context else ''}"
            for each in places
        )
    )
