"""What a session keeps as it happens: its messages, and with each what it shows the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from glossator.core.span import Span, runs
from glossator.llm.conversation import Conversation
from glossator.llm.model import Message
from glossator.sessions.records import ReadShown
from glossator.tools.findings import Counts, Findings
from glossator.tools.reads import Range, ReadState, Seen


@dataclass(frozen=True, slots=True)
class Shown:
    """What a message shows: ranges that were read, lines, and lines that a report told of.

    `seen` are the documents, by path, whose text is another one by now, or (None) forgotten.
    """

    reads: tuple[ReadShown, ...]
    spans: tuple[Span, ...]
    citable: tuple[Span, ...]
    seen: Mapping[str, Seen | None]


class PersistedConversation(Conversation):
    """A conversation that tells of every message before it is part of it."""

    def __init__(
        self,
        say: Callable[[Message], None],
        restarted: Callable[[tuple[Message, ...]], None],
        messages: Iterable[Message],
    ) -> None:
        super().__init__(list(messages))
        self._say = say
        self._restarted = restarted

    def append(self, message: Message) -> None:
        """Add the next message."""
        self._say(message)
        super().append(message)

    def begin_anew(self, messages: Sequence[Message]) -> None:
        """Go on with other messages."""
        kept = tuple(messages)
        self._restarted(kept)
        super().begin_anew(kept)


class PersistedReads(ReadState):
    """What was shown, and what of it no message has told yet.

    It is written down together with the message that shows it: after a kill in between, nothing
    counts as shown that the conversation does not hold.
    """

    def __init__(
        self,
        reads: Iterable[ReadShown],
        spans: Iterable[Span],
        citable: Iterable[Span],
        seen: Mapping[str, Seen],
    ) -> None:
        super().__init__(_faded=dict(seen))
        self.kept: set[str] = set()  # the hashes of texts that are kept
        self._known_seen: dict[str, Seen] = dict(seen)
        self._new_reads: list[ReadShown] = []
        self._new_lines: dict[tuple[str, str], set[int]] = {}
        self._new_citable: list[Span] = []
        for read in reads:
            super().remember(read.path, read.asked, read.sha256)
        super().show(spans)
        super().mark_citable(citable)

    def remember(self, path: str, shown: Range, sha256: str) -> None:
        """A range was read."""
        super().remember(path, shown, sha256)
        self._new_reads.append(ReadShown(path, shown, sha256))

    def show(self, spans: Iterable[Span]) -> None:
        """Lines were shown to the model."""
        shown = list(spans)
        super().show(shown)
        for span in shown:
            lines = self._new_lines.setdefault((span.uri, span.sha256), set())
            lines.update(range(span.first_line, span.last_line + 1))

    def mark_citable(self, spans: Iterable[Span]) -> None:
        """A report told of these lines."""
        told = list(spans)
        super().mark_citable(told)
        self._new_citable += told

    def take(self) -> Shown:
        """What was shown since the last time this was asked."""
        reads = tuple(self._new_reads)
        spans = tuple(
            Span(uri, sha256, first, last)
            for (uri, sha256), lines in self._new_lines.items()
            for first, last in runs(sorted(lines))
        )
        citable = tuple(self._new_citable)
        now = {each.path: each for each in super().seen()}
        seen: dict[str, Seen | None] = dict.fromkeys(self._known_seen.keys() - now.keys())
        seen |= {path: each for path, each in now.items() if self._known_seen.get(path) != each}
        self._known_seen = now
        self._new_reads, self._new_lines, self._new_citable = [], {}, []
        return Shown(reads, spans, citable, seen)


class PersistedFindings(Findings):
    """What was told, and what of it no message has told yet; written down as reads are."""

    def __init__(self, findings: Mapping[str, Counts]) -> None:
        super().__init__(dict(findings))
        self._new: dict[str, Counts] = {}

    def remember(self, uri: str, counts: Counts) -> None:
        """These findings of a document were told."""
        super().remember(uri, counts)
        self._new[uri] = counts

    def take(self) -> dict[str, Counts]:
        """What was told since the last time this was asked."""
        new, self._new = self._new, {}
        return new
