"""Search: the chunks of the workspace that bear on a question; no model is asked."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.application import Application
from glossator.core.answers import SearchAnswer
from glossator.core.errors import UsageError
from glossator.tools import MAX_CHUNKS, search_answer


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
    return await search_answer(app.host.snapshot(), app.retriever, request.query, request.limit)
