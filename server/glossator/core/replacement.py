"""Replacements in a text: applied, put one after the other, and cut down to what they change.

Offsets count code points of the text they are about. A tuple of replacements is in order, and none
overlaps another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from glossator.core.line_diff import changed_blocks, common_prefix, common_suffix, lines_with_ends
from glossator.core.text import LineTable


@dataclass(frozen=True, slots=True, order=True)
class Replacement:
    """`text` takes the place of what stands from `start` up to `end`."""

    start: int
    end: int
    text: str

    @property
    def growth(self) -> int:
        """By how many characters the text becomes longer."""
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
    """Replacements in `base` that do what `earlier` do and then, in their result, `later`."""
    result = apply_replacements(base, earlier)
    groups = _groups(_placed(earlier), later)
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
    """Replacements in their result that bring the base back."""
    return tuple(
        Replacement(there.start, there.end, base[each.start : each.end])
        for there, each in zip(_placed(replacements), replacements, strict=True)
    )


def trimmed(base: str, replacement: Replacement) -> Replacement:
    """The same change without what is alike at both ends; never begins or ends within a CRLF."""
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


class _Group(NamedTuple):
    """Replacements that touch in the text between: its place there, and what `earlier` grew."""

    start: int
    end: int
    growth: int
    later: tuple[Replacement, ...]


class _Placed(NamedTuple):
    start: int
    end: int
    growth: int


def _placed(earlier: Iterable[Replacement]) -> list[_Placed]:
    """Where their texts stand in their result."""
    growth = 0
    placed = []
    for each in earlier:
        start = each.start + growth
        placed.append(_Placed(start, start + len(each.text), each.growth))
        growth += each.growth
    return placed


def _groups(earlier: Sequence[_Placed], later: Sequence[Replacement]) -> list[_Group]:
    single = [_Group(each.start, each.end, each.growth, ()) for each in earlier]
    single += [_Group(each.start, each.end, 0, (each,)) for each in later]
    groups: list[_Group] = []
    for each in sorted(single, key=lambda group: (group.start, group.end)):
        if groups and each.start <= groups[-1].end:
            last = groups[-1]
            groups[-1] = _Group(
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
