"""Reranking by the fast model, list-wise: it reads all candidates at once and names the best.

One call with short excerpts, not a window that slides over whole chunks: 150 excerpts of 600
characters are some 26,000 tokens, a third of a cent with the fast model, and one round trip.
Windows of 20 whole chunks, each half over the one before, would be 14 calls that wait for each
other and 230,000 tokens. Only numbers are asked for, which every server's models can write: forcing
a tool is refused by newer models.
Source: Sun et al., "Is ChatGPT Good at Search?" (RankGPT, 2023), without its windows.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from glossator.core.errors import ModelError
from glossator.core.prompts import load_prompt
from glossator.llm import Meter, Model, Reply, StopReason, side_query
from glossator.retrieval.contexts.passages import tag_of
from glossator.retrieval.rerank import (
    BEST,
    MOST_CANDIDATES,
    Candidate,
    Reranked,
    excerpt,
    not_reranked,
    ordered,
)

SECONDS = 20.0  # that a search waits for it

_OUTPUT = 6  # tokens for a number and the sign before the next one
_SPARE = 60  # tokens for words that it was not asked for
_TITLE = 200  # characters
_QUESTION = 4_000  # characters
_LIST = re.compile(r"\[?\d+\]?(?:\s*[>,;\n]\s*\[?\d+\]?)+")
_ALONE = re.compile(r"\s*\[?\d+\]?\.?\s*")
_NUMBER = re.compile(r"\d{1,6}")


class ModelReranker:
    """Asks one model, once for each search."""

    def __init__(self, model: Model, seconds: float = SECONDS) -> None:
        self._model = model
        self._seconds = seconds

    async def rerank(
        self,
        question: str,
        candidates: Sequence[Candidate],
        best: int = BEST,
        meter: Meter | None = None,
    ) -> Reranked:
        """All candidates; see `Reranker`."""
        count, by = len(candidates), self._model.id
        if self._model.offline:
            return not_reranked(count, by, "No model is set up, so none reranked the results.")
        if count < 2:
            return Reranked(tuple(range(count)), by)
        try:
            async with asyncio.timeout(self._seconds):
                reply = await self._ask(question, candidates, best, meter or Meter())
        except TimeoutError:
            said = f"{by} did not answer within {self._seconds:g} s"
            return not_reranked(count, by, f"{said}, so it did not rerank the results.")
        except ModelError as error:
            return not_reranked(count, by, f"The results are not reranked: {error}")
        return _read(reply, by, count)

    async def _ask(
        self, question: str, candidates: Sequence[Candidate], best: int, meter: Meter
    ) -> Reply:
        prompt = _prompt(question, candidates[:MOST_CANDIDATES], best)
        return await side_query(self._model, meter, "rerank", prompt, best * _OUTPUT + _SPARE)


def _read(reply: Reply, by: str, count: int) -> Reranked:
    if reply.stop is StopReason.REFUSAL:
        return not_reranked(count, by, f"{by} refused to rerank the results.")
    shown = min(count, MOST_CANDIDATES)
    chosen = [number - 1 for number in numbers_in(reply.text) if 0 < number <= shown]
    if not chosen:
        return not_reranked(count, by, f"{by} named no result, so the order is as it was.")
    return Reranked(ordered(chosen, count), by)


def numbers_in(text: str) -> list[int]:
    """The numbers in the longest list of a reply, or the only number that it consists of."""
    lists = _LIST.findall(text)
    if lists:
        return [int(number) for number in _NUMBER.findall(max(lists, key=len))]
    return [int(number) for number in _NUMBER.findall(text)] if _ALONE.fullmatch(text) else []


def _prompt(question: str, candidates: Sequence[Candidate], best: int) -> str:
    listed = "\n\n".join(
        f"[{number}] {' '.join(each.title.split())[:_TITLE]}\n{excerpt(each.text, question)}"
        for number, each in enumerate(candidates, 1)
    )
    asked = question[:_QUESTION]
    return load_prompt("retrieval/rerank").render(
        tag=tag_of("search", asked + listed),
        question=asked,
        count=str(len(candidates)),
        candidates=listed,
        best=str(min(best, len(candidates))),
    )
