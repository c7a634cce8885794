"""The window of a session: a bar as wide as the terminal, then its parts and why they are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from glossator.cli.messages import amount
from glossator.cli.render import Bar, Cell, Column, Part, Segment, Styled, Table, line
from glossator.commands import ContextAnswer
from glossator.commands import Part as WindowPart
from glossator.core.context_kinds import Kind

_BAR_CHARACTERS = 8  # characters of a bar that stands for everything in the window
_EIGHTHS = " ▏▎▍▌▋▊▉"
# Characters that differ where there are no colours.
_LOOKS: Mapping[str, tuple[str, str]] = {
    "system": ("█", "blue"),
    "tools": ("▓", "magenta"),
    "conversation": ("▒", "cyan"),
}
_FREE_LOOK = ("·", "dim")


def window_parts(answer: ContextAnswer) -> Iterator[Part]:
    """The bar, a row for each part, what the figures rest on, what is not in the window."""
    yield line(_title(answer), "bold", kind="table")
    free = max(0, answer.window - answer.tokens)
    filled = (
        Segment(layer.name, amount(layer.tokens), layer.tokens, *_LOOKS[layer.name])
        for layer in answer.layers
    )
    yield Bar((*filled, Segment("free", amount(free), free, *_FREE_LOOK)))
    rows, plain = zip(*_rows(answer), strict=True) if answer.layers else ((), ())
    columns = (
        Column(least=14),
        Column("tokens", whole=True, right=True),
        Column(width=_BAR_CHARACTERS, whole=True),
        Column("cached", "dim", whole=True, right=True),
        Column("", "dim", least=9),
    )
    yield Table(columns, rows, plain)
    for sentence in answer.left_out:
        yield line(f"Left out. {sentence}", "yellow", kind="table", hang=2)
    yield line(answer.basis, "dim", kind="table", aside=True)


def _title(answer: ContextAnswer) -> str:
    """`12.3k of 1.0M tokens (1.2%) · claude-x · 11.9k cached · compaction at 800.0k`."""
    used, window, at = answer.tokens, answer.window, answer.compact_at
    parts = [
        f"{amount(used)} of {amount(window)} tokens ({used / window:.1%})",
        "offline, no model" if answer.offline else answer.model,
        f"{amount(answer.cached)} cached" if answer.cached else "nothing cached",
        "no compaction unasked" if at is None else f"compaction at {amount(at)}",
    ]
    return " · ".join(parts)


def _rows(answer: ContextAnswer) -> Iterator[tuple[tuple[Cell, ...], str]]:
    """Each layer and its parts as cells, and as a line for a pipe.

    Why a part is there is said once where it is the same for a whole layer.
    """
    whole = answer.tokens or 1
    for layer in answer.layers:
        reasons = {part.why for part in layer.parts}
        common = reasons.pop() if len(reasons) == 1 else ""
        tokens, cached, style = amount(layer.tokens), _cached(layer.cached), _LOOKS[layer.name][1]
        bar = Styled(_bar(layer.tokens / whole), style)
        head = (Styled(layer.name, "bold"), Styled(tokens, "bold"), bar, cached, common)
        yield head, _tabbed(layer.name, "", tokens, cached, common)
        for part in layer.parts:
            name, why = _part_name(part), "" if common else part.why
            tokens = "deferred" if part.deferred else amount(part.tokens)
            cached, bar = _cached(part.cached), Styled(_bar(part.tokens / whole), style)
            cut = f"cut: {part.cut}" if part.cut else ""
            between = "; " if why and cut else ""
            last = (Styled(f"{why}{between}"), Styled(cut, "yellow"))
            plain = _tabbed(layer.name, name, tokens, cached, why, cut)
            yield (f"  {name}", tokens, bar, cached, last), plain


def _tabbed(*cells: str) -> str:
    return "\t".join(cells).rstrip()


def _part_name(part: WindowPart) -> str:
    name = part.name if part.count == 1 else f"{part.name} ({part.count:,})"
    return f"{part.kind}s of {name}" if part.kind in {Kind.CALL, Kind.RESULT} else name


def _cached(tokens: int) -> str:
    return amount(tokens) if tokens else ""


def _bar(share: float) -> str:
    """A bar for a share of the whole, to an eighth of a character."""
    full, rest = divmod(round(share * _BAR_CHARACTERS * 8), 8)
    return "█" * full + _EIGHTHS[rest].strip()
