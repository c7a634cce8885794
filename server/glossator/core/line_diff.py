"""The lines that differ between two texts, in bounded time: as a unified diff, and as replacements.

What is alike at both ends is set aside; lines that occur once on both sides are the anchors of what
is between (B. Cohen's patience diff); small gaps are left to difflib. A gap that is too large for
that is one block: then more than need be counts as changed, but never less.

Offsets of replacements count code points of the text they are about. A tuple of replacements is in
order, and none overlaps another.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
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
    """The difference in the form of `diff -u` and git; empty when there is none."""
    hunks = "".join(_hunks(lines_with_ends(old), lines_with_ends(new), context))
    return f"{_head(old_name, new_name)}{hunks}" if hunks else ""


def unplaced_diff(parts: Iterable[tuple[str, str]], name: str) -> str:
    """The difference of texts from somewhere in a file, without line numbers.

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
    """Blocks joined where their contexts would meet."""
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


@dataclass(frozen=True, slots=True, order=True)
class Replacement:
    """`text` takes the place of what stands from `start` up to `end`."""

    start: int
    end: int
    text: str

    @property
    def growth(self) -> int:
        """How many characters longer the text becomes."""
        return len(self.text) - (self.end - self.start)


def check(replacements: Sequence[Replacement], length: int) -> None:
    """Raises `ValueError` unless they are in order, apart, and within a text of this length."""
    at = 0
    for each in replacements:
        if not at <= each.start <= each.end <= length:
            raise ValueError(f"{each.start}-{each.end} overlaps, or is outside of 0-{length}")
        at = each.end


def apply_replacements(text: str, replacements: Iterable[Replacement]) -> str:
    """The text after all of them."""
    parts: list[str] = []
    at = 0
    for each in replacements:
        parts += (text[at : each.start], each.text)
        at = each.end
    return "".join([*parts, text[at:]])


def compose(
    base: str, earlier: Sequence[Replacement], later: Sequence[Replacement]
) -> tuple[Replacement, ...]:
    """Replacements in `base` that do the same as `earlier` and then `later` in the result."""
    result = apply_replacements(base, earlier)
    groups = _touching(_placed(earlier), later)
    composed: list[Replacement] = []
    growth = 0  # of the earlier ones so far
    for group in groups:
        start = group.start - growth
        growth += group.growth
        moved = [
            Replacement(each.start - group.start, each.end - group.start, each.text)
            for each in group.later
        ]
        text = apply_replacements(result[group.start : group.end], moved)
        composed.append(Replacement(start, group.end - growth, text))
    return tuple(composed)


def inverted(base: str, replacements: Sequence[Replacement]) -> tuple[Replacement, ...]:
    """The replacements that turn the result back into the base."""
    return tuple(
        Replacement(there.start, there.end, base[each.start : each.end])
        for there, each in zip(_placed(replacements), replacements, strict=True)
    )


def trimmed(base: str, replacement: Replacement) -> Replacement:
    """The change without equal text at both ends; never begins or ends within a CRLF."""
    old = base[replacement.start : replacement.end]
    new = replacement.text
    prefix = common_prefix(old, new)
    suffix = common_suffix(old, new, min(len(old), len(new)) - prefix)
    start, end = replacement.start + prefix, replacement.end - suffix
    if prefix and _within_line_end(base, start):
        start, prefix = start - 1, prefix - 1
    if suffix and _within_line_end(base, end):
        end, suffix = end + 1, suffix - 1
    return Replacement(start, end, new[prefix : len(new) - suffix])


def line_replacements(old: str, new: str) -> tuple[Replacement, ...]:
    """Replacements of whole lines that make `new` of `old`."""
    before, after = lines_with_ends(old), lines_with_ends(new)
    starts = [*LineTable(old).starts, len(old)]
    return tuple(
        Replacement(
            starts[block.old_start],
            starts[block.old_end],
            "".join(after[block.new_start : block.new_end]),
        )
        for block in changed_blocks(before, after)
    )


class _TouchingGroup(NamedTuple):
    """Replacements that touch in the text between: its place, and what `earlier` added."""

    start: int
    end: int
    growth: int
    later: tuple[Replacement, ...]


class _Placed(NamedTuple):
    start: int
    end: int
    growth: int


def _placed(earlier: Iterable[Replacement]) -> list[_Placed]:
    """The places of the new texts in the result."""
    growth = 0
    placed = []
    for each in earlier:
        start = each.start + growth
        placed.append(_Placed(start, start + len(each.text), each.growth))
        growth += each.growth
    return placed


def _touching(earlier: Sequence[_Placed], later: Sequence[Replacement]) -> list[_TouchingGroup]:
    single = [_TouchingGroup(each.start, each.end, each.growth, ()) for each in earlier]
    single += [_TouchingGroup(each.start, each.end, 0, (each,)) for each in later]
    groups: list[_TouchingGroup] = []
    for each in sorted(single, key=lambda group: (group.start, group.end)):
        if groups and each.start <= groups[-1].end:
            last = groups[-1]
            groups[-1] = _TouchingGroup(
                last.start,
                max(last.end, each.end),
                last.growth + each.growth,
                last.later + each.later,
            )
        else:
            groups.append(each)
    return groups


def _within_line_end(text: str, offset: int) -> bool:
    return text[offset - 1 : offset + 1] == "\r\n"
