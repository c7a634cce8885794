"""The words of a question and of code, in a form in which they meet.

Identifiers are split at case changes and underscores and also kept whole; words lose their common
English endings, so that "splitting" meets `split_lines`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_WORD = re.compile(r"[^\W\d]\w*|\d{2,}")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_OTHER_PARTS = re.compile(r"[^\W_]+")  # of words with letters beyond ASCII, whose case may not tell
_ENDINGS = tuple("ations ation yings ying ings ing ies ied ie ers er ed es s e y".split())
_AFTER_CONSONANT = ("yings", "ying", "y")  # "query", but "array" has no ending
_NO_PLURAL = ("as", "is", "ss", "us")  # alias, analysis, class, status
DEFINING = "def|class|function|func|fn|struct|interface|trait|enum|type|const|let|var"
_RECEIVER = r"(?:\([^)\n]*\)[ \t]*)?"  # of a method of Go
_STEM_LENGTH = 4  # shorter stems match too much

STOP_WORDS = frozenset(
    """
    a about all an and any are as at be because been both but by can code could did do does done
    each explain file files find for from get give had has have how i if in into is it its let
    made make many me more most my no not of on one or our out please say see should show so
    some such tell than that the their them then there these they this those to use used user
    uses using was we were what when where whether which while who why will with work works
    would you your
    """.split()
)

# Words of German, French, Spanish, Portuguese and Italian that say nothing of the matter.
_OTHER_LANGUAGES = tuple(
    frozenset(words.split())
    for words in """
    aber alle als am an auch auf aus bei bis das dem den der des die durch ein eine einem einen
    einer es für gibt haben hat ich im in ist kann man mit nach nicht noch oder sich sie sind über
    um und unter vom von vor wann warum was welche welchem welchen welcher welches wenn werden wer
    wie wird wo woher wofür zu zum zur zwischen;
    à au aux avec ce ces cette comment dans de des du elle en est et il ils je la le les leur mais
    ne nous où ou par pas pour pourquoi quand que quel quelle quelles quels qui sa se ses son sont
    sur un une vous;
    a al como cómo con cuál cuáles cuando cuándo de del desde donde dónde el ella en entre es esta
    este esto la las lo los más muy no o para pero por porque qué que quién se ser si sin sobre son
    su sus un una y;
    a ao aos as com como da das de do dos e em entre essa esse esta este é mais na não nas no nos o
    onde os ou para pela pelo por porque qual quais quando que quem se são sem seu sua um uma;
    a al alla anche che chi ci come con cosa da dal dalla dei del della delle di dove e è gli il in
    la le lo ma nel nella non o per perché più quale quali quando questa questo si sono su sul tra
    un una
    """.split(";")
)


def foreign_stop_words(words: Iterable[str]) -> frozenset[str]:
    """The words that tell nothing in the other language that these words are in; none if English.

    They are in another language if they hold at least two of its words, and more than of English.
    """
    said = {word.lower() for word in words}
    other = max(_OTHER_LANGUAGES, key=lambda each: len(said & each))
    return other if len(said & other) > max(1, len(said & STOP_WORDS)) else frozenset()


def stop_words(words: Iterable[str]) -> frozenset[str]:
    """The words that tell nothing in a question of these words, in the language that it is in."""
    return STOP_WORDS | foreign_stop_words(words)


def query_terms(question: str) -> tuple[str, ...]:
    """Distinct lower-case stems of the question, in order; identifiers stand beside their parts."""
    terms: dict[str, None] = {}
    for word in _WORD.findall(question):
        parts = [part.lower() for part in parts_of(word)]
        if len(parts) > 1:
            terms[word.lower()] = None
        for part in parts:
            if part not in STOP_WORDS and len(part) > 1:
                terms[stem(part)] = None
    return tuple(terms)


def identifiers(question: str) -> tuple[str, ...]:
    """Words that can only be names in code: with an underscore, inner capitals or digits."""
    names = (word.strip("_") for word in _WORD.findall(question))
    return tuple(dict.fromkeys(name for name in names if len(parts_of(name)) > 1))


def defining(names: Iterable[str]) -> str:
    """A regular expression for lines that define one of these identifiers, in most languages."""
    return rf"(?m)^[ \t]*(?:[\w()]+[ \t]+)*(?:{DEFINING})[ \t]+{_RECEIVER}(?:{'|'.join(names)})\b"


def parts_of(word: str) -> list[str]:
    """The parts of an identifier, split at case changes, underscores and digits."""
    return (_PARTS if word.isascii() else _OTHER_PARTS).findall(word)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The word without a common ending, if enough of it is left."""
    if word.endswith(_NO_PLURAL):
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM_LENGTH:
            shorter = word[: -len(ending)]
            if ending in _AFTER_CONSONANT and shorter[-1] in "aeiou":
                continue
            return shorter[:-1] if shorter[-1] == shorter[-2] and ending != "s" else shorter
    return word


_IMPORT = re.compile(  # but neither import("x"), nor `using (var x = ...)` of C#
    r"""\s*(?:(?:from|import)(?=["'{*\s]|$)|(?:pub )?use\s+(?!\()|using\s+(?!\(|var\b)"""
    r"|(?:require|#include)\b)"
)


def is_import(line: str) -> bool:
    """Whether a line begins an import."""
    return _IMPORT.match(line) is not None
