"""Reranking by a service: Voyage, Cohere, or a server that speaks as one of them does.

The question and excerpts of the candidates go to the service's address, which only the user's own
settings can name. No redirect is followed.
Sources: Voyage AI, "Rerankers" (`POST /v1/rerank`); Cohere, "Rerank" (`POST /v2/rerank`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from glossator.core.events import Usage
from glossator.core.window import Price
from glossator.llm import Meter, Model, ReplyUsage, cost
from glossator.retrieval.rerank import (
    BEST,
    MOST_CANDIDATES,
    Candidate,
    Reranked,
    Reranker,
    not_reranked,
    ordered,
)
from glossator.retrieval.rerank_model import ModelReranker
from glossator.settings import RetrievalSettings

if TYPE_CHECKING:
    import httpx2

SECONDS = 10.0  # that a search waits for it

_CHARACTERS = 4_000  # of a candidate: a usual chunk whole
_NO_ANSWER = "answered in a form that is not known"


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
        seconds: float = SECONDS,
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
            "documents": [_document(each) for each in candidates[:MOST_CANDIDATES]],
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


def _document(candidate: Candidate) -> str:
    return f"{candidate.title}\n{candidate.text[:_CHARACTERS]}"


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
