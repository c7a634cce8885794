"""The diagnostics a conversation was told of, so that it is told of differences only."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from glossator.core.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class Difference:
    """The findings that are new, and how many are gone or as they were."""

    new: tuple[Diagnostic, ...]
    fixed: int
    kept: int


@dataclass(slots=True)
class Findings:
    """Per conversation and document, without lines: an edit above moves what it does not change."""

    _told: dict[str, Counter[tuple[str, str, str]]] = field(default_factory=dict)

    def differ(self, uri: str, items: tuple[Diagnostic, ...]) -> Difference:
        """What changed since this was last asked; `items` is what is told now."""
        before = self._told.get(uri, Counter())
        self._told[uri] = Counter(map(_key, items))
        left = before.copy()
        new = []
        for item in items:
            if left[_key(item)] > 0:
                left[_key(item)] -= 1
            else:
                new.append(item)
        return Difference(tuple(new), left.total(), before.total() - left.total())


def _key(item: Diagnostic) -> tuple[str, str, str]:
    return item.severity, item.source, item.message
