"""Search: the chunks that answer a question best."""

from __future__ import annotations

import logging
from typing import Any, ClassVar

from pydantic import Field

from glossator.core.answers import SearchAnswer, SearchHit
from glossator.core.permission import Access
from glossator.core.price import BYTES_PER_TOKEN
from glossator.core.span import Span, whole_and_cut
from glossator.core.tool_result import Budget, ToolResult, cut, shorten
from glossator.documents import WorkspaceSnapshot
from glossator.prompts import load_prompt
from glossator.retrieval import Chunk, Found, Hit, Ranking, best_chunks, rank
from glossator.symbols import SymbolFinder
from glossator.tools.absence import account
from glossator.tools.base import (
    Cancellation,
    IsHidden,
    ToolArgs,
    ToolContext,
    cancellable,
    in_thread,
    searching,
)
from glossator.tools.selection import Selection, select
from glossator.worker import JobFailed, WorkerGone

logger = logging.getLogger(__name__)

MAX_CHUNKS = 20
WHOLE = 5  # chunks with their text; of the others only where they are
MAX_TOKENS = 12_000  # of text
MAX_LINE_CHARACTERS = 300

_TITLE = 80  # characters
_OUTLINE_SECONDS = 5.0


class SearchArgs(ToolArgs):
    """Arguments of Search."""

    query: str = Field(max_length=2_000, description="Question or terms.")
    path: str | None = Field(None, description="Folder; else the workspace.")
    glob: str | None = Field(None, description="Only these files, such as `*.py`.")
    limit: int = Field(MAX_CHUNKS, ge=1, le=MAX_CHUNKS, description="Most chunks.")

    @classmethod
    def translated(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Lower a `limit` that is too high."""
        if isinstance(limit := given.get("limit"), int):
            given["limit"] = min(limit, MAX_CHUNKS)
        return given

    def paths(self) -> tuple[str, ...]:
        """The folder, if one is named."""
        return () if self.path is None else (self.path,)


class Search:
    """Finds chunks by the words of a question."""

    name: ClassVar[str] = "Search"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = SearchArgs
    description = load_prompt("tools/search").render(chunks=str(MAX_CHUNKS), whole=str(WHOLE))

    async def run(self, args: SearchArgs, context: ToolContext) -> ToolResult:
        """List the best chunks with their lines."""
        selection, found = await ranked_search(
            context.snapshot,
            context.symbols,
            args.query,
            args.limit,
            path=args.path,
            glob=args.glob,
            hides=context.hidden,
        )
        return await in_thread(_report, context.snapshot, selection, found)


async def search_answer(
    snapshot: WorkspaceSnapshot, symbols: SymbolFinder, question: str, limit: int
) -> SearchAnswer:
    """The best chunks in the whole workspace, for people; no permission rule hides files."""
    selection, found = await ranked_search(snapshot, symbols, question, limit)
    return await in_thread(_answer, snapshot, selection, found)


def _answer(snapshot: WorkspaceSnapshot, selection: Selection, found: Found) -> SearchAnswer:
    searched = (
        f"Searched {found.files:,} files for {', '.join(found.terms)}."
        if found.hits
        else _nothing_found(snapshot, selection, found)
    )
    if found.unparsed:
        searched += f" {_unparsed(found)}"
    hits = (
        SearchHit(
            path=snapshot.relative(hit.chunk.document.path),
            uri=hit.chunk.document.uri,
            first_line=hit.chunk.first_line,
            last_line=hit.chunk.last_line,
            context=_enclosing(hit.chunk),
            text=hit.chunk.text,
            score=round(hit.score, 3),
        )
        for hit in found.hits
    )
    return SearchAnswer(tuple(hits), searched)


async def ranked_search(
    snapshot: WorkspaceSnapshot,
    symbols: SymbolFinder,
    question: str,
    limit: int,
    *,
    path: str | None = None,
    glob: str | None = None,
    hides: IsHidden | None = None,
) -> tuple[Selection, Found]:
    """The best chunks, and which files were searched; the worker process parses them."""
    selection, ranking = await searching(_rank, snapshot, question, path, glob, hides)
    try:
        outlines = await symbols.outlines(snapshot, ranking.documents, _OUTLINE_SECONDS)
    except (WorkerGone, JobFailed) as failure:
        logger.warning("Files are cut into windows for a search: %s", failure)
        outlines = {}
    return selection, await cancellable(best_chunks, ranking, outlines, limit)


def _rank(
    cancelled: Cancellation,
    snapshot: WorkspaceSnapshot,
    question: str,
    path: str | None,
    glob: str | None,
    hides: IsHidden | None,
) -> tuple[Selection, Ranking]:
    selection = select(snapshot, path, glob, hides=hides)
    return selection, rank(cancelled, snapshot, selection.files, question)


def _report(snapshot: WorkspaceSnapshot, selection: Selection, found: Found) -> ToolResult:
    if not found.hits:
        return ToolResult(_nothing_found(snapshot, selection, found))
    blocks = [_block(number, hit, snapshot) for number, hit in enumerate(found.hits, 1)]
    kept, _ = cut(blocks[:WHOLE], Budget(bytes=round(MAX_TOKENS * BYTES_PER_TOKEN)))
    heads = [block.partition("\n")[0] for block in blocks[len(kept) :]]
    parts = ["\n\n".join(kept), "\n".join(heads)]
    if found.absent:
        parts.append(f"[in no file searched: {', '.join(found.absent)}]")
    if found.unparsed:
        parts.append(f"[{_unparsed(found)}]")
    shown = [_spans(hit) for hit in found.hits[: len(kept)]]
    whole = tuple(span for spans, _ in shown for span in spans)
    shortened = tuple(span for _, spans in shown for span in spans)
    return ToolResult("\n\n".join(filter(None, parts)), whole, citable=shortened)


def _unparsed(found: Found) -> str:
    """A sentence about files without an outline."""
    files = "file was" if found.unparsed == 1 else "files were"
    return (
        f"{found.unparsed} of the best {files} not parsed in time and cut into windows of lines:"
        " ask again in a minute."
    )


def _nothing_found(snapshot: WorkspaceSnapshot, selection: Selection, found: Found) -> str:
    """Why there are no hits, and which files were searched."""
    if not found.terms:
        return "The query holds no word to look for; name what you are looking for."
    return (
        f"Nothing shares a word with the query (looked for {', '.join(found.terms)}).\n"
        f"{account(snapshot, selection)}"
    )


def _block(number: int, hit: Hit, snapshot: WorkspaceSnapshot) -> str:
    chunk = hit.chunk
    place = f"{snapshot.relative(chunk.document.path)}:{chunk.first_line}-{chunk.last_line}"
    head = f"{number}. {place}" + (f" ({title})" if (title := _enclosing(chunk)) else "")
    lines = chunk.document.lines[chunk.first_line - 1 : chunk.last_line]
    shown = (shorten(line, MAX_LINE_CHARACTERS) for line in lines)
    numbered = (f"{number}\t{line}" for number, line in enumerate(shown, chunk.first_line))
    return "\n".join((head, *numbered))


def _enclosing(chunk: Chunk) -> str:
    """The definitions around a chunk, outermost first, as a short title."""
    names = " > ".join(chunk.within)
    return names if len(names) <= _TITLE else f"{names[: _TITLE - 1]}…"


def _spans(hit: Hit) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The lines shown in full, and those cut."""
    chunk = hit.chunk
    lines = range(chunk.first_line, chunk.last_line + 1)
    return whole_and_cut(chunk.document, lines, MAX_LINE_CHARACTERS)
