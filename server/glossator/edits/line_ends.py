"""The model writes LF; a document keeps its own line ends, mixed ones included."""

from __future__ import annotations

from bisect import bisect_left

from glossator.core.line_diff import changed_blocks, lines_with_ends
from glossator.core.replacement import Replacement, line_replacements


class PlainView:
    """A text with LF line ends only, whose places can be found in the text itself."""

    def __init__(self, text: str) -> None:
        self.text = as_lf(text)
        self._original = text
        self._pairs: list[int] = []  # where, in `self.text`, the ends are that were CRLF
        at = text.find("\r\n")
        while at >= 0:
            self._pairs.append(at - len(self._pairs))
            at = text.find("\r\n", at + 2)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """What stands from `start` up to `end`, in offsets of the text itself."""
        return (
            start + bisect_left(self._pairs, start),
            end + bisect_left(self._pairs, end),
        )


def as_lf(text: str) -> str:
    """`text` with LF for every line end."""
    return text if "\r" not in text else text.replace("\r\n", "\n").replace("\r", "\n")


def usual_end(text: str, default: str = "\n") -> str:
    """The line end that occurs most; `default` if none does more than that."""
    pairs = text.count("\r\n")
    counts = {"\n": text.count("\n") - pairs, "\r\n": pairs, "\r": text.count("\r") - pairs}
    return max(counts, key=lambda end: (counts[end], end == default))


def like(old: str, new: str, default: str) -> str:
    """`new`, which takes the place of `old`, with its line ends.

    Lines of `old` that stay keep theirs; the others get the one `old` uses most, else `default`.
    """
    end = usual_end(old, default)
    new = as_lf(new)
    if end == "\n" and "\r" not in old:
        return new
    return _joined(lines_with_ends(old), lines_with_ends(new), end)


def rewrite(text: str, content: str) -> tuple[Replacement, ...]:
    """Replacements that make `content` of `text` and keep its line ends and how it ends."""
    end = usual_end(text)
    old, new = lines_with_ends(text), lines_with_ends(as_lf(content))
    if old and new:
        ended = old[-1] != _bare(old[-1])
        new[-1] = _bare(new[-1]) + ("\n" if ended else "")
    return line_replacements(text, _joined(old, new, end))


def _joined(old: list[str], new: list[str], end: str) -> str:
    """The new lines with ends like the old ones; with `end` only if CR and LF would meet."""
    text = "".join(_matched(old, new, end))
    plain = "".join(new)
    return text if as_lf(text) == plain else plain.replace("\n", end)


def _matched(old: list[str], new: list[str], end: str) -> list[str]:
    """The new lines, each with the end of the old line it is, or with `end`."""
    matched = [_bare(line) + end if line != _bare(line) else line for line in new]
    at = new_at = 0
    blocks = changed_blocks([_bare(line) for line in old], [_bare(line) for line in new])
    for start, after, new_start, new_after in [*blocks, (len(old), 0, len(new), 0)]:
        for line, number in zip(old[at:start], range(new_at, new_start), strict=True):
            if line != _bare(line) and new[number] != _bare(new[number]):
                matched[number] = line
        at, new_at = after, new_after
    return matched


def _bare(line: str) -> str:
    return line.rstrip("\r\n")
