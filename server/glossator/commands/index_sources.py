"""What Search finds by: the text index, the chunks, their embeddings and their contexts."""

from __future__ import annotations

from collections.abc import Iterator

from glossator.application import Application
from glossator.commands.answers.context_sources import ContextAction, ContextSource, ContextState
from glossator.commands.status import embedding_state
from glossator.core.window import ContextKind

_BUILDING = "It is being built; what is missing is read from the files meanwhile."
_ENDED = "Its building was ended by you; Rebuild starts it again."
_STRUCTURAL = 'from the code alone; with retrieval.contexts = "generated" a model writes them'
_GENERATED = "written by a model; glossator contexts makes those that are missing"


def index_sources(app: Application) -> Iterator[ContextSource]:
    """Each with how it stands."""
    status = app.host.status().index
    text = status.text
    yield _source(
        "Words and lines",
        f"{text.documents + text.in_memory:,} files, {_size(text.disk_bytes)}",
        ContextAction.REBUILD,
        problem=" ".join(status.problems),
        off=_ENDED if status.stopped else "",
        building=status.building is not None,
    )
    chunks = app.retriever.index.status()
    yield _source(
        "Chunks of code",
        f"{chunks.files:,} of {chunks.listed:,} files, {_size(chunks.disk_bytes)}",
        ContextAction.REBUILD,
        problem=chunks.problem,
        off=_ENDED if chunks.stopped else "" if chunks.state == "on" else chunks.state,
        building=chunks.building is not None,
    )
    embedding = app.retriever.embedding
    says = embedding_state(app)
    yield _source(
        "Embeddings",
        says,
        ContextAction.CONFIGURE,
        problem=(app.embedding_problem if embedding is None else embedding.problem) or "",
        off=says if embedding is None or embedding.paused else "",
        building=embedding is not None and embedding.waiting > 0,
    )
    is_generated = app.settings.retrieval.contexts == "generated"
    how = _GENERATED if is_generated else _STRUCTURAL
    yield _source("Contexts of chunks", how, ContextAction.CONFIGURE)


def _source(
    name: str,
    detail: str,
    action: ContextAction,
    *,
    problem: str = "",
    off: str = "",
    building: bool = False,
) -> ContextSource:
    """An index; it has a problem, or says why it is off, or is being built, or is on."""
    state, why = ContextState.ON, ""
    if problem:
        state, why = ContextState.PROBLEM, problem
    elif off:
        state, why = ContextState.OFF, off
    elif building:
        state, why = ContextState.WAITING, _BUILDING
    kind, detail = ContextKind.INDEX, "" if detail == why else detail
    return ContextSource(kind, name, name, "project", state, why, detail, "", (action,))


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB on disk" if count >= 1e5 else f"{count / 1e3:,.0f} kB on disk"
