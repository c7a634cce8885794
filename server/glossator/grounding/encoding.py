"""A sentence as the patterns read it: signs stand for its names and values, words as they are.

A name is `N3`, a text `S3`, a value `V3`, a file `F3` and other code `C3`, each with the number of
its token.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from glossator.grounding.english import NAMING, NEUTRAL, VERBS, is_english
from glossator.grounding.wording import Kind, Token

Known = Callable[[str], bool]

_CONSTANTS = frozenset("None True False null nil undefined true false void NULL".split())
_KEYWORDS = frozenset(
    "async await yield return raise throw try except catch finally else import".split()
)
_STATEMENT = re.compile(r"(?:from|async|await|yield|return|raise|throw|except|catch|import)\b")
_BE = frozenset("is are was were be been gets isn't".split())
_TYPES = frozenset("int str bool float bytes".split())
_SIGNS = {
    Kind.NAME: "N",
    Kind.STRING: "S",
    Kind.NUMBER: "V",
    Kind.FILE: "F",
    Kind.FRAGMENT: "C",
}


def encoded(tokens: Sequence[Token], known: Known) -> str:
    """The sentence; `known` says whether a bare word is a name in the code.

    Bare words count only where the sentence quotes no code.
    """
    if any(token.quoted for token in tokens):
        return _text(tokens, lambda _: False)
    placed = _placed(tokens)
    return _text(
        tokens,
        lambda word: word in placed or word in _TYPES or (not word.islower() and known(word)),
    )


def _text(tokens: Sequence[Token], known: Known) -> str:
    words = []
    is_opened = False  # a statement of code, whose parts are tokens of their own
    for at, token in enumerate(tokens):
        if token.kind is Kind.FRAGMENT:
            is_opened = is_statement(token)
            if is_opened:
                continue
        if (token.inside and not is_opened) or (
            token.kind is Kind.MARK and token.text not in ",;:"
        ):
            continue
        if token.kind is Kind.NAME and token.text in _KEYWORDS:
            words.append(token.text)
        elif token.text in _CONSTANTS and not _is_pronoun(at, tokens):
            words.append(f"V{at}")
        elif token.kind in _SIGNS:
            words.append(f"{_SIGNS[token.kind]}{at}")
        elif token.kind is Kind.WORD and known(token.text) and not _is_prose(token.text, at):
            words.append(f"N{at}")
        else:
            words.append(token.text.lower() if token.kind is Kind.WORD else token.text)
    return " ".join(words)


def is_statement(fragment: Token) -> bool:
    """Whether it is code whose parts are tokens of their own: `raise ValueError(text)`."""
    return _STATEMENT.match(fragment.text) is not None


def _is_pronoun(at: int, tokens: Sequence[Token]) -> bool:
    """Whether it is "None of …"."""
    return tokens[at].kind is Kind.WORD and [each.text for each in tokens[at + 1 : at + 2]] == [
        "of"
    ]


def _placed(tokens: Sequence[Token]) -> frozenset[str]:
    """Bare words that stand where only a name can.

    That is before a verb at the start, behind `method` and the like, and behind a verb at the end.
    """
    words = [token.text if token.kind is Kind.WORD else "," for token in tokens]
    verb = re.compile(VERBS)
    first = 0
    if words[:1] == ["In"] and "," in words[2:4]:
        first = words.index(",", 2) + 1
    found = set[str]()
    for at, word in enumerate(words):
        if word == "," or is_english(word):
            continue
        before = words[at - 1].lower() if at else ""
        if re.fullmatch(r"\w+(?:ed|ly)", word) and before not in NAMING:
            continue  # "is modified", "runs quickly"
        behind = words[at + 1].lower() if at + 1 < len(words) else ","
        if before in _BE and behind in ("to", "with", "by", "from", "in", "at"):
            continue
        is_first = at == first and verb.fullmatch(behind)
        ends = behind in (",", "and", "or", "from", "in", "to", "with", "by", "before", "after")
        is_noun = word in NEUTRAL or word.removesuffix("s") in NEUTRAL
        is_last = ends and (verb.fullmatch(before) or before in ("from", "of", "to", "by", "and"))
        if is_first or (before in NAMING and not is_noun) or is_last:
            found.add(word)
    return frozenset(found)


def _is_prose(word: str, at: int) -> bool:
    """Whether a word of English stands for no name: one with a capital within a sentence does."""
    return is_english(word) and (at == 0 or word.islower())
