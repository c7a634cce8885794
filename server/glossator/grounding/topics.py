"""What a clause is about, told by its words where no pattern tells who does what to whom.

The topic is the first whose words occur. Which of the names is which, the lines decide: such a
claim holds if it does in any order of the names, and is refused if it does in none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Final

from glossator.grounding.claim import Claim, Relation
from glossator.grounding.wording import Kind, Token

_GIVEN = r"(?:given|passed|supplied|provided|specified|set)"
_DROPPED = r"(?:omitted|left out|skipped|left off)"
_WORDS: Final = (  # the more telling ones first; with `False` they say that it is not so
    (
        Relation.RETURN_TYPE,
        True,
        (
            r"return\w* (?:type|annotation|hint), result type, type .*\breturn\w*, "
            r"signature .*\breturn\w*, (?:annotat|declar|typ)\w+ (?:[a-z]+ )*(?:return\w*"
            r"|results?), returns? .*\b(?:of|has) type, returns? .*\bof (?:the )?type"
        ),
    ),
    (
        Relation.KEYWORD_ONLY,
        False,
        r"positional(?:ly)?, by (?:its )?position, by order",
    ),
    (
        Relation.KEYWORD_ONLY,
        True,
        r"keyword\w*, (?:by|as|its) name, named argument",
    ),
    (
        Relation.REQUIRED,
        True,
        (
            r"(?:no|any|without|lacks) (?:a )?default, required?, "
            r"requires(?! (?:the |a )?(?:module|package|library|file|command)), mandatory, "
            rf"obligatory, needs?, (?:must|has to|have to|needs? to) (?:be )?(?:{_GIVEN}|give"
            r"|pass|supply|provide), insists? on, (?:cannot|can't|can not|may not|never"
            rf"|must not) be (?:{_DROPPED}|called without)"
        ),
    ),
    (
        Relation.REQUIRED,
        False,
        (
            rf"optional(?:ly)?, (?:can|may) be (?:{_DROPPED}|called without), (?:can"
            r"|may) (?:omit|leave out|skip), (?:has|have|with|is|comes with) (?:a"
            r"|its own) default(?! value of| of)"
        ),
    ),
    (
        Relation.DEFAULTS,
        True,
        (
            rf"defaults?, {_DROPPED}, not {_GIVEN}(?! to), unset, unspecified, unless, "
            r"otherwise, fall\w* back, fallback, omit\w*, leav\w+ out, (?:not|without) (?:give"
            rf"|pass\w*|supply|provide), without an explicit, no [NC]\d+ (?:is )?{_GIVEN}, "
            r"absent, missing"
        ),
    ),
    (
        Relation.DECORATED,
        True,
        r"decorat\w+, wrapped (?:by|with), applied to, annotated with",
    ),
    (
        Relation.ASYNC,
        True,
        r"async\w*, coroutines?, await\w*",
    ),
    (
        Relation.YIELDS,
        True,
        r"generators?, yield\w*",
    ),
    (
        Relation.CATCHES,
        True,
        (
            r"catch\w*, caught, handl(?:es?|ed|ing|er), except, swallow\w*, suppress\w*, "
            r"intercept\w*, deals? with, traps?, rescues?, guards? against, recovers? from, "
            r"absorb\w*"
        ),
    ),
    (
        Relation.RAISES,
        True,
        (
            r"rais\w+, throw\w*, thrown, fail\w* with, signal\w*, abort\w* with, panics?, "
            r"reject\w*, errors? (?:out )?with, results? in"
        ),
    ),
    (
        Relation.EXTENDS,
        True,
        (
            r"inherit\w*, subclass\w*, deriv\w+, exten(?:ds?|ded|ding|sion), bases?, parents?"
            r", superclass\w*, child, descend\w*, ancestors?, kind of, builds? on, based on, "
            r"speciali\w+, subtypes?, supertypes?, mixes in"
        ),
    ),
    (
        Relation.IMPORTS,
        True,
        (
            r"import\w*, comes? from, coming from, taken from, originat\w+, stems? from, "
            r"source, brought in, brings? in, pull\w* in, exported by, provided by, "
            r"obtain\w* from, loaded from"
        ),
    ),
    (
        Relation.CONTAINS,
        True,
        (
            r"(?:string|literal|text|constant|word)s? S\d+, (?:contain|mention|includ|hold"
            r"|refer)\w* .*S\d+, S\d+ .*\b(?:appears?|occurs?|found|used|literal|contained"
            r"|mentioned|present)"
        ),
    ),
    (
        Relation.TYPE,
        True,
        (
            r"types?, typed, hint\w*, annotat\w+, (?:tak|accept|expect|declar"
            r"|receiv)\w* (?:[NC]\d+ )?as (?:an? )?[NC]\d+"
        ),
    ),
    (
        Relation.ASSIGNS,
        True,
        (
            r"sets?, assign\w*, stor(?:es?|ed|ing), updat\w+, writes?, written, writing, "
            r"initiali\w+, modif\w+, chang\w+, mutat\w+, overwrit\w+, resets?, populat\w+, "
            r"record(?:s|ed), sav(?:es?|ed), new value, fills?"
        ),
    ),
    (
        Relation.TAKES,
        True,
        r"called with(?!out), (?:passed|given|handed) to",
    ),
    (
        Relation.RETURNS,
        True,
        r"return value, (?:gives?|hands?|gets?) (?:[NCSV]\d+ )?back",
    ),
    (
        Relation.CALLS,
        True,
        (
            r"call(?!er)\w*, (?:a|the|its|as|the) callers?, callers? .*\b(?:is|are|include), "
            r"invo\w+, delegat\w+, runs?, execut\w+, trigger\w*, rel(?:y|ies) on, depends? on"
            r", makes? use of, goes through, reach\w*"
        ),
    ),
    (
        Relation.RETURNS,
        True,
        r"return\w*, evaluat\w+, results? (?:of|is|can|may), produc\w+, outcome",
    ),
    (
        Relation.TAKES,
        True,
        r"takes?, accepts?, receives?, expects?, param\w*, arguments?, args?, signature",
    ),
    (
        Relation.MEMBER,
        True,
        (
            r"methods?, members?, belongs?, defin\w+, declar\w+, exposes?, offers?, "
            r"provid\w+, fields?, attributes?, part of, found, lives, located, resides, sits, "
            r"comes with, implement\w*"
        ),
    ),
    (
        Relation.USES,
        True,
        r"us(?:es?|ed|ing), refer\w*",
    ),
    (
        Relation.EQUALS,
        True,
        r"(?:is|equals?|holds?|value|constant|bound|defined) .*[SVC]\d+",
    ),
)
_TOPICS: Final = tuple(
    (relation, holds, re.compile(rf"\b(?:{'|'.join(words.split(', '))})\b"))
    for relation, holds, words in _WORDS
)
TELLING: Final = frozenset(  # also where patterns find something else in the same clause
    {
        Relation.RETURN_TYPE,
        Relation.KEYWORD_ONLY,
        Relation.REQUIRED,
        Relation.DEFAULTS,
        Relation.ASYNC,
        Relation.YIELDS,
        Relation.TYPE,
    }
)
_OF_VALUES: Final = {  # what the same words say of a value
    Relation.ASSIGNS: Relation.EQUALS,
    Relation.USES: Relation.CONTAINS,
}
_LITERALS: Final = frozenset({Kind.STRING, Kind.NUMBER, Kind.FRAGMENT})
_ALONE: Final = frozenset({Relation.ASYNC, Relation.YIELDS})
_WITH_OWNER: Final = frozenset({Relation.DEFAULTS, Relation.TYPE, Relation.EQUALS})
_ORDER: Final = re.compile(
    r"\b(?:before|after|then|first|later|earlier|once|until|next|preced\w+|follow\w+|prior|already)\b"
)
_NAME = r"(N\d+)"
_SUBJECTS: Final = {  # what the subject stands behind, and what the object; else it comes first
    Relation.EXTENDS: (
        (
            r"(?:base|parent|superclass|ancestor|supertype)\w*(?: class(?:es)?)? (?:of|for) "
            rf"{_NAME}"
            rf"|d by {_NAME}|(?:what|which|that) {_NAME}"
        ),
        rf"(?:subclass|child|descendant|subtype)\w*(?: class(?:es)?)? of {_NAME}",
    ),
    Relation.CALLS: (
        (
            rf"\b(?:by|from|what|which|that) {_NAME}|callees? of {_NAME}"
            rf"|{_NAME} as (?:[a-z]+ )?callers?|(?:functions|methods|things) {_NAME}"
            rf"|(?:part of|during) {_NAME}"
        ),
        rf"callers? of {_NAME}|calls? (?:to|of) {_NAME}|invocations? of {_NAME}",
    ),
}
_MOST = 4  # names that are tried in each order


@dataclass(frozen=True, slots=True)
class Topic:
    """A relation, whether the words say that it is so, and the clause without them."""

    relation: Relation
    holds: bool
    rest: str
    between: str  # what has to be understood of the clause
    subject: str = ""  # the sign of its name where the relation has a direction

    def is_enough_for(self, names: int) -> bool:
        """Whether so many names can stand in the relation."""
        return names > (0 if self.relation in _ALONE else 1)


def topic_of(clause: str) -> Topic | None:
    """What the words of a clause say; None where they say what comes before what."""
    if _ORDER.search(clause):
        return None
    for relation, holds, words in _TOPICS:
        if words.search(clause):
            is_value = re.search(r"\b[SV]\d", clause) is not None
            said = _OF_VALUES.get(relation, relation) if is_value else relation
            rest, between = words.sub(" ", clause), _between(words, clause)
            return Topic(said, holds, rest, between, _subject_of(said, clause))
    return None


def without_words(clause: str, relations: AbstractSet[Relation]) -> str:
    """The clause without the words that tell one of the relations."""
    for relation, _, words in _TOPICS:
        if relation in relations or _OF_VALUES.get(relation) in relations:
            clause = words.sub(" ", clause)
    return clause


def _between(words: re.Pattern[str], clause: str) -> str:
    """What stands between the words, and between them and the names."""
    places = [*words.finditer(clause), *re.finditer(r"\b[NCSVF]\d+\b", clause)]
    first, last = min(each.start() for each in places), max(each.end() for each in places)
    return words.sub(" ", clause[first:last])


def _subject_of(relation: Relation, clause: str) -> str:
    if relation not in _SUBJECTS:
        return ""
    names: list[str] = re.findall(_NAME, clause)
    subject, other = (re.search(each, clause) for each in _SUBJECTS[relation])
    if subject:
        return next(each for each in names if each in subject.groups())
    if other:
        return next((each for each in names if each not in other.groups()), "")
    first = names[0] if len(names) > 1 else ""
    is_active = re.search(rf"{first} (?!is|are|was|be|gets?|has|have|'s|and\b)[a-z]", clause)
    return first if is_active else ""


def is_directed(relation: Relation) -> bool:
    """Whether two names of one sort stand in it, of which either could be the subject."""
    return relation in _SUBJECTS


def orders(claim: Claim) -> Iterator[Claim]:
    """The claims that one of a topic may mean, about its objects in each order."""
    named = claim.objects[:_MOST]
    if claim.relation in _ALONE:
        for subject in named:
            yield replace(claim, subject=subject, objects=(), topical=False)
    elif len(named) < 2:
        yield replace(claim, subject=None, topical=False)
    else:
        for subject, *others in permutations(named):
            if claim.subject is not None and subject is not claim.subject:
                continue
            is_odd = claim.relation in _WITH_OWNER and others[0].kind not in _LITERALS
            if is_odd and any(each.kind in _LITERALS for each in named):
                continue
            if subject.kind not in _LITERALS or claim.relation is Relation.IMPORTS:
                yield _ordered(replace(claim, topical=False), subject, others)


def _ordered(claim: Claim, subject: Token, others: Sequence[Token]) -> Claim:
    first, *rest = others
    if claim.relation in _WITH_OWNER:
        return replace(claim, subject=subject, objects=(first,), inside=(*claim.inside, *rest))
    if claim.relation is Relation.IMPORTS:
        return replace(claim, objects=(first,), source=subject)
    return replace(claim, subject=subject, objects=(first,))
