"""Search: the chunks of the workspace that bear on a question; no model is asked."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.application import Application
from glossator.core.answers import SearchAnswer, SearchHit
from glossator.core.errors import UsageError
from glossator.documents import WorkspaceSnapshot
from glossator.retrieval import Found, Hit
from glossator.tools import (
    MAX_CHUNKS,
    Cancelled,
    Selection,
    enclosing,
    in_thread,
    nothing_found,
    ranked_search,
    unparsed,
)


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A question or terms, and how many chunks to give at most."""

    query: str
    limit: int = MAX_CHUNKS


async def search(app: Application, request: SearchRequest) -> SearchAnswer:
    """Find the chunks. Raises `UsageError` for an empty query or a limit out of range."""
    if not request.query.strip():
        raise UsageError("The query is empty; name what you are looking for.")
    if not 1 <= request.limit <= MAX_CHUNKS:
        raise UsageError(f"The limit must be between 1 and {MAX_CHUNKS}.")
    await app.ready()
    snapshot = app.host.snapshot()
    selection, found = await ranked_search(snapshot, app.symbols, request.query, request.limit)
    return await in_thread(_answer, snapshot, selection, found)


def _answer(
    _cancelled: Cancelled, snapshot: WorkspaceSnapshot, selection: Selection, found: Found
) -> SearchAnswer:
    searched = (
        f"Searched {found.files:,} files for {', '.join(found.terms)}."
        if found.hits
        else nothing_found(snapshot, selection, found)
    )
    if found.unparsed:
        searched += f" {unparsed(found)}"
    return SearchAnswer(tuple(_view(hit, snapshot) for hit in found.hits), searched)


def _view(hit: Hit, snapshot: WorkspaceSnapshot) -> SearchHit:
    chunk = hit.chunk
    return SearchHit(
        path=snapshot.relative(chunk.document.path),
        uri=chunk.document.uri,
        first_line=chunk.first_line,
        last_line=chunk.last_line,
        context=enclosing(chunk),
        text=chunk.text,
        score=round(hit.score, 3),
    )
