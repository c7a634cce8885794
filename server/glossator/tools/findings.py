"""The diagnostics a conversation was told of, so that it is told of differences only."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from glossator.core.diagnostics import Diagnostic

Counts = Mapping[str, int]  # how many findings say the same, by a hash of what they say


@dataclass(frozen=True, slots=True)
class Difference:
    """The findings that are new, and how many are gone or as they were."""

    new: tuple[Diagnostic, ...]
    fixed: int
    kept: int


@dataclass(slots=True)
class Findings:
    """Per conversation and document, without lines: an edit above moves what it does not change."""

    _told: dict[str, Counts] = field(default_factory=dict)
    _base: Findings | None = None

    def draft(self) -> Findings:
        """Findings that know all that these know, and keep to themselves what is told now."""
        return Findings(_base=self)

    def copy(self) -> Findings:
        """Findings of their own that begin with all that these know by now."""
        return Findings(dict(self._told))

    def adopt(self, draft: Findings) -> None:
        """What a draft of these kept to itself was told after all."""
        for uri, counts in draft._told.items():
            self.remember(uri, counts)

    def differ(self, uri: str, items: tuple[Diagnostic, ...]) -> Difference:
        """What changed since this was last asked; `items` is what is told now."""
        now = Counter(map(_said, items))
        left = Counter(self.last(uri))
        before = left.total()
        if now != left:
            self.remember(uri, now)
        new = []
        for item in items:
            if left[_said(item)] > 0:
                left[_said(item)] -= 1
            else:
                new.append(item)
        return Difference(tuple(new), left.total(), before - left.total())

    def remember(self, uri: str, counts: Counts) -> None:
        """These findings of a document were told."""
        self._told[uri] = counts

    def forget(self) -> None:
        """What told them is gone from the conversation: all are new again."""
        self._told.clear()

    def last(self, uri: str) -> Counts:
        """What was last told of a document."""
        known = self._told.get(uri)
        if known is None and self._base:
            return self._base.last(uri)
        return known or {}


def _said(item: Diagnostic) -> str:
    said = f"{item.severity}\0{item.source}\0{item.message}"
    return hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
