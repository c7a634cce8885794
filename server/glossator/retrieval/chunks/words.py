"""The terms of texts, for the index: identifiers whole and in parts, words by their stems.

A term is stored as the CRC-32 of its UTF-8, four bytes instead of a string; two terms of one
question that share a hash are less likely than one in a hundred million.
"""

from __future__ import annotations

import re
import string
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise

from glossator.core.terms import STOP_WORDS, parts_of, stem

_WORD = re.compile(r"[^\W\d]\w*|\d{2,}")
_LONGEST = 80  # letters; longer words are data
_ONLY_WORDS = bytes(
    code if chr(code) in string.ascii_letters + string.digits + "_" else 0x20 for code in range(256)
)  # of ASCII; this and splitting take a third of the time that the pattern takes


@lru_cache(maxsize=30_000)
def terms_of(word: str) -> tuple[str, ...]:
    """The terms under which a word is found: itself in lower case, and the stems of its parts."""
    if word[0] in string.digits and not word.isdigit():  # "2nd" holds the word "nd"
        return tuple(terms_of_each(words_of(word)))
    if len(word) > _LONGEST:
        return ()
    parts = [part.casefold() for part in parts_of(word)]
    stems = [stem(part) for part in parts if len(part) > 1]
    if len(parts) > 1:
        stems.append(word.strip("_").casefold())
    return tuple(stems)


def words_of(text: str) -> list[str]:
    """The words of a text, in order, as they are written."""
    return _WORD.findall(text)


def hash_of(term: str) -> int:
    """The term as the index stores it."""
    return zlib.crc32(term.encode())


def terms(texts: Iterable[str]) -> list[str]:
    """All terms of some texts, in order."""
    text = "\n".join(texts)
    if text.isascii():
        return terms_of_each(text.encode().translate(_ONLY_WORDS).decode().split())
    return terms_of_each(words_of(text))


def terms_of_each(words: Iterable[str]) -> list[str]:
    """The terms of all the words, in order."""
    return [*chain.from_iterable(map(terms_of, words))]


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """What is looked for.

    `terms`: the stems that tell, in order; `compounds`: neighbouring words as one identifier, and
    the identifiers that are named, both in lower case; `named`: those identifiers as written.
    `symbol`: the name that the question consists of, without what it is qualified by.
    """

    text: str
    terms: tuple[str, ...]
    compounds: tuple[str, ...]
    named: tuple[str, ...]
    symbol: str = ""


_NAMED = re.compile(
    r"[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)+|_\w+|[a-z]+[A-Z]\w*|\w+_\w+"
    r"|[A-Z]+[a-z]+[A-Z]\w*|[A-Z]{2,}[a-z]\w+"
)


_SYMBOL = re.compile(r"`?[\w$]+(?:(?:\.|::|#)[\w$]+)*(?:\(\))?`?\??")


def question_of(text: str) -> QuestionWords:
    """What a question looks for."""
    words = words_of(text)
    telling = [word for word in words if word.lower() not in STOP_WORDS]
    found = dict.fromkeys(
        term
        for word in telling
        for term in terms_of(word)
        if len(term) > 1 and term not in STOP_WORDS
    )
    named = [name for match in _NAMED.findall(text) for name in re.split(r"\.|::|#", match)]
    if len(words) == 1:
        named.append(words[0])
    pairs = (one + two for one, two in pairwise(telling))
    compounds = dict.fromkeys(name.casefold() for name in (*named, *pairs))
    symbol = named[-1] if named and _SYMBOL.fullmatch(text.strip()) else ""
    return QuestionWords(text, tuple(found), tuple(compounds), tuple(dict.fromkeys(named)), symbol)
