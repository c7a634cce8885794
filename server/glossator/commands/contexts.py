"""Generated contexts for Search: estimate, ask, make; share them; end batches under way.

Without a yes to the estimate nothing is sent.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from glossator.application import (
    Application,
    ContextMaterial,
    fast_model,
    ledger_folder,
    price_range,
    source_of_all,
)
from glossator.core.errors import StoreUnavailable, UsageError
from glossator.core.ports import Activity
from glossator.core.question import Option, Question
from glossator.llm import price_in_words
from glossator.retrieval import (
    BatchesEnded,
    ContextGenerator,
    ContextProgress,
    ContextsAnswer,
    ContextsEstimate,
    ContextsExported,
    ContextsImported,
    export_contexts,
    import_contexts,
)

_NOBODY_SAID_YES = "Nothing was sent, because nobody said yes to the estimate."
_USER_SAID_NO = "Nothing was sent."
_PAID_AGAIN = (
    "The team's store cannot be read now: contexts that colleagues have had made would be paid for"
    " again."
)
_SINGLY, _BATCH, _NEITHER = "One by one", "As a batch", "No"


@dataclass(frozen=True, slots=True)
class EstimateContextsRequest:
    """The files are those of the workspace, or those below `path` that match `glob`."""

    path: str | None = None
    glob: str | None = None


@dataclass(frozen=True, slots=True)
class GenerateContextsRequest:
    """At most `dollars` are spent, which must not exceed `retrieval.contextDollars`.

    Unless it is `confirmed` that the user has seen the estimate and said yes, the server asks.
    `batched`: through the batch API, which takes minutes to a day.
    """

    confirmed: bool = False
    dollars: float | None = None
    batched: bool = False
    path: str | None = None
    glob: str | None = None


@dataclass(frozen=True, slots=True)
class ImportContextsRequest:
    """What `glossator.exportContexts` gave, here or elsewhere."""

    text: str


@dataclass(frozen=True, slots=True)
class EndBatchesRequest:
    """With `forget` the batches are given up as well, and what they made is lost."""

    forget: bool = False


async def estimate_contexts(app: Application, request: EstimateContextsRequest) -> ContextsEstimate:
    """Estimate the costs. Raises `UsageError` where no contexts can be made."""
    contexts = await source_of_all(app, request.path, request.glob)
    return await _estimate(app, contexts)


async def generate_contexts(app: Application, request: GenerateContextsRequest) -> ContextsAnswer:
    """Make what is missing, after a yes. Raises `UsageError` where no contexts can be made.

    So it does where a yes was said before, and the team's store cannot be read now.
    """
    limit = _limit(app, request.dollars)
    contexts = await source_of_all(app, request.path, request.glob)
    estimate = await _estimate(app, contexts)
    if not (estimate.chunks or estimate.under_way):
        await _share(app, contexts)
        await contexts.index()
        return _unsent(estimate, "")
    if request.batched and not estimate.takes_batches:
        raise UsageError(
            f"The server of {estimate.model} has no batch API. Have them made one by one."
        )
    batched: bool | str = request.batched
    if estimate.chunks and request.confirmed and app.sharing is not None and app.sharing.missed:
        raise UsageError(f"{_PAID_AGAIN} Try again later, or unset store.url. {app.sharing.missed}")
    if estimate.chunks and not request.confirmed:
        batched = await _asked(app, estimate)
    if isinstance(batched, str):
        return _unsent(estimate, batched)
    answer = await _made(app, contexts, estimate, limit, batched=batched)
    problems = filter(None, (await _share(app, contexts), await contexts.index()))
    return replace(answer, problems=(*answer.problems, *problems))


async def share_contexts(app: Application, request: EstimateContextsRequest) -> ContextsExported:
    """The contexts of this workspace's chunks, for a colleague."""
    contexts = await source_of_all(app, request.path, request.glob)
    text = await export_contexts(app.contexts, contexts.keys())
    return ContextsExported(text, max(text.count("\n") - 1, 0))


async def take_contexts(app: Application, request: ImportContextsRequest) -> ContextsImported:
    """Take in what a colleague exported. Raises `UsageError` for anything else.

    Search indexes them where a model is set up, whose name they follow from.
    """
    imported = ContextsImported(await import_contexts(app.contexts, request.text))
    if not app.models.fast.offline:
        await (await source_of_all(app, None, None)).index()
    return imported


async def end_batches(app: Application, request: EndBatchesRequest) -> BatchesEnded:
    """Ask the provider to end the batches under way; what is answered already is billed."""
    model, folder = await fast_model(app), ledger_folder(app.host.snapshot().roots)
    generator = ContextGenerator(model, app.contexts, folder)
    ended = await generator.cancel()
    if request.forget:
        await generator.forget_batches()
    return BatchesEnded(ended)


async def _estimate(app: Application, contexts: ContextMaterial) -> ContextsEstimate:
    """Estimate what is missing; the team's store is asked even if it was away before."""
    if app.sharing is None:
        return await contexts.estimate()
    app.sharing.ask_anew()
    estimate = await contexts.estimate()
    if not (estimate.chunks and app.sharing.missed):
        return estimate
    return replace(estimate, in_words=f"{estimate.in_words} {_PAID_AGAIN}")


async def _share(app: Application, contexts: ContextMaterial) -> str:
    """Wait until the team's store has what is here, if there is a store and it works.

    Returns why this machine's own file cannot be shared, or "".
    """
    if app.sharing is not None:
        try:
            await app.sharing.share(contexts.keys())
        except StoreUnavailable as error:
            return str(error)
        await app.sharing.settle()
    return ""


def _limit(app: Application, asked: float | None) -> float | None:
    """The most that may be spent. Raises `UsageError` for more than the settings allow."""
    most = app.settings.retrieval.context_dollars
    if asked is None:
        return most
    if asked <= 0:
        raise UsageError("The most to spend must be more than nothing.")
    if most is not None and asked > most:
        raise UsageError(
            f"retrieval.contextDollars allows {price_in_words(most)} for one build. Raise it first,"
            " or ask for less."
        )
    return asked


async def _asked(app: Application, estimate: ContextsEstimate) -> bool | str:
    """Whether to send a batch; or why nothing is sent."""
    options = [Option(_SINGLY, f"about {price_in_words(estimate.dollars)}")]
    if estimate.takes_batches:
        price = price_range(estimate.batch_dollars, estimate.batch_most)
        options.append(Option(_BATCH, f"about {price}, in minutes to a day"))
    options.append(Option(_NEITHER, "send nothing"))
    question = f"{estimate.in_words}\nMake the contexts?"
    answer = await app.port.ask_user(Question(question, tuple(options), refusal=_NEITHER))
    match answer.chosen:
        case ("One by one",):
            return False
        case ("As a batch",):
            return True
        case _:
            return _USER_SAID_NO if answer else _NOBODY_SAID_YES


def _unsent(estimate: ContextsEstimate, why: str) -> ContextsAnswer:
    return ContextsAnswer(estimate, 0, 0, (), why, 0.0, "")


async def _made(
    app: Application,
    source: ContextMaterial,
    estimate: ContextsEstimate,
    limit: float | None,
    *,
    batched: bool,
) -> ContextsAnswer:
    """Make the contexts and show progress; cancelling loses nothing."""
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - requests are tasks
    activity: Activity = app.port.begin("Glossator: generating contexts for Search", task.cancel)

    def show(progress: ContextProgress) -> None:
        words = f"{progress.made:,} of {progress.missing:,}, {price_in_words(progress.dollars)}"
        if progress.waiting:
            words += f"; {progress.waiting}"
        activity.report(words, 100 * progress.made // max(progress.missing, 1))

    try:
        report = await source.generator.generate(
            source.documents, dollars=limit, batched=batched, on_progress=show
        )
    finally:
        activity.end()
    return ContextsAnswer(
        estimate,
        report.made,
        report.failed,
        report.problems,
        report.stopped,
        report.spending.dollars,
        report.cost_in_words,
    )
