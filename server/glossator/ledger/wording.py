"""When two facts say the same: their wording without marks, articles and case."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from glossator.core.fact import Passage

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
