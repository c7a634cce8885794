"""A passage: cited lines of a document, to be found again by a hash of each."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any


@dataclass(frozen=True, slots=True)
class Passage:
    """Cited lines, 1-based and inclusive, of the document at `path`: a hash of each.

    `before` and `after` are hashes of the lines around, nearest first: they tell lines that moved
    from others that read the same.
    """

    path: str
    first_line: int
    last_line: int
    lines: tuple[str, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def line_hashes(lines: Sequence[str]) -> tuple[str, ...]:
    """A short hash of each line."""
    return tuple(map(_hash, lines))


@lru_cache(20_000)  # a text is hashed again after each change, and most lines are as they were
def _hash(line: str) -> str:
    return hashlib.blake2b(line.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def from_json(fields: Mapping[str, Any]) -> Passage:
    """From what `asdict` gave, as JSON. Raises `KeyError` and `TypeError` for what is none."""
    hashes = {name: tuple(fields[name]) for name in ("lines", "before", "after")}
    return Passage(fields["path"], fields["first_line"], fields["last_line"], **hashes)
