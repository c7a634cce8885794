"""Whether a sentence can be a fact: it is read later, without what stood around it."""

from __future__ import annotations

import re

_LABEL = re.compile(r"^\s*(?:\*\*|__)[^*_]+(?:\*\*|__)\s*:\s+")  # of an item
_LEANS = re.compile(  # it begins with a word for something that was named before, or goes on
    r"\W*(?:in (?:both|either|this|that|these|those|such|each) "
    r"|it|its|they|their|this|that|these|those|both|he|she|otherwise|then|next|such"
    r"|after (?:that|this)|finally|i|we|you|so|therefore|thus"
    r"|hence|however|but|and|also|instead|likewise|the (?:same|other|first|second|last))\b"
    r"|\W*(?:yes|no)\s*[:,.\u2014\u2013]",
    re.IGNORECASE,
)
_POINTS = re.compile(  # it says so of something further on, or leaves it to the next sentence
    r"\b(?:now|too|still|here|(?:this|last|first|next) (?:row|table|list|line|item))\b"
    r"|\b(?:do(?:es)? (?:the same|so|likewise)|the opposite|(?:is|are) then|the (?:former|latter)"
    r"|as (?:above|before))\b|:\s*$",
    re.IGNORECASE,
)
_NAMES = re.compile(r"`[^`]+`|\w_\w|\b[A-Za-z]+[a-z][A-Z]|\w\(\)|\w\.\w|\b[A-Z]\w*[A-Z]")  # code
_DONE = re.compile(  # in this run
    r"\W*[A-Z][a-z]+ed\b|.*\b(?:was|were|has been|have been) (?:\w+ly )?\w+ed\b"
)
_NO_SUBJECT = re.compile(  # it says what is done, or was done, and not by whom
    r"\W*[A-Za-z]+(?:s|ed)\s+(?:an?|the|its|their|all|each|every|any|no|new|more|this|`)"
)
_REFERS = re.compile(  # to something that was named before
    r"\bthe (?:new|old|same(?!\b.* as\b)|other|former|latter|resulting|above|following|rest|one)\b"
    r"|\b(?:with|by|to|from|of|in|on|for|into|as) (?:it|them|this|that|these|those)\b(?! [a-z])",
    re.IGNORECASE,
)
_BARE_SUBJECT = re.compile(  # "The handler takes …"
    r"\W*the (?:[a-z]+ ){1,3}(?:[a-z]+s|is|are|was|can|may|must|will|has)\b", re.IGNORECASE
)
_PRONOUN = re.compile(r"\b(?:it|they|them|its|their)\b", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:[a-z]{2,}(?:s|ed)|is|are|was|were|has|can|must|will|have|do|cannot|may)\b"
)
_PART = re.compile(r"[^\w`]*[a-z][a-z'\u2019]* ")  # of a sentence: it begins in small letters


def without_label(statement: str) -> str:
    """The statement without the label of a list's item: `**Limits**: …`."""
    return _LABEL.sub("", statement, count=1)


def stands_alone(statement: str) -> bool:
    """Whether it means the same without the sentences around it, or the table it is a row of."""
    is_row = statement.lstrip().startswith("|")
    leans = _LEANS.match(statement) or _POINTS.search(statement) or _PART.match(statement)
    refers = _DONE.match(statement) or _NO_SUBJECT.match(statement) or _REFERS.search(statement)
    return not (is_row or leans or refers) and _says(statement) and _names_early(statement)


def _says(statement: str) -> bool:
    """Whether it has a verb: `Retry-After` alone says nothing."""
    return _VERB.search(re.sub(r"`[^`]*`", "x", statement)) is not None


def _names_early(statement: str) -> bool:
    """Whether it says of which code it is before it says of it what a pronoun stands for.

    So it is with "`send` closes the connection when it fails", and not with "The handler takes
    what `send` gave it".
    """
    named = _NAMES.search(statement)
    if named is None or _BARE_SUBJECT.match(statement):
        return False
    return not _PRONOUN.search(statement[: named.start()])
