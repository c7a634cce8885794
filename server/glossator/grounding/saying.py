"""Whether a sentence says more than the claims that were found in it.

"`save` calls `send` in a background thread" holds the claim that `save` calls `send`, and one that
no rule reads. So each word of a sentence has to belong to one of the claims, or say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Final

from glossator.grounding.claim import Claim, Relation
from glossator.grounding.english import denies, is_negation
from glossator.grounding.patterns import words_of
from glossator.grounding.topics import topic_of, without_words
from glossator.grounding.wording import Kind, tokens_of

_PLAIN: Final = frozenset(  # what says nothing, and what names are called
    """
    a an the this that these those it its itself their is are was were be been being get gets got
    has have had having do does did doing can may which who what there here and or but both
    either as also too of to in on by from inside within into among for
    at ever anywhere
    note shows show shown see seen says say said words according looking stated states means other
    directly explicitly actually indeed thus therefore hence internally simply really
    code line lines file module body implementation source definition declaration signature program
    function functions method methods class classes parameter parameters argument arguments
    constant variable attribute attributes field fields property properties value values
    name named type string literal text number object instance
    own one
    """.split()
)
_NAMED: Final = re.compile(r"\bcalled (?=[NCS]\d)|\bat all\b")
_DENYING: Final = frozenset(  # what a denial may tell of them need not be a negated claim
    {
        Relation.COUNT,
        Relation.REQUIRED,
        Relation.KEYWORD_ONLY,
        Relation.ASYNC,
        Relation.BEFORE,
        Relation.COMPARES,
    }
)
_SIGNATURE: Final = "takes take accepts accept expects expect has have declares declare with"
_RELATED: Final = {  # what else the claims of a relation read
    Relation.COMPARES: (
        "if when whenever whether unless case where check checks checked test tests tested testing"
        " branch condition conditions guard guarded guards part compares compared verifies ensures"
        " asserts exceed must should be still"
    ),
    Relation.RAISES: "error errors exception exceptions new",
    Relation.CATCHES: "error errors exception exceptions clause",
    Relation.CALLS: "caller callers makes make use uses used work part function",
    Relation.RETURNS: "result results",
    Relation.DEFAULTS: f"{_SIGNATURE} callers caller get gets when calling",
    Relation.COUNT: "exactly",
    Relation.TYPE: _SIGNATURE,
    Relation.RETURN_TYPE: f"{_SIGNATURE} result promises promise",
    Relation.REQUIRED: f"{_SIGNATURE} calling callers caller when must be pass passed",
    Relation.KEYWORD_ONLY: f"{_SIGNATURE} only must need can be pass passed given",
    Relation.BEFORE: "calls call called calling runs once",
    Relation.YIELDS: "use uses",
    Relation.SORT: "declared defined",
    Relation.ASYNC: "ordinary plain regular normal function",
    Relation.DECORATED: "with decorator decorators carries carry",
    Relation.IMPORTS: "out where takes take pulls pull",
}
_NARROWING: Final = re.compile(
    r"\b(?:so|except|otherwise|always|sometimes|often|twice|(?:if|when|whenever) not"
    r"|(?:in|inside|within) an? (?:class|method|function|module|file|object|type)(?! [NCF]\d)"
    r"|(?<!keyword )only(?! (?:(?:be )?(?:given|passed) )?(?:by|as|with) ))\b"
)
_ERROR: Final = re.compile(r"Err|Exception|Failure")
_PARTS: Final = re.compile(r" (?:and|or|but(?! an? )) | , ")
_INTRODUCTION: Final = re.compile(  # of a sentence, that says nothing of the code
    r"^\W*(?:in (?:other words|short|fact)|as (?:the \w+ )?(?:shows?|says?|shown|seen)(?: here)?"
    r"|according to the \w+|here|indeed|thus|hence|therefore) , "
)
_TOKEN: Final = re.compile(r"[NCSVF]\d")
_WORD: Final = re.compile(r"(?<![\w'])[a-z][a-z']*")
_CONDITION: Final = re.compile(r"\b(?:if|when|whenever|unless|case)\b")
_ORDER: Final = re.compile(r"\b(?:before|after|afterwards?|beforehand)\b")


def says_more(text: str, claims: Iterable[Claim]) -> bool:
    """Whether an encoded sentence has words beside those of its claims."""
    text = _INTRODUCTION.sub("", text)
    if _NARROWING.search(text):
        return True
    claims = tuple(claims)
    relations = {each.relation for each in claims}
    if any(map(_is_done, claims)) and Relation.COMPARES in relations and _CONDITION.search(text):
        return True
    if any(_is_of_others(part, relations) for part in _PARTS.split(text)):
        return True
    if len(_ORDER.findall(text)) > sum(each.relation is Relation.BEFORE for each in claims):
        return True
    own = _PLAIN.union(*map(_own_words, relations))
    may_deny = bool(relations & _DENYING) or any(each.negated for each in claims)
    left = _WORD.findall(_NAMED.sub(" ", without_words(text, relations)))
    return any(not may_deny if is_negation(word) else word not in own for word in left)


def _is_done(claim: Claim) -> bool:
    """Whether it is of what a condition may not lead to: of an error it is taken to do so."""
    is_error = all(_ERROR.search(each.text) for each in claim.objects)
    is_failure = claim.relation is Relation.RETURNS and is_error
    return not is_failure and claim.relation not in (Relation.COMPARES, Relation.RAISES)


def _is_of_others(part: str, relations: AbstractSet[Relation]) -> bool:
    """Whether a part of a sentence has words, and neither names something nor makes a claim."""
    if _TOKEN.search(part) or not _WORD.search(part):
        return False
    topic = topic_of(part)
    return topic is None or topic.relation not in relations


def is_denial(statement: str) -> bool:
    """Whether a statement says that something is not so, or is so of some alone."""
    tokens = tokens_of(statement)
    return denies(" ".join(t.text.lower() if t.kind is Kind.WORD else "," for t in tokens))


@cache
def _own_words(relation: Relation) -> frozenset[str]:
    return words_of(relation) | frozenset(_RELATED.get(relation, "").split())
