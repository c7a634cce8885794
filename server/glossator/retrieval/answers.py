"""What Search and the commands about generated contexts answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StagePlace:
    """Where a stage of a search put a hit, from 1 on, and its score there."""

    stage: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class SearchReason:
    """How far a feature of the reranker put a hit above (or below) the average candidate."""

    feature: str
    value: float
    weight: float


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A chunk: where it is (lines 1-based, inclusive), what encloses it, and its text.

    `sha256` is of the document's whole text, as UTF-8: with it the lines can be cited, and the
    citation checked. `lines` are the few that tell most, `words` those of the query as they stand
    there. `reasons` are given where they were asked for.
    """

    path: str
    uri: str
    sha256: str
    first_line: int
    last_line: int
    context: str
    text: str
    score: float
    lines: tuple[int, ...]
    words: tuple[str, ...]
    stages: tuple[StagePlace, ...]
    reasons: tuple[SearchReason, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The best chunks first; `searched` says how much was looked at.

    `absent` are words of the query that no file holds.
    """

    hits: tuple[SearchHit, ...]
    searched: str
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextsEstimate:
    """What the generated contexts that are missing would take, about; nothing was sent.

    `kept` chunks have theirs, `under_way` are in batches that are paid for. Asked for one by one
    they cost `dollars`, in a batch from `batch_dollars` to `batch_most`: None where a price is not
    known, or where `takes_batches` is false. `left_out` files are generated, data, or hidden by
    rules, and are not sent. `limit` is the most that one build may cost, `in_words` all of it.
    `sharing` says where a team shares contexts, and how many came from there; "" if it does not.
    """

    model: str
    files: int
    chunks: int
    kept: int
    under_way: int
    left_out: int
    document_tokens: int
    input_tokens: int
    output_tokens: int
    dollars: float | None
    batch_dollars: float | None
    batch_most: float | None
    takes_batches: bool
    limit: float | None
    in_words: str
    sharing: str = ""


@dataclass(frozen=True, slots=True)
class ContextsAnswer:
    """What came of making contexts; `stopped` says why it ended before all were made, or "".

    `dollars` is what the provider billed by its own figures, and `cost` tells it against the
    estimate; "" if nothing was sent.
    """

    estimate: ContextsEstimate
    made: int
    failed: int
    problems: tuple[str, ...]
    stopped: str
    dollars: float | None
    cost: str


@dataclass(frozen=True, slots=True)
class ContextsExported:
    """The contexts of this workspace as JSON lines, and how many they are."""

    text: str
    count: int


@dataclass(frozen=True, slots=True)
class ContextsImported:
    """How many contexts were taken in; those that were there already stay."""

    count: int


@dataclass(frozen=True, slots=True)
class BatchesEnded:
    """How many batches the provider was asked to end."""

    count: int
