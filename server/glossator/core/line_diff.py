"""The lines that differ between two texts, in bounded time, and as a unified diff.

What is alike at both ends is set aside; lines that occur once on both sides are the anchors of what
is between (B. Cohen's patience diff); small gaps are left to difflib. A gap that is too large for
that is one block: then more than need be counts as changed, but never less.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from glossator.core.text import LineTable

_MAX_GAP = 10_000  # lines of one side times lines of the other, for difflib
_MAX_WORK = 200_000  # the sum of those
_MAX_DEPTH = 8  # anchors within gaps between anchors
_NUMBERS = re.compile(r"^@@ .+ @@$", re.MULTILINE)
_UNPLACED = "@@ … @@"


class Block(NamedTuple):
    """Old lines from `old_start` up to `old_end` became the new ones (0-based)."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def lines_with_ends(text: str) -> list[str]:
    """The lines of `text`, each with its end; together they are the text."""
    starts = LineTable(text).starts
    lines = [text[start:end] for start, end in pairwise([*starts, len(text)])]
    if not lines[-1]:
        lines.pop()
    return lines


def changed_blocks(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """Where the two differ, in order; between two blocks there is at least one equal line."""
    work = _Work()
    found = work.between(Block(0, len(old), 0, len(new)), old, new, 0)
    merged: list[Block] = []
    for block in found:
        if merged and merged[-1].old_end == block.old_start and merged[-1].new_end == block[2]:
            merged[-1] = merged[-1]._replace(old_end=block.old_end, new_end=block.new_end)
        else:
            merged.append(block)
    return merged


def common_prefix(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(one: str, other: str, limit: int) -> int:
    """How many characters, at most `limit`, two texts end with alike."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def unified_diff(old: str, new: str, old_name: str, new_name: str, context: int = 3) -> str:
    """The difference as `diff -u` and git write it; empty when there is none."""
    hunks = "".join(_hunks(lines_with_ends(old), lines_with_ends(new), context))
    return f"{_head(old_name, new_name)}{hunks}" if hunks else ""


def unplaced_diff(parts: Iterable[tuple[str, str]], name: str) -> str:
    """Old and new texts from somewhere in one file, as `unified_diff` without lines' numbers.

    Each text is shown as whole lines.
    """
    hunks = "".join(
        hunk
        for old, new in parts
        for hunk in _hunks(lines_with_ends(f"{old}\n"), lines_with_ends(f"{new}\n"))
    )
    return f"{_head(name, name)}{_NUMBERS.sub(_UNPLACED, hunks)}" if hunks else ""


def _head(old_name: str, new_name: str) -> str:
    return f"--- {old_name}\n+++ {new_name}\n"


def _hunks(before: Sequence[str], after: Sequence[str], context: int = 3) -> Iterator[str]:
    for group in _groups(changed_blocks(before, after), 2 * context):
        start = max(group[0].old_start - context, 0)
        end = min(group[-1].old_end + context, len(before))
        shift = group[0].new_start - group[0].old_start
        new_end = end + group[-1].new_end - group[-1].old_end
        yield f"@@ -{_range(start, end)} +{_range(start + shift, new_end)} @@\n"
        at = start
        for block in group:
            yield from _marked(" ", before[at : block.old_start])
            yield from _marked("-", before[block.old_start : block.old_end])
            yield from _marked("+", after[block.new_start : block.new_end])
            at = block.old_end
        yield from _marked(" ", before[at:end])


class _Work:
    """One comparison and the effort that is left for it."""

    def __init__(self) -> None:
        self._left = _MAX_WORK

    def between(
        self, gap: Block, old: Sequence[str], new: Sequence[str], depth: int
    ) -> Iterator[Block]:
        gap = _trimmed(gap, old, new)
        start, end, new_start, new_end = gap
        if start == end or new_start == new_end:
            if start != end or new_start != new_end:
                yield gap
            return
        anchors = _anchors(gap, old, new) if depth < _MAX_DEPTH else []
        if not anchors:
            yield from self._small(gap, old, new)
            return
        for at, new_at in [*anchors, (end, new_end)]:
            yield from self.between(Block(start, at, new_start, new_at), old, new, depth + 1)
            start, new_start = at + 1, new_at + 1

    def _small(self, gap: Block, old: Sequence[str], new: Sequence[str]) -> Iterator[Block]:
        start, end, new_start, new_end = gap
        cost = (end - start) * (new_end - new_start)
        if cost > min(_MAX_GAP, self._left):
            yield gap
            return
        self._left -= cost
        matcher = SequenceMatcher(None, old[start:end], new[new_start:new_end], autojunk=False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag != "equal":
                yield Block(start + i1, start + i2, new_start + j1, new_start + j2)


def _trimmed(gap: Block, old: Sequence[str], new: Sequence[str]) -> Block:
    start, end, new_start, new_end = gap
    while start < end and new_start < new_end and old[start] == new[new_start]:
        start, new_start = start + 1, new_start + 1
    while start < end and new_start < new_end and old[end - 1] == new[new_end - 1]:
        end, new_end = end - 1, new_end - 1
    return Block(start, end, new_start, new_end)


def _anchors(gap: Block, old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Lines that occur once on each side of the gap, as many as are in the same order."""
    start, end, new_start, new_end = gap
    once = {line for line, count in Counter(old[start:end]).items() if count == 1}
    counts = Counter(new[new_start:new_end])
    places = {
        new[at]: at for at in range(new_start, new_end) if counts[new[at]] == 1 and new[at] in once
    }
    pairs = [(at, places[old[at]]) for at in range(start, end) if old[at] in places]
    return _longest_rising(pairs)


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs that rise on both sides (patience sorting)."""
    tops: list[int] = []  # the new line on top of each pile
    piles: list[int] = []  # the pair it belongs to
    before: list[int] = []  # for each pair, the one before it in its run
    for number, (_, new_at) in enumerate(pairs):
        pile = bisect_left(tops, new_at)
        before.append(piles[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(new_at)
            piles.append(number)
        else:
            tops[pile], piles[pile] = new_at, number
    run: list[tuple[int, int]] = []
    number = piles[-1] if piles else -1
    while number >= 0:
        run.append(pairs[number])
        number = before[number]
    return run[::-1]


def _groups(blocks: list[Block], apart: int) -> Iterator[list[Block]]:
    """Blocks whose context would meet, together."""
    group: list[Block] = []
    for block in blocks:
        if group and block.old_start - group[-1].old_end > apart:
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _range(start: int, end: int) -> str:
    count = end - start
    first = start if count == 0 else start + 1  # an empty range names the line before it
    return str(first) if count == 1 else f"{first},{count}"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        text = line.rstrip("\r\n")
        yield f"{mark}{line}" if line.endswith("\n") else f"{mark}{text}\n"
        if text == line:
            yield "\\ No newline at end of file\n"
