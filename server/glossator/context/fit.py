"""Long texts cut to a budget: the longest first, head and tail kept, and what is gone is said."""

from __future__ import annotations

from collections.abc import Sequence

from glossator.core.price import estimate_tokens

_SHORTEST = 200  # characters; below, a text says nothing any more
_HEAD = 2 / 3  # of what is kept


def head_and_tail(text: str, characters: int) -> str:
    """The text; of one longer than `characters` its beginning and end, with a note between."""
    if len(text) <= characters:
        return text
    head = round(characters * _HEAD)
    tail = characters - head
    gone = len(text) - characters
    return f"{text[:head]}\n[… {gone:,} characters left out here …]\n{text[-tail:]}"


def fit(texts: Sequence[str], tokens: int, longest: int) -> list[str]:
    """The texts within about `tokens` tokens, each of at most `longest` characters.

    None is left out. One and the same limit holds for all, as high as the budget allows.
    """
    limit = longest
    cut = [head_and_tail(text, limit) for text in texts]
    while limit > _SHORTEST and sum(map(estimate_tokens, cut)) > tokens:
        limit = max(_SHORTEST, limit * 3 // 4)
        cut = [head_and_tail(text, limit) for text in texts]
    return cut
