"""What is looked up for a task: definitions of the names in it, then what Search finds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from glossator.agent import Permission, call_tool
from glossator.core.citations import place
from glossator.core.errors import UsageError
from glossator.core.price import BYTES_PER_TOKEN
from glossator.core.span import FoundPlace
from glossator.core.tool_result import ToolResult
from glossator.core.uri import to_path
from glossator.llm import ToolCall
from glossator.symbols import Name, SearchScope
from glossator.tools import MAX_QUERY, MAX_TOKENS, ReadState, ToolContext, reading_tools
from glossator.worker import JobFailed, WorkerGone

_NAMES = 6  # that are looked up
_SHARE = 0.5  # of the tokens that Search may show, for definitions besides
_FEW = 3  # definitions of one name that are shown whole
_QUOTED = re.compile(r"`([^`\s]{2,100})`")
_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*")
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
    """Definitions of the names in a query, as Symbols shows them, then what Search finds.

    `reads` knows then what was shown. Definitions take at most half as much as Search may.
    """
    room = round(MAX_TOKENS * BYTES_PER_TOKEN * _SHARE)
    defined: list[ToolResult] = []
    for name in names_in(query)[:_NAMES]:
        own = ReadState()
        found = await _definitions(name, replace(context, reads=own), permission)
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
    name: str, context: ToolContext, permission: Permission
) -> ToolResult | None:
    """What Symbols shows of the definitions of a name; None if there are none."""
    try:
        scope = SearchScope(hides=context.hidden)
        found = await context.symbols.definitions(context.snapshot, Name.parse(name), scope)
    except (UsageError, WorkerGone, JobFailed):
        return None  # Search looks for it, too
    if not found.hits:
        return None
    arguments = {"name": name, "body": len(found.hits) <= _FEW}
    shown = await call_tool(
        reading_tools(), ToolCall("symbols", "Symbols", arguments), context, permission
    )
    return None if shown.error else shown


def _places(results: Iterable[ToolResult], context: ToolContext) -> tuple[FoundPlace, ...]:
    """Where definitions were shown."""
    relative = context.snapshot.relative
    return tuple(
        FoundPlace(relative(path), span.first_line, span.last_line)
        for each in results
        for span in each.spans
        if (path := to_path(span.uri))
    )


def looked_at(places: Iterable[FoundPlace]) -> str:
    """Places with what encloses them, a line each, for who is to look further."""
    return "\n".join(
        dict.fromkeys(
            f"- {place(each.path, each.first_line, each.last_line)}"
            f"{f' ({each.context})' if each.context else ''}"
            for each in places
        )
    )
