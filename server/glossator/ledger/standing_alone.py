"""Whether a sentence can be a fact: it is read later, without what stood around it."""

from __future__ import annotations

import re

_LABEL = re.compile(r"^\s*(?:\*\*|__)[^*_]+(?:\*\*|__)\s*:\s+")  # of an item
_LEANS = re.compile(  # it begins with a word for something that was named before, or goes on
    r"\W*(?:in (?:both|either|this|that|these|those|such|each) "
    r"|it|its|they|their|this|that|these|those|both|he|she|otherwise|then|so|therefore|thus"
    r"|hence|however|but|and|also|instead|likewise|the (?:same|other))\b"
    r"|\W*(?:yes|no)\s*[:,.\u2014\u2013]",
    re.IGNORECASE,
)
_POINTS = re.compile(  # it says so of something further on, or leaves it to the next sentence
    r"\b(?:do(?:es)? (?:the same|so|likewise)|the opposite|(?:is|are) then|the (?:former|latter)"
    r"|as (?:above|before))\b|:\s*$",
    re.IGNORECASE,
)
_PART = re.compile(r"[^\w`]*[a-z][a-z'\u2019]* ")  # of a sentence: it begins in small letters


def without_label(statement: str) -> str:
    """The statement without the label of a list's item: `**Limits**: …`."""
    return _LABEL.sub("", statement, count=1)


def stands_alone(statement: str) -> bool:
    """Whether it means the same without the sentences around it, or the table it is a row of."""
    is_row = statement.lstrip().startswith("|")
    leans = _LEANS.match(statement) or _POINTS.search(statement) or _PART.match(statement)
    return not (is_row or leans)
