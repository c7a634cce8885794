"""Has the best chunks of a search reranked by what the settings name: a model or a service."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from glossator.core.window import Price
from glossator.llm import Meter, Model
from glossator.retrieval import Hit, Reordered, Rerank
from glossator.settings import Settings
from glossator.workspace import WorkspaceSnapshot


def rerank_by(
    settings: Settings,
    fast: Callable[[], Model],
    environment: Mapping[str, str],
    hidden: Callable[[], Callable[[str], bool] | None],
    snapshot: Callable[[], WorkspaceSnapshot],
    trusted: Callable[[], bool],
    meter: Meter | None,
) -> Rerank | None:
    """What reranks, whose costs count in `meter`; None if the settings name nothing that is asked.

    It is sent the question and excerpts of chunks, but of no file that permission rules hide.
    """
    if settings.retrieval.reranker in ("linear", "none") or settings.models.offline:
        return None
    from glossator.retrieval import Candidate, create_reranker  # noqa: PLC0415 - rarely needed

    prices = {name: Price(each.input, each.output) for name, each in settings.models.prices.items()}
    reranker = create_reranker(settings.retrieval, fast(), environment, prices)
    if reranker is None:
        return None

    async def rerank(question: str, hits: Sequence[Hit], best: int) -> Reordered:
        hides, relative = hidden(), snapshot().relative
        shown = [at for at, hit in enumerate(hits) if not (hides and hides(hit.document.path))]
        candidates = [
            Candidate(
                " > ".join((relative(hits[at].document.path), *hits[at].chunk.within)),
                "\n".join(hits[at].lines),
            )
            for at in shown
        ]
        if not trusted():
            return Reordered((), "", "This folder is not trusted, so nothing was sent to rerank.")
        result = await reranker.rerank(question, candidates, best, meter)
        order = list(range(len(hits)))  # hits that are not sent keep their places
        for place, at in zip(shown, result.order, strict=True):
            order[place] = shown[at]
        return Reordered(tuple(order), result.by, result.problem)

    return rerank
