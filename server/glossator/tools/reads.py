"""What a conversation has been shown: nothing is shown twice, and citations can be checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from glossator.core.span import Span

Range = tuple[int, int | None]  # first line asked for (1-based), how many


@dataclass(slots=True)
class ReadState:
    """Per conversation: the hash last shown for each range read, and every line shown."""

    _shown: dict[tuple[str, Range], str] = field(default_factory=dict)
    _lines: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    _base: ReadState | None = None

    def draft(self) -> ReadState:
        """A state that knows all that this one knows, and keeps to itself what is shown now."""
        return ReadState(_base=self)

    def adopt(self, draft: ReadState) -> None:
        """What a draft of this state kept to itself was shown after all."""
        self._shown.update(draft._shown)
        for document, lines in draft._lines.items():
            self._lines.setdefault(document, set()).update(lines)

    def unchanged(self, path: str, asked: Range, sha256: str) -> bool:
        """Whether this range was the last shown with this very text."""
        shown = self._shown.get((path, asked))
        if shown is None and self._base:
            return self._base.unchanged(path, asked, sha256)
        return shown == sha256

    def remember(self, path: str, asked: Range, sha256: str) -> None:
        """A range was shown."""
        self._shown[path, asked] = sha256

    def forget_ranges(self) -> None:
        """What showed them is gone from the conversation: Read shows every range again.

        The lines still count as shown: what was learnt from them is kept.
        """
        self._shown.clear()

    def show(self, spans: Iterable[Span]) -> None:
        """Lines were shown to the model."""
        for span in spans:
            lines = self._lines.setdefault((span.uri, span.sha256), set())
            lines.update(range(span.first_line, span.last_line + 1))

    def covers(self, span: Span) -> bool:
        """Whether every line of `span` was shown, with this very text."""
        lines = self._lines.get((span.uri, span.sha256), set())
        return lines.issuperset(range(span.first_line, span.last_line + 1))
