"""How a server stands: status, indexes, checks, models and modes; the result of one tool."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from glossator.core.events import Usage
from glossator.core.permission import Mode
from glossator.core.tokens import Price
from glossator.workspace import CacheStatistics, Skipped


@dataclass(frozen=True, slots=True)
class IndexView:
    """The text index; `state` is in words, `documents` and `delta` count files in it.

    `pending` files are not in it yet; links, and what cannot be indexed as it is, are not counted.
    Both are read by every search. `delta` files are in memory only.
    """

    state: str
    documents: int
    pending: int
    delta: int
    segments: int
    disk_bytes: int
    memory_bytes: int
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChunksView:
    """The index for Search; `state` is in words, `files` are in it and `pending` ones not yet.

    `embedding`: what embeds them and how many files wait for it, or why nothing does. `problem`:
    why the index is behind, with a next step, or "".
    """

    state: str
    files: int
    pending: int
    disk_bytes: int
    embedding: str
    problem: str


@dataclass(frozen=True, slots=True)
class OutlinesView:
    """The outlines of files that are kept on disk."""

    entries: int
    bytes: int


@dataclass(frozen=True, slots=True)
class SweepView:
    """The last look at the whole disk: why, how long ago it began, how long it took."""

    cause: str
    seconds_ago: float
    milliseconds: float
    differences: int


@dataclass(frozen=True, slots=True)
class SpendingView:
    """What a session has taken; `last` is its conversation's newest request.

    Of its `replies`, those `broken_off` took more than was counted.

    Dollars are None where a price is not known; `last` is zero before the first, and after a
    compaction.
    """

    session_id: str
    title: str
    replies: int
    broken_off: int
    usage: Usage
    last: Usage
    dollars: float | None


@dataclass(frozen=True, slots=True)
class SessionMode:
    """The mode of a session that had a run here, or was given one."""

    session_id: str
    mode: Mode


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """See `docs/protocol.md`; None where there is nothing to say, or nothing is known.

    `mode` is that of the next session, `usual_mode` that of others which are not in `modes`.
    `failed` says of files what fails at them, and how.

    `sharing` says where a team shares generated contexts, and how many came from there.
    """

    version: str
    model: str
    offline: bool
    mode: Mode
    usual_mode: Mode
    modes: tuple[SessionMode, ...]
    roots: tuple[str, ...]
    files: int
    open_documents: int
    revision: int
    scanning: bool
    watcher: str
    last_sweep: SweepView | None
    index: IndexView
    chunks: ChunksView
    outlines: OutlinesView | None
    worker: str
    worker_memory_bytes: int | None
    ripgrep: str
    memory_bytes: int
    cache: CacheStatistics
    skipped: tuple[Skipped, ...]
    sessions: int
    spending: tuple[SpendingView, ...]
    runs: tuple[str, ...]
    sharing: str = ""
    mcp_servers: str = ""
    failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """How the index stands afterwards; `problems` are sentences, each with a next step.

    `chunk_files` are in the index for Search; the disk space is that of both. `sharing` says where
    a team shares generated contexts, and how many came from there; `embedding` what embeds the
    chunks and what it billed, or why nothing does.
    """

    files: int
    indexed: int
    pending: int
    segments: int
    chunk_files: int
    disk_bytes: int
    milliseconds: float
    embedding: str
    problems: tuple[str, ...]
    sharing: str = ""


class CheckState(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; `next_step` is empty when nothing needs doing."""

    name: str
    state: CheckState
    detail: str
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class DoctorAnswer:
    """All checks, in the order to read them."""

    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The model and its effort, and the model before."""

    model: str
    effort: str | None
    before: str


@dataclass(frozen=True, slots=True)
class ModelView:
    """A model; window and output in tokens, None where there is no limit or none is known.

    `effort` is its own, used when none is asked for. `efforts`, and the price (US dollars per
    million tokens), are None where they are not known.
    """

    id: str
    current: bool
    offline: bool
    window: int | None
    max_output: int | None
    effort: str | None
    efforts: tuple[str, ...] | None
    price: Price | None


@dataclass(frozen=True, slots=True)
class LocalServerView:
    """A server of models on this machine; `name` is the program's, `profile` as in the settings.

    `models` chat, the loaded ones first. `problem`: why it cannot be used, with a next step, or "".
    """

    name: str
    profile: str
    url: str
    models: tuple[str, ...]
    problem: str


@dataclass(frozen=True, slots=True)
class LocalServerList:
    """Those that were found; `model` says in words which models answer now, or why none does.

    `offline`: none does.
    """

    servers: tuple[LocalServerView, ...]
    model: str
    offline: bool


@dataclass(frozen=True, slots=True)
class ModelList:
    """The model that runs use now and the effort it is asked with, None for its own.

    `problem` says why the server's own list is not shown, if it could not be asked for.
    """

    model: str
    effort: str | None
    models: tuple[ModelView, ...]
    problem: str


@dataclass(frozen=True, slots=True)
class ModeAnswer:
    """The mode, and the one before."""

    mode: Mode
    before: Mode


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The result as the model sees it, and how long it took (wall time)."""

    text: str
    error: bool
    omitted: int
    milliseconds: float
