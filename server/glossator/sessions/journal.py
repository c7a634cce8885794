"""What a session writes to its log as it happens: events, messages and what they show the model."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from glossator.core.errors import StoreUnavailable
from glossator.core.events import (
    Envelope,
    RunCancelled,
    RunFailed,
    RunFinished,
    TextDelta,
    TextDiscarded,
    ThinkingDelta,
)
from glossator.core.span import Span, runs
from glossator.llm import Conversation, Message
from glossator.sessions.records import (
    Begun,
    Happened,
    KeptValue,
    ReadShown,
    Record,
    decode_all,
    encode,
)
from glossator.store import Log, Logs
from glossator.tools import FindingCounts, Findings, ReadDocument, ReadRange, ReadState

logger = logging.getLogger(__name__)

_NEVER = datetime.min.replace(tzinfo=UTC)
_KEEP_REPLY_EVERY = timedelta(seconds=0.25)  # text of a reply under way


@dataclass(frozen=True, slots=True)
class Head:
    """A session as lists show it, kept beside its log; `roots` are real paths.

    One that is not `listed` is in no list.
    """

    id: str
    title: str
    created_at: str  # ISO 8601
    roots: tuple[str, ...]
    turns: int
    listed: bool = True


class Journal:
    """The log of one session, begun with the first record that is written.

    When the disk refuses a record the journal ends there and says so once, while the session
    continues without it: what is kept never has a gap.
    """

    def __init__(
        self, logs: Logs | None, begun: Begun, tell: Callable[[str], None], log: Log | None = None
    ) -> None:
        """Nothing is kept without `logs`; `log` is the log of a resumed session."""
        self._logs = logs
        self._begun = begun
        self._tell = tell
        self._log = log
        self._broken = False
        self.why_broken = ""

    @property
    def exists(self) -> bool:
        """Whether anything was written."""
        return self._log is not None

    def write(self, *records: Record) -> None:
        """Write records, all or none; they outlive this process from now on."""
        if self._broken or self._logs is None:
            return
        try:
            if self._log is None:
                self._log = self._logs.create(self._begun.id)
                records = (self._begun, *records)
            self._log.append([encode(record) for record in records])
        except StoreUnavailable as error:
            # Writing on would leave a gap, and a resumed session would be one that never happened
            # (docs/decisions/0018).
            self._broken = True
            self.why_broken = (
                f"{error} This session continues, but what happens in it from now on is not kept,"
                " and nothing is changed in it that could not be undone after a restart: make room,"
                " or put the folder right, and begin a new session."
            )
            self._tell(self.why_broken)

    @property
    def broken(self) -> bool:
        """Whether writing failed, so that nothing more is written."""
        return self._broken

    @property
    def size(self) -> int:
        """The size of the log in bytes."""
        return self._log.size if self._log else 0

    @property
    def written_before(self) -> int:
        """When an earlier server last wrote here or was alive (ns since 1970); 0: never."""
        return self._log.written_before if self._log else 0

    def live(self) -> None:
        """Set the log's time to now, to show that this server is alive though it writes nothing."""
        if self._log is not None:
            self._log.touch()

    async def kept_elsewhere(self, name: str, since: int) -> list[Any]:
        """What other sessions kept under a name, in logs written since that time (ns)."""
        return await asyncio.to_thread(self._kept_elsewhere, name, since)

    def _kept_elsewhere(self, name: str, since: int) -> list[Any]:
        found: list[Any] = []
        if self._logs is None:
            return found
        mark = json.dumps(name).encode()
        try:
            for contents in self._logs.others(self._begun.id, since):
                lines = [line for line in contents.records if mark in line]  # few of many
                records = decode_all(lines)
                found += [r.value for r in records if isinstance(r, KeptValue) and r.name == name]
        except StoreUnavailable as error:
            logger.warning("%s", error)
        return found

    def sync(self, head: Head, size: int) -> None:
        """Wait for the disk, and update the head that lists show; slow, for a thread.

        `head` is the session when this many bytes were written, or later.
        """
        if self._log is None or self._logs is None or self._broken:
            return
        try:
            self._log.sync()
            self._logs.describe(head.id, encode_head(head), size)
        except StoreUnavailable as error:  # nothing is lost while this machine runs
            logger.warning("%s", error)

    def close(self) -> None:
        """Close the log, so that another server can open the session."""
        if self._log is not None and self._logs is not None:
            self._logs.close(self._begun.id, self._log)
            self._broken = True


def encode_head(head: Head) -> bytes:
    """Encode a head as it is kept."""
    return json.dumps(asdict(head)).encode()


def decode_head(raw: bytes) -> Head | None:
    """Decode a kept head; None if another version wrote it."""
    try:
        fields = json.loads(raw)
        return Head(**{**fields, "roots": tuple(fields["roots"])})
    except (KeyError, TypeError, ValueError):
        return None


@dataclass(frozen=True, slots=True)
class ShownInMessage:
    """What a message shows: ranges that were read, lines, and lines that a report cited.

    `seen` are the documents, by path, whose text has changed since, or (None) was forgotten.
    """

    reads: tuple[ReadShown, ...]
    spans: tuple[Span, ...]
    citable: tuple[Span, ...]
    seen: Mapping[str, ReadDocument | None]


class PersistedConversation(Conversation):
    """A conversation that writes each message down before it appends it."""

    def __init__(
        self,
        say: Callable[[Message], None],
        restarted: Callable[[tuple[Message, ...]], None],
        revised: Callable[[Message], None],
        amended: Callable[[tuple[Message, ...]], None],
        messages: Iterable[Message],
    ) -> None:
        super().__init__(tuple(messages))
        self._say = say
        self._revised = revised
        self._amended = amended
        self._restarted = restarted

    def append(self, message: Message) -> None:
        """Add the next message."""
        self._say(message)
        super().append(message)

    def revise(self, message: Message) -> None:
        """Replace the last message, after which nothing was sent."""
        self._revised(message)
        super().revise(message)

    def amend(self, messages: Sequence[Message]) -> None:
        """Continue with messages without what the provider refused."""
        kept = tuple(messages)
        self._amended(kept)
        super().amend(kept)

    def restart(self, messages: Sequence[Message]) -> None:
        """Replace the messages."""
        kept = tuple(messages)
        self._restarted(kept)
        super().restart(kept)


class PersistedReads(ReadState):
    """What was shown, and which of it is not written down yet.

    It is written together with the message that shows it, so that nothing counts as shown that the
    conversation does not hold after a kill in between.
    """

    def __init__(
        self,
        reads: Iterable[ReadShown],
        spans: Iterable[Span],
        citable: Iterable[Span],
        seen: Mapping[str, ReadDocument],
    ) -> None:
        super().__init__(_faded=dict(seen))
        self.kept: set[str] = set()  # the hashes of texts that are kept
        self._known_seen: dict[str, ReadDocument] = dict(seen)
        self._new_reads: list[ReadShown] = []
        self._new_lines: dict[tuple[str, str], set[int]] = {}
        self._new_citable: list[Span] = []
        for read in reads:
            super().remember(read.path, read.asked, read.sha256)
        super().show(spans)
        super().mark_citable(citable)

    def remember(self, path: str, shown: ReadRange, sha256: str) -> None:
        """Note that a range was read."""
        super().remember(path, shown, sha256)
        self._new_reads.append(ReadShown(path, shown, sha256))

    def show(self, spans: Iterable[Span]) -> None:
        """Note that lines were shown to the model."""
        shown = list(spans)
        super().show(shown)
        for span in shown:
            lines = self._new_lines.setdefault((span.uri, span.sha256), set())
            lines.update(range(span.first_line, span.last_line + 1))

    def mark_citable(self, spans: Iterable[Span]) -> None:
        """Note that a report cited these lines, or a patch showed them."""
        told = list(spans)
        super().mark_citable(told)
        self._new_citable += told

    def take(self) -> ShownInMessage:
        """What was shown since the last call."""
        reads = tuple(self._new_reads)
        spans = tuple(
            Span(uri, sha256, first, last)
            for (uri, sha256), lines in self._new_lines.items()
            for first, last in runs(sorted(lines))
        )
        citable = tuple(self._new_citable)
        now = {each.path: each for each in super().read_documents()}
        seen: dict[str, ReadDocument | None] = dict.fromkeys(self._known_seen.keys() - now.keys())
        seen |= {path: each for path, each in now.items() if self._known_seen.get(path) != each}
        self._known_seen = now
        self._new_reads, self._new_lines, self._new_citable = [], {}, []
        return ShownInMessage(reads, spans, citable, seen)


class PersistedFindings(Findings):
    """Findings the model knows, and those not written down yet."""

    def __init__(self, findings: Mapping[str, FindingCounts]) -> None:
        super().__init__(dict(findings))
        self._new: dict[str, FindingCounts] = {}

    def remember(self, uri: str, counts: FindingCounts) -> None:
        """Note that the model was shown these findings of a document."""
        super().remember(uri, counts)
        self._new[uri] = counts

    def take(self) -> dict[str, FindingCounts]:
        """The findings shown since the last call."""
        new, self._new = self._new, {}
        return new


class UnfinishedReply:
    """Text and thinking of the current reply, for people alone; the model never reads them back.

    They are kept a few times a second, so that they survive a killed server.
    """

    def __init__(self) -> None:
        self._kind = ""
        self._text = ""  # of that kind, not kept yet
        self._is_kept = False  # something of the reply
        self._at = _NEVER  # when something of it was kept last

    def held(self) -> None:
        """Note that a message holds the reply; the next one's first piece is kept at once."""
        self._text, self._is_kept, self._at = "", False, _NEVER

    def after(self, envelope: Envelope, at: datetime) -> Iterator[Happened]:
        """The records to keep of the reply at this event of its run."""
        match envelope.event:
            case TextDelta(text) | ThinkingDelta(text) as delta:
                if delta.kind != self._kind:
                    yield from self._taken(envelope, at)
                self._kind, self._text = delta.kind, self._text + text
                if at - self._at >= _KEEP_REPLY_EVERY:
                    yield from self._taken(envelope, at)
            case TextDiscarded() as discarded:
                if self._is_kept:
                    yield _happened(envelope, at, {"kind": discarded.kind, **asdict(discarded)})
                self.held()
            case RunFinished() | RunFailed() | RunCancelled():
                yield from self._taken(envelope, at)
                self.held()

    def _taken(self, envelope: Envelope, at: datetime) -> Iterator[Happened]:
        if self._text:
            yield _happened(envelope, at, {"kind": self._kind, "text": self._text})
            self._text, self._is_kept, self._at = "", True, at


def _happened(envelope: Envelope, at: datetime, event: Mapping[str, Any]) -> Happened:
    return Happened(envelope.run_id, envelope.seq, at, event)
