"""What the read cache holds, and what the listing leaves out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CacheStatistics:
    """What the read cache did and holds; `bytes` is its memory.

    `dedupes` counts the texts that were not kept again, because another file has the same.
    """

    hits: int
    misses: int
    dedupes: int
    entries: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """`count` paths left out by one rule or for one reason; a directory counts once."""

    rule: str
    count: int
    example: str
