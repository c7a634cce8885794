r"""Whether ripgrep (`--crlf`, with `-U --multiline-dotall` when multiline) finds the same lines.

RE2 searches text with LF line ends; ripgrep searches the file's bytes, in which a line may end in
CRLF. Line by line that makes no difference. In multi-line patterns it does
wherever a character may be a line end, so only spans such as `\s*` between other characters pass.
"""

from __future__ import annotations

from glossator.index.regex import Assertion, Chars, Choice, Node, Repeat, Sequence

_MAX_COPIES = 100  # ripgrep limits the size of compiled patterns; \w is large there
_LINE_ENDS = (10, 13)


def is_portable(node: Node, *, multiline: bool) -> bool:
    """Decide for a pattern whose syntax both engines share."""
    if not _small(node, _MAX_COPIES):
        return False
    if not multiline:
        return not _names_line_end(node)
    items = node.items if isinstance(node, Sequence) else (node,)
    items = tuple(item for item in items if not isinstance(item, Assertion))
    return all(
        0 < at < len(items) - 1 and all(map(_solid, (items[at - 1], items[at + 1])))
        if _is_span(item)
        else _within_line(item)
        for at, item in enumerate(items)
    ) and any(map(_solid, items))


def _small(node: Node, copies: int) -> bool:
    match node:
        case Repeat(Assertion()):
            return False  # engines do not agree what that is
        case Repeat(item, low, high):
            count = max(low, high or 1)
            return count <= copies and _small(item, copies // max(count, 1))
        case Sequence(parts) | Choice(parts):
            return all(_small(part, copies) for part in parts)
        case Chars() | Assertion():
            return True


def _names_line_end(node: Node) -> bool:
    """Whether ripgrep would refuse the pattern: it asks for a line end and nothing else."""
    match node:
        case Chars(ranges):
            return all(code in _LINE_ENDS for low, high in ranges for code in (low, high))
        case Sequence(parts) | Choice(parts):
            return any(map(_names_line_end, parts))
        case Repeat(item):
            return _names_line_end(item)
        case Assertion():
            return False


def _is_span(node: Node) -> bool:
    """Whether any number of characters, all of a line end among them."""
    match node:
        case Repeat(Chars(ranges), low, None):
            return low <= 1 and all(_holds(ranges, code) for code in _LINE_ENDS)
        case _:
            return False


def _within_line(node: Node) -> bool:
    """Whether no match holds a part of a line end."""
    match node:
        case Chars(ranges):
            return not any(_holds(ranges, code) for code in _LINE_ENDS)
        case Sequence(parts) | Choice(parts):
            return all(map(_within_line, parts))
        case Repeat(item):
            return _within_line(item)
        case Assertion():
            return True


def _solid(node: Node) -> bool:
    """Whether every match holds characters, and none of a line end."""
    return _within_line(node) and _consumes(node)


def _consumes(node: Node) -> bool:
    match node:
        case Chars():
            return True
        case Sequence(parts):
            return any(map(_consumes, parts))
        case Choice(parts):
            return all(map(_consumes, parts))
        case Repeat(item, low, _):
            return low > 0 and _consumes(item)
        case Assertion():
            return False


def _holds(ranges: tuple[tuple[int, int], ...], code: int) -> bool:
    return any(low <= code <= high for low, high in ranges)
