"""Search: the chunks that answer a question best."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from glossator.core.permission import Access
from glossator.core.price import BYTES_PER_TOKEN
from glossator.core.retrieval_answers import SearchAnswer, SearchHit, SearchReason, StagePlace
from glossator.core.span import FoundPlace, Span, whole_and_cut
from glossator.core.tool_result import Budget, ToolResult, cut, shorten
from glossator.documents import WorkspaceSnapshot
from glossator.prompts import load_prompt
from glossator.retrieval import (
    ALL_STAGES,
    Found,
    Hit,
    Rerank,
    Retriever,
    Stages,
    question_of,
    telling_lines,
)
from glossator.tools.absence import account
from glossator.tools.base import ToolArgs, ToolContext, in_thread
from glossator.tools.selection import Selection, select

MAX_CHUNKS = 20
WHOLE = 5  # chunks with their text; of the others only where they are
MAX_QUERY = 2_000  # characters
MAX_TOKENS = 12_000  # of text
MAX_LINE_CHARACTERS = 300

_TITLE = 80  # characters


class SearchArgs(ToolArgs):
    """Arguments of Search."""

    query: str = Field(max_length=MAX_QUERY, description="Question or terms.")
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
        snapshot = context.snapshot
        selection = await in_thread(select, snapshot, args.path, args.glob, hides=context.hidden)
        only = None if selection.is_all else await in_thread(lambda: selection.files)
        found = await context.retriever.search(
            snapshot, args.query, args.limit, only, rerank=context.rerank
        )
        return await in_thread(_report, snapshot, selection, found)


async def search_answer(
    snapshot: WorkspaceSnapshot,
    retriever: Retriever,
    args: SearchArgs,
    stages: Stages = ALL_STAGES,
    rerank: Rerank | None = None,
    *,
    explain: bool = False,
) -> SearchAnswer:
    """The best chunks for people; no permission rule hides files. Raises `UsageError`."""
    selection = await in_thread(select, snapshot, args.path, args.glob)
    only = None if selection.is_all else await in_thread(lambda: selection.files)
    found = await retriever.search(
        snapshot, args.query, args.limit, only, stages, rerank, explain=explain
    )
    return await in_thread(_answer, snapshot, selection, args.query, found)


def _answer(
    snapshot: WorkspaceSnapshot, selection: Selection, query: str, found: Found
) -> SearchAnswer:
    where = f" ({selection.filters})" if selection.filters else ""
    searched = (
        f"Searched {found.files:,} files{where} for {', '.join(found.terms)}."
        if found.hits
        else _nothing_found(snapshot, selection, found)
    )
    if found.pending:
        searched += f" {_pending(found)}"
    if found.problem:
        searched += f" {found.problem}"
    hits = tuple(_hit(snapshot, query, hit) for hit in found.hits)
    return SearchAnswer(hits, searched, found.absent if found.hits else ())


def _hit(snapshot: WorkspaceSnapshot, query: str, hit: Hit) -> SearchHit:
    chunk, lines = hit.chunk, hit.lines
    told = telling_lines(question_of(query), lines, chunk.first_line, *chunk.defines[:1])
    places = hit.places.items()
    return SearchHit(
        path=snapshot.relative(hit.document.path),
        uri=hit.document.uri,
        sha256=hit.document.sha256,
        first_line=chunk.first_line,
        last_line=chunk.last_line,
        context=_title(hit),
        text="\n".join(lines),
        score=round(hit.score, 3),
        lines=told.lines,
        words=told.words,
        stages=tuple(StagePlace(name, at.rank, round(at.score, 3)) for name, at in places),
        reasons=tuple(
            SearchReason(each.feature, round(each.value, 3), round(each.weight, 3))
            for each in hit.reasons
        ),
    )


def _report(snapshot: WorkspaceSnapshot, selection: Selection, found: Found) -> ToolResult:
    if not found.hits:
        return ToolResult(_nothing_found(snapshot, selection, found))
    blocks = [_block(number, hit, snapshot) for number, hit in enumerate(found.hits, 1)]
    kept, _ = cut(blocks[:WHOLE], Budget(bytes=round(MAX_TOKENS * BYTES_PER_TOKEN)))
    heads = [block.partition("\n")[0] for block in blocks[len(kept) :]]
    parts = ["\n\n".join(kept), "\n".join(heads)]
    if found.absent:
        parts.append(f"[in no file searched: {', '.join(found.absent)}]")
    if found.pending:
        parts.append(f"[{_pending(found)}]")
    if found.problem:
        parts.append(f"[{found.problem}]")
    shown = [_spans(hit) for hit in found.hits[: len(kept)]]
    whole = tuple(span for spans, _ in shown for span in spans)
    shortened = tuple(span for _, spans in shown for span in spans)
    places = tuple(_found_place(hit, snapshot) for hit in found.hits)
    outcome = "1 place" if len(places) == 1 else f"{len(places)} places"
    text = "\n\n".join(filter(None, parts))
    return ToolResult(text, whole, citable=shortened, outcome=outcome, places=places)


def _pending(found: Found) -> str:
    """A sentence about files that were not looked at."""
    files = "file holds" if found.pending == 1 else "files hold"
    return (
        f"{found.pending:,} more {files} words of the question and were not ranked, because the"
        " index is not complete yet: ask again in a minute."
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
    place = f"{snapshot.relative(hit.document.path)}:{chunk.first_line}-{chunk.last_line}"
    head = f"{number}. {place}" + (f" ({title})" if (title := _title(hit)) else "")
    shown = (shorten(line, MAX_LINE_CHARACTERS) for line in hit.lines)
    numbered = (f"{number}\t{line}" for number, line in enumerate(shown, chunk.first_line))
    return "\n".join((head, *numbered))


def _found_place(hit: Hit, snapshot: WorkspaceSnapshot) -> FoundPlace:
    chunk = hit.chunk
    path = snapshot.relative(hit.document.path)
    return FoundPlace(path, chunk.first_line, chunk.last_line, _title(hit))


def _title(hit: Hit) -> str:
    """The definitions around a chunk, outermost first, and the one that it begins with."""
    chunk = hit.chunk
    names = list(chunk.within)
    if chunk.defines and chunk.defines[0] not in names:
        names.append(chunk.defines[0])
    title = " > ".join(names)
    return title if len(title) <= _TITLE else f"{title[: _TITLE - 1]}…"


def _spans(hit: Hit) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The lines shown in full, and those cut."""
    lines = range(hit.chunk.first_line, hit.chunk.last_line + 1)
    return whole_and_cut(hit.document, lines, MAX_LINE_CHARACTERS)
