"""What a statement names that need not stand in its lines: what it sets aside, and line numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from glossator.grounding.wording import Kind, Token

_ASIDE: Final = frozenset("besides unlike except apart aside addition".split())
_JOINING: Final = frozenset("and or the a an for from to of class method function".split())
_BETWEEN_LINES: Final = frozenset("\u2013 \u2014 , and or to".split())


def is_set_aside(at: int, tokens: Sequence[Token]) -> bool:
    """Whether a name is one that the statement is not about: "Besides `a` and `b`, …"."""
    for token in reversed(tokens[:at]):
        word = token.text.lower()
        if token.kind is Kind.WORD and word in _ASIDE:
            return True
        if token.kind is not Kind.NAME and word not in _JOINING:
            return False
    return False


def is_of_lines(at: int, tokens: Sequence[Token]) -> bool:
    """Whether a number is one of several lines: "lines 3-9 and 12"."""
    for token in reversed(tokens[:at]):
        word = token.text.lower()
        if token.kind is not Kind.NUMBER and word not in _BETWEEN_LINES:
            return word == "lines"
    return False
