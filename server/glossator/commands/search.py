"""What the user looks up without a model: the chunks that bear on a question, a single tool.

No model is asked unless the settings name one that reranks.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from glossator.application import Application
from glossator.commands.answers.server import ToolAnswer
from glossator.core.attached import FileDiagnostics, Wanted
from glossator.core.errors import UnknownTool, UsageError
from glossator.llm import Meter, Spending, ToolCall, price_in_words
from glossator.retrieval import (
    MAX_CHUNKS,
    MAX_QUERY,
    RankedRetriever,
    SearchAnswer,
    SearchArgs,
    Stages,
    search_answer,
)
from glossator.tools import ReadState, ToolContext
from glossator.turn import LoadedSkills, call_tool, permit_direct_call

_PATIENCE = 60.0  # seconds for findings: at a terminal the server that is asked ends with the call
_PENDING = "At a terminal language servers end with this command; in a chat they go on."


class SearchStage(StrEnum):
    """A stage of a search that can be switched off."""

    LEXICAL = "lexical"
    VECTORS = "vectors"
    RERANK = "rerank"


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A question or terms, and how many chunks to give at most.

    `path` and `glob` name the files to search, as the tool Search has them. The stages `without`
    are off. With `explain` each hit says what put it in its place. Editors without a panel are
    shown the hits as a document, unless `report` is false. With `for_model`
    files that permission rules hide are left out.
    """

    query: str
    limit: int = MAX_CHUNKS
    path: str | None = None
    glob: str | None = None
    without: tuple[SearchStage, ...] = ()
    explain: bool = False
    report: bool = True
    for_model: bool = False


async def search(app: Application, request: SearchRequest) -> SearchAnswer:
    """Find the chunks. Raises `UsageError` for what cannot be searched."""
    if not request.query.strip():
        raise UsageError("The query is empty; name what you are looking for.")
    if not 1 <= request.limit <= MAX_CHUNKS:
        raise UsageError(f"The limit must be between 1 and {MAX_CHUNKS}.")
    if len(request.query) > MAX_QUERY:
        raise UsageError(f"The query is longer than {MAX_QUERY:,} characters; ask in fewer words.")
    off = set(request.without)
    if off == set(SearchStage):
        raise UsageError("All stages of the search are off; leave at least one of them on.")
    stages = Stages(
        lexical=SearchStage.LEXICAL not in off,
        vectors=SearchStage.VECTORS not in off,
        rerank=app.retriever.stages.rerank and SearchStage.RERANK not in off,
    )
    await app.ready()
    args = SearchArgs(
        query=request.query, path=request.path, glob=request.glob, limit=request.limit
    )
    meter = Meter()
    answer = await search_answer(
        app.host.snapshot(),
        app.retriever,
        args,
        stages,
        app.reranking(meter) if stages.rerank else None,
        explain=request.explain,
        hides=app.acting.hidden() if request.for_model else None,
        for_model=request.for_model,
    )
    if meter.spending != Spending():
        cost = price_in_words(meter.spending.dollars)
        answer = replace(answer, searched=f"{answer.searched} Reranking cost {cost}.")
    return answer


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A tool's name and its arguments, as the model would give them."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


async def tool(app: Application, request: ToolRequest) -> ToolAnswer:
    """Run one tool. Raises `UnknownTool`."""
    if request.name not in app.tools:
        raise UnknownTool(
            f"There is no tool {request.name!r}; the tools are {', '.join(sorted(app.tools))}."
        )
    await app.ready()

    async def diagnostics(
        wanted: tuple[Wanted, ...], _seconds: float
    ) -> tuple[FileDiagnostics, ...] | None:
        return await app.code.diagnostics(wanted, _PATIENCE)

    context = ToolContext(
        snapshot=app.host.snapshot(),
        reads=ReadState(),
        abilities=(app.symbols, app.code, RankedRetriever(app.retriever), LoadedSkills(app)),
        diagnostics=diagnostics,
        hidden=app.acting.hidden(),
    )
    started = time.perf_counter()
    call = ToolCall("cli", request.name, request.arguments)
    result = await call_tool(app.tools, call, context, permit_direct_call)
    milliseconds = (time.perf_counter() - started) * 1000
    text = f"{result.text}\n{_PENDING}" if result.pending else result.text
    return ToolAnswer(text, result.error, result.omitted, milliseconds)
