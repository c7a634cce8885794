"""Finds memories that share telling words with a question: BM25 over all their texts.

A word in a name or a description counts more than one in the text. Only memories are picked that
hold enough of what the question asks for: none at all is the usual answer.

Source of the weighting: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
Beyond" (2009), with k1 = 1.2 and b = 0.5.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from glossator.core.terms import STOP_WORDS, parts_of, stem
from glossator.memory.entry import Memory

_K1, _B = 1.2, 0.5
_NAME, _DESCRIPTION, _ABOUT, _TEXT = 3.0, 2.0, 2.0, 1.0  # how often a word there counts
_HELD_SHARE = 0.34  # of what the question asks for, that a picked memory holds
_SCORE_SHARE = 0.65  # of the best one's score
_HELD_SHARE_TEXT, _SCORE_SHARE_TEXT = 0.25, 0.4  # likewise of one sentence, which holds few words
_MIN_MEMORIES = 20  # memories: among fewer, no word would tell
_RARE, _RARE_SHARE = 3, 0.02  # texts that hold a rare word: so many, or this share of all
_WORD = re.compile(r"[^\W\d]\w*|\d{2,}")
_VAGUE = frozenset(
    """
    add also always app before bug build call change check class code create delete doing error
    every fail file fix function good help here implement issue just keep know like line look move
    new need never now only please project question read remember remove rename replace repo right
    run same since start still thing time today try update want way well whole wrong write yes
    """.split()
)


_COMMON = frozenset(  # in statements about code
    """
    again argument attribute block boolean case character column condition content count current
    data default element empty end entry example export field first flag format given group held
    holder id import index info input instance integer item key kind last length level line list
    long map method mode module name next null number object option order output page parameter
    part place point position property put range record reference result return returned row
    second section sent sequence set setting short single size source space specific state
    statement status step string system table taken target text true type unit user value
    variable version word
    """.split()
)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A memory, its score, and the share (0 to 1) of the question's weight that it holds."""

    memory: Memory
    score: float
    share: float


def rank(question: str, memories: Sequence[Memory]) -> list[Ranked]:
    """The memories that share a word with the question, best first; blocking."""
    ranked = [
        Ranked(memories[at], each.score, each.share)
        for at, each in _scores(question, [_counts(memory) for memory in memories]).items()
    ]
    return sorted(ranked, key=lambda each: (-each.score, each.memory.name))


def bearing(
    question: str, texts: Sequence[tuple[str, str]], named: Collection[int] = ()
) -> list[int]:
    """The places of texts (each with a path) that bear on the question, best first; blocking.

    Those that the question has `named` come first. Others share enough with it: two words that are
    not common in statements about code, or one that is rare or part of a name.
    """
    found = _scores(question, [_counts_of_text(*each) for each in texts])
    rare = max(_RARE, _RARE_SHARE * len(texts))
    enough = max((each.score for each in found.values()), default=0.0) * _SCORE_SHARE_TEXT
    fitting = [
        at
        for at, each in found.items()
        if each.share >= _HELD_SHARE_TEXT
        and each.score >= enough
        and (
            len(each.telling) > 1
            or any(n <= rare or term in _name_terms(*texts[at]) for term, n in each.telling.items())
        )
    ]

    def order(at: int) -> tuple[bool, float]:
        return at not in named, -found[at].score if at in found else 0.0

    return sorted({*fitting, *named}, key=order)


@dataclass(frozen=True, slots=True)
class _Score:
    """A score, the share of the question's weight that is held, and the words that tell.

    Each with the number of texts that hold it.
    """

    score: float
    share: float
    telling: Mapping[str, int]


def _scores(question: str, counted: Sequence[Mapping[str, float]]) -> dict[int, _Score]:
    """By place, those that share a word with the question."""
    asked = dict.fromkeys(terms_of(question))
    if not asked or not counted:
        return {}
    frequency = Counter(term for counts in counted for term in asked if term in counts)
    weights = {
        term: _weight(term, frequency[term], max(len(counted), _MIN_MEMORIES)) for term in asked
    }
    whole = sum(weights.values())
    average = sum(sum(counts.values()) for counts in counted) / len(counted) or 1.0
    found = {}
    for at, counts in enumerate(counted):
        held = [term for term in asked if term in counts]
        if not held:
            continue
        damping = _K1 * (1 - _B + _B * sum(counts.values()) / average)
        score = sum(
            weights[term] * counts[term] * (_K1 + 1) / (counts[term] + damping) for term in held
        )
        telling = {term: frequency[term] for term in held if term not in _NOT_TELLING}
        found[at] = _Score(score, sum(weights[term] for term in held) / whole, telling)
    return found


def pick(question: str, memories: Sequence[Memory], most: int) -> tuple[Memory, ...]:
    """The memories likely to matter for the question, at most so many, best first; blocking."""
    ranked = rank(question, memories)
    if not ranked:
        return ()
    enough = ranked[0].score * _SCORE_SHARE
    fitting = (each for each in ranked if each.share >= _HELD_SHARE and each.score >= enough)
    return tuple(each.memory for each in fitting)[:most]


def terms_of(text: str) -> list[str]:
    """The telling words of a text by their stems, identifiers whole and in parts."""
    return [term for word in _WORD.findall(text) for term in _terms_of(word)]


def likeness(one: str, other: str) -> float:
    """How alike two texts are, 0 to 1: the share of their words that both have."""
    first, second = set(terms_of(one)), set(terms_of(other))
    return len(first & second) / len(first | second) if first and second else 0.0


@lru_cache(maxsize=20_000)
def _terms_of(word: str) -> tuple[str, ...]:
    parts = [part.casefold() for part in parts_of(word)]
    whole = (word.strip("_").casefold(),) if len(parts) > 1 else ()
    stems = (stem(part) for part in parts if len(part) > 1 and part not in STOP_WORDS)
    return (*whole, *stems)


@lru_cache(maxsize=2_000)
def _counts(memory: Memory) -> Mapping[str, float]:
    """How often each word counts."""
    counts: defaultdict[str, float] = defaultdict(float)
    fields = (
        (memory.name, _NAME),
        (memory.description, _DESCRIPTION),
        (" ".join(memory.about), _ABOUT),
        (memory.text, _TEXT),
    )
    for text, times in fields:
        for term in terms_of(text):
            counts[term] += times
    return dict(counts)


@lru_cache(maxsize=5_000)
def _counts_of_text(text: str, path: str) -> Mapping[str, float]:
    return Counter(terms_of(text)) | Counter(terms_of(path))


@lru_cache(maxsize=5_000)
def _name_terms(text: str, path: str) -> frozenset[str]:
    """The words of the names in back-ticks, and of the path."""
    return frozenset(terms_of(" ".join((*text.split("`")[1::2], path))))


def _weight(term: str, frequency: int, memories: int) -> float:
    """The weight of a word: less if many memories hold it, little if it is in any question."""
    weight = math.log(1 + (memories - frequency + 0.5) / (frequency + 0.5)) if frequency else 1.0
    return max(weight, 0.3) * (0.2 if term in _STEMS_OF_VAGUE else 1.0)


_STEMS_OF_VAGUE = frozenset(map(stem, _VAGUE))
_NOT_TELLING = _STEMS_OF_VAGUE | frozenset(map(stem, _COMMON))
