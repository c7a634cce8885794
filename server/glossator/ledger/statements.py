"""The wording of facts: when two say the same, and whether a sentence can be one.

Marks, articles and case do not count. A fact is read later, without what stood around it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from glossator.core.passage import Passage

_TOKEN = re.compile(r"\w+|[<>=!+\-/%&|^~@#$]+")
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
_ARTICLES = frozenset({"a", "an", "the"})
_DENYING = frozenset("not no never only without unless except".split())
_SMALL = _ARTICLES | frozenset(
    "again also and are as at be by does for from function has in into is it its itself method of"
    " on that the then this to which with will".split()
)
_ID_BYTES = 5
_ID = re.compile(rf"f[0-9a-f]{{{2 * _ID_BYTES}}}")
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


def meaning_key(statement: str) -> str:
    """The same for statements of the same words in the same order; case counts in names of code."""
    words = (_word(token) for token in _TOKEN.findall(statement[_begin(statement) :]))
    return _hash(word for word in words if word not in _ARTICLES)


def are_twins(one: str, other: str) -> bool:
    """Whether two statements say the same but for small words: the names are in the same order."""
    words = [frozenset(_word(token) for token in _TOKEN.findall(each)) for each in (one, other)]
    return _names(one) == _names(other) and words[0] ^ words[1] <= _SMALL


def _names(statement: str) -> list[str]:
    """What no other words stand for: names, numbers, denials, and what is between back-ticks."""
    found: list[str] = []
    for at, piece in enumerate(statement.split("`")):
        words = map(_word, _TOKEN.findall(piece))
        found += [each for each in words if at % 2 or _is_telling(each)]
    return found


def _is_telling(word: str) -> bool:
    """Whether a word is a name, a number or a denial."""
    return word.lower() != word or "_" in word or word.isdigit() or word in _DENYING


def fact_id(key: str, path: str, passage: Passage, around: Iterable[str] = ()) -> str:
    """The id of a fact with this meaning key: every server that finds it gives it the same one.

    `around` are hashes of other lines, by which it differs from one about lines that read the same.
    """
    return f"f{_hash((key, path, *passage.lines, *around))}"


def is_fact_id(text: str) -> bool:
    """Whether it could be the id of a fact."""
    return _ID.fullmatch(text) is not None


def _begin(statement: str) -> int:
    """Behind the mark of a list's item."""
    bullet = _BULLET.match(statement)
    return bullet.end() if bullet else 0


def _word(token: str) -> str:
    is_name = "_" in token or token[1:].lower() != token[1:]
    return token if is_name else token.lower()


def _hash(parts: Iterable[str]) -> str:
    text = "\n".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=_ID_BYTES).hexdigest()


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
