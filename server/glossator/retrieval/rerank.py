"""Reranking: the best of what a search found, put in order by something that reads it.

A reranker never fails a search: where it cannot do its work, the order stays, and the result says
why. It is the fast model, or a service: Voyage, Cohere, or a server that speaks as one of them. The
question and excerpts of the candidates go to the service's address, which only the user's own
settings can name. No redirect is followed.

The model reads all candidates at once and names the best. One call with short excerpts, not a
window that slides over whole chunks: 150 excerpts of 600 characters are some 26,000 tokens, a third
of a cent with the fast model, and one round trip. Windows of 20 whole chunks, each half over the
one before, would be 14 calls that wait for each other and 230,000 tokens. Only numbers are asked
for, which every server's models can write: forcing a tool is refused by newer models.

Sources: Sun et al., "Is ChatGPT Good at Search?" (RankGPT, 2023), without its windows; Voyage AI,
"Rerankers" (`POST /v1/rerank`); Cohere, "Rerank" (`POST /v2/rerank`).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from glossator.core.errors import ModelError
from glossator.core.events import Usage
from glossator.core.prompts import load_prompt
from glossator.core.terms import query_terms
from glossator.core.tokens import Price
from glossator.llm import Meter, Model, Reply, ReplyUsage, StopReason, cost, side_query
from glossator.retrieval.contexts.passages import tag_of
from glossator.settings import RetrievalSettings

if TYPE_CHECKING:
    import httpx2


MOST_CANDIDATES = 150  # that are read; others stay behind them
BEST = 20  # that are put in order
MODEL_SECONDS, SERVICE_SECONDS = 20.0, 10.0  # that a search waits for the model, or a service

_EXCERPT = 600  # characters of a candidate
_HEAD = 200  # of these, from its beginning
_LINE = 200  # characters of a line
_GAP = "…"

_OUTPUT = 6  # tokens for a number and the sign before the next one
_SPARE = 60  # tokens for words that it was not asked for
_TITLE = 200  # characters
_QUESTION = 4_000  # characters
_LIST = re.compile(r"\[?\d+\]?(?:\s*[>,;\n]\s*\[?\d+\]?)+")
_ALONE = re.compile(r"\s*\[?\d+\]?\.?\s*")
_NUMBER = re.compile(r"\d{1,6}")

_DOCUMENT_CHARACTERS = 4_000  # of a candidate: a usual chunk whole
_NO_ANSWER = "answered in a form that is not known"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that a search found; the title says where it stands. Both are foreign text."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Reranked:
    """The numbers of all candidates from 0, the best first.

    `problem` says why `by` did not rerank, and then the order is the one that was given.
    """

    order: tuple[int, ...]
    by: str
    problem: str = ""


class Reranker(Protocol):
    """Puts candidates in order for a question."""

    async def rerank(
        self,
        question: str,
        candidates: Sequence[Candidate],
        best: int = BEST,
        meter: Meter | None = None,
    ) -> Reranked:
        """All candidates, of which the `best` first ones matter; costs count in `meter`."""


def ordered(chosen: Iterable[int], count: int) -> tuple[int, ...]:
    """All numbers below `count`: those chosen, each once, then the others as they were."""
    first = dict.fromkeys(number for number in chosen if 0 <= number < count)
    return (*first, *(number for number in range(count) if number not in first))


def not_reranked(count: int, by: str, problem: str) -> Reranked:
    """The order as it was, and why."""
    return Reranked(tuple(range(count)), by, problem=problem)


def excerpt(text: str, question: str, most: int = _EXCERPT) -> str:
    """Lines of a chunk: its first ones, then those with words of the question, then others."""
    lines = [line.rstrip()[:_LINE] for line in text.split("\n")]
    terms = query_terms(question)
    head = _fill(range(len(lines)), lines, _HEAD, set())
    telling = (n for n, line in enumerate(lines) if any(t in line.lower() for t in terms))
    kept = _fill(telling, lines, most, head)
    kept = _fill(range(len(lines)), lines, most, kept)
    shown: list[str] = []
    before = -1
    for number in sorted(kept):
        if number > before + 1:
            shown.append(_GAP)
        shown.append(lines[number])
        before = number
    return "\n".join(shown)


def _fill(numbers: Iterable[int], lines: Sequence[str], most: int, kept: set[int]) -> set[int]:
    """`kept` and as many more of the lines as fit, blank ones aside."""
    kept = set(kept)
    size = sum(len(lines[number]) + 1 for number in kept)
    for number in numbers:
        if number in kept or not lines[number].strip():
            continue
        size += len(lines[number]) + 1
        if size > most and kept:
            break
        kept.add(number)
    return kept


class ModelReranker:
    """Asks one model, once for each search."""

    def __init__(self, model: Model, seconds: float = MODEL_SECONDS) -> None:
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
                prompt = _prompt(question, candidates[:MOST_CANDIDATES], best)
                most = best * _OUTPUT + _SPARE
                reply = await side_query(self._model, meter or Meter(), "rerank", prompt, most)
        except TimeoutError:
            said = f"{by} did not answer within {self._seconds:g} s"
            return not_reranked(count, by, f"{said}, so it did not rerank the results.")
        except ModelError as error:
            return not_reranked(count, by, f"The results are not reranked: {error}")
        return _read(reply, by, count)


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


class RerankService:
    """A rerank endpoint. `top` is its name for the number of results."""

    name = ""
    url = ""
    model = ""
    key_variable = ""
    top = ""

    def __init__(
        self,
        key: str,
        url: str | None = None,
        model: str | None = None,
        price: Price | None = None,
        seconds: float = SERVICE_SECONDS,
    ) -> None:
        """`key` may be "" for a server of the user's own, whose address is `url`."""
        self._key = key.strip()
        self._url = url or self.url
        self._model = model or self.model
        self._own = url is not None
        self._price = price
        self._seconds = seconds

    async def rerank(
        self,
        question: str,
        candidates: Sequence[Candidate],
        best: int = BEST,
        meter: Meter | None = None,
    ) -> Reranked:
        """All candidates; see `Reranker`."""
        count = len(candidates)
        if count < 2:
            return Reranked(tuple(range(count)), self._model)
        body = {
            "model": self._model,
            "query": question,
            "documents": [
                f"{each.title}\n{each.text[:_DOCUMENT_CHARACTERS]}"
                for each in candidates[:MOST_CANDIDATES]
            ],
            self.top: min(best, count),
        }
        problem = self._unsendable() or ""
        answer: object = None
        if not problem:
            answer, problem = await self._post(body)
        if problem:
            return self._not(count, problem)
        scores = _scores(answer, min(count, MOST_CANDIDATES))
        if not scores:
            return self._not(count, _NO_ANSWER)
        if meter is not None:
            self._count(answer, meter)
        best_first = sorted(scores, key=lambda number: -scores[number])
        return Reranked(ordered(best_first, count), self._model)

    async def _post(self, body: Mapping[str, Any]) -> tuple[object, str]:
        """The answer, or what went wrong."""
        import httpx2  # noqa: PLC0415 - slow to import, and needed with a service only

        headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
        try:
            async with httpx2.AsyncClient(follow_redirects=False, timeout=self._seconds) as client:
                response = await client.post(self._url, json=body, headers=headers)
                if not response.is_success:
                    return None, self._refused(response)
                return response.json(), ""
        except httpx2.TimeoutException:
            return None, f"did not answer within {self._seconds:g} s"
        except httpx2.HTTPError as error:
            return None, f"cannot be reached ({str(error) or type(error).__name__})"
        except ValueError:
            return None, _NO_ANSWER

    def _refused(self, response: httpx2.Response) -> str:
        status = response.status_code
        if status in {401, 403}:
            return f"did not accept the key. Set {self.key_variable}"
        if status == 429:
            return "limits the rate of requests"
        if response.is_redirect:
            return f"answers with a redirect ({status}), which is not followed"
        return f"answered with status {status}"

    def _unsendable(self) -> str:
        if not self._key and not self._own:
            return f"needs a key. Set {self.key_variable}"
        if not (self._key.isascii() and self._key.isprintable() and " " not in self._key):
            return f"needs a key, and {self.key_variable} holds characters that no key has"
        parts = urlsplit(self._url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            return "has no address. Write retrieval.rerankerUrl as https://host/v1/rerank"
        return ""

    def _not(self, count: int, problem: str) -> Reranked:
        where = urlsplit(self._url).hostname if self._own else None
        who = self.name + (f" ({where})" if where else "")
        return not_reranked(count, self._model, f"{who} {problem}; the order is as it was.")

    def _count(self, answer: object, meter: Meter) -> None:
        """Count the tokens that the service reports; what it counts otherwise has no price."""
        tokens = 0
        match answer:
            case {"usage": {"total_tokens": int(tokens)}}:
                pass
        usage = Usage(input_tokens=tokens)
        dollars = cost(self._price, usage) if tokens else None
        meter.count(ReplyUsage(usage, dollars=dollars), "rerank", self._model)


class VoyageReranker(RerankService):
    """Voyage AI, or a server that speaks like it."""

    name = "Voyage"
    url = "https://api.voyageai.com/v1/rerank"
    model = "rerank-2.5"
    key_variable = "VOYAGE_API_KEY"
    top = "top_k"


class CohereReranker(RerankService):
    """Cohere, or a server that speaks like it, such as vLLM, Jina's or LiteLLM."""

    name = "Cohere"
    url = "https://api.cohere.com/v2/rerank"
    model = "rerank-v3.5"
    key_variable = "COHERE_API_KEY"
    top = "top_n"


_SERVICES: dict[str, type[RerankService]] = {"voyage": VoyageReranker, "cohere": CohereReranker}


def create_reranker(
    settings: RetrievalSettings,
    fast: Model,
    environment: Mapping[str, str],
    prices: Mapping[str, Price],
) -> Reranker | None:
    """The reranker that the settings name; None for those that ask nobody (linear, none).

    `prices`, by model, are those of `models.prices`; without one a service's price is unknown.
    """
    if settings.reranker == "model":
        return ModelReranker(fast)
    service = _SERVICES.get(settings.reranker)
    if service is None:
        return None
    key = environment.get(service.key_variable, "")
    model = settings.reranker_model or service.model
    return service(key, settings.reranker_url, model, prices.get(model))


def _scores(answer: object, count: int) -> dict[int, float]:
    """The scores by number, the first for a number that is named twice."""
    rows: object = None
    match answer:
        case {"data": list(rows)} | {"results": list(rows)}:
            pass
    scores: dict[int, float] = {}
    for row in rows if isinstance(rows, list) else ():
        match row:
            case {"index": int(number), "relevance_score": int() | float() as score}:
                if 0 <= number < count:
                    scores.setdefault(number, float(score))
    return scores
