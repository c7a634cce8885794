"""The parts of `docs/protocol.md` that a terminal shows, as they arrive: JSON objects.

The service's dataclasses are the original; importing them would import the whole server.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

Json = Any  # what `json.loads` gives
Event = dict[str, Json]  # {runId, seq, kind, …fields of the kind}


class Usage(TypedDict):
    """Tokens of a run; total input is the sum of the first three."""

    inputTokens: int
    cacheReadTokens: int
    cacheWriteTokens: int
    outputTokens: int


class Citation(TypedDict):
    """A citation and what checking it found; lines are 1-based and inclusive."""

    target: str
    status: Literal["read", "unsupported"]
    reason: str
    uri: str | None
    firstLine: int | None
    lastLine: int | None


class Answer(TypedDict):
    """The end of a run."""

    runId: str
    sessionId: str
    text: str
    citations: list[Citation]
    changedFiles: list[str]
    stop: str
    model: str
    offline: bool
    turns: int
    milliseconds: float
    usage: Usage
    dollars: float | None
    sessionUsage: Usage
    sessionDollars: float | None


class Hit(TypedDict):
    """A place that a search found; lines are 1-based and inclusive."""

    path: str
    uri: str
    firstLine: int
    lastLine: int
    context: str
    text: str
    score: float


class Hits(TypedDict):
    """The hits, best first, and how much was searched."""

    hits: list[Hit]
    searched: str


class ToolAnswer(TypedDict):
    """A tool's result as the model sees it."""

    text: str
    error: bool
    omitted: int
    milliseconds: float


class Cache(TypedDict):
    """The texts that were read."""

    entries: int
    bytes: int
    hits: int
    misses: int
    dedupes: int


class Skipped(TypedDict):
    """Files that a rule left out."""

    rule: str
    count: int
    example: str


class Index(TypedDict):
    """The text index, in files and bytes."""

    state: str
    documents: int
    pending: int
    delta: int
    segments: int
    diskBytes: int
    memoryBytes: int
    problems: list[str]


class Outlines(TypedDict):
    """The outlines of files kept on disk."""

    entries: int
    bytes: int


class Sweep(TypedDict):
    """The last look at the whole disk."""

    cause: str
    secondsAgo: float
    milliseconds: float
    differences: int


class Spending(TypedDict):
    """What a session has taken; `last` is its newest request."""

    sessionId: str
    title: str
    replies: int
    brokenOff: int
    usage: Usage
    last: Usage
    dollars: float | None


class Status(TypedDict):
    """What a server holds and how it is."""

    version: str
    model: str
    offline: bool
    mode: str
    roots: list[str]
    files: int
    openDocuments: int
    revision: int
    scanning: bool
    watcher: str
    lastSweep: Sweep | None
    index: Index
    outlines: Outlines | None
    worker: str
    workerMemoryBytes: int | None
    ripgrep: str
    memoryBytes: int
    cache: Cache
    skipped: list[Skipped]
    sessions: int
    spending: list[Spending]
    runs: list[str]


class IndexReport(TypedDict):
    """How the index stands after it was built or checked; `problems` are sentences."""

    files: int
    indexed: int
    pending: int
    segments: int
    diskBytes: int
    milliseconds: float
    problems: list[str]


class Progress(TypedDict, total=False):
    """The value of a `$/progress` notification."""

    kind: Literal["begin", "report", "end"]
    title: str
    message: str
    percentage: int


class Option(TypedDict):
    """One of the answers on offer."""

    label: str
    detail: str


class Question(TypedDict):
    """What the user is asked; `several` options may be chosen, if it says so."""

    text: str
    options: list[Option]
    several: bool
    sessionId: str  # empty where no session asks, as about trust
    sessionTitle: str


class QuestionAnswer(TypedDict):
    """The labels chosen, and the user's own words; both may be empty."""

    chosen: list[str]
    words: str


Choice = Literal["once", "session", "always", "deny"]  # what was decided, and for how long


class Cut(TypedDict):
    """What is left out of a detail that is too long to be sent: so many bytes before `tail`."""

    bytes: int
    tail: str


class PermissionRequest(TypedDict):
    """Whether a tool may act; `detail` is all of it unless there is a `cut`."""

    tool: str
    title: str
    detail: str
    cut: Cut | None
    reasons: list[str]
    suggestions: list[str]
    choices: list[Choice]
    sessionId: str  # empty where no session asks
    sessionTitle: str


class PermissionAnswer(TypedDict):
    """What the user decided; `message` is for the model. Not `asked`: nobody could be.

    `rules` are those that the user wrote instead of the suggested ones.
    """

    choice: Choice
    message: str
    asked: NotRequired[bool]
    rules: NotRequired[list[str]]


class ListedRule(TypedDict):
    """A permission rule, and where it is from."""

    text: str
    effect: Literal["allow", "ask", "deny"]
    source: Literal["settings", "session", "always"]
    removable: bool


class Rules(TypedDict):
    """The rules that hold now."""

    rules: list[ListedRule]


class Hunk(TypedDict):
    """A part of an edit: changed lines, or a whole file."""

    id: str
    kind: Literal["edit", "create", "delete", "rename"]
    path: str
    firstLine: int
    before: str
    after: str


class EditPlan(TypedDict):
    """What a tool wants to change."""

    id: str
    label: str
    hunks: list[Hunk]


class ReviewRequest(EditPlan):
    """A plan whose parts the user chooses among; the session is empty where none asks."""

    sessionId: str
    sessionTitle: str


class Review(TypedDict):
    """The ids of the hunks to apply, and words for the model. Not `asked`: nobody could be."""

    accepted: list[str]
    message: str
    asked: NotRequired[bool]


class Step(TypedDict):
    """One of the steps that the model works through."""

    text: str
    state: Literal["pending", "active", "done"]


class Price(TypedDict):
    """US dollars for a million tokens; for prompts of more than `upTo` tokens as `above` says."""

    input: float
    output: float
    upTo: int | None
    above: Price | None


class ListedModel(TypedDict):
    """A model that can be chosen; null where nothing is known or there is no limit."""

    id: str
    current: bool
    offline: bool
    window: int | None
    maxOutput: int | None
    effort: str | None
    efforts: list[str] | None
    price: Price | None


class Models(TypedDict):
    """The model that answers, and all that can be chosen."""

    model: str
    effort: str | None
    models: list[ListedModel]
    problem: str


class Check(TypedDict):
    """One thing the doctor looked at."""

    name: str
    state: Literal["ok", "warning", "failed"]
    detail: str
    nextStep: str


class Checks(TypedDict):
    """All checks, in the order to read them."""

    checks: list[Check]
