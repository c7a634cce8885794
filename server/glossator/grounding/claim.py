"""A claim about code: a relation of a subject and objects."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from glossator.grounding.wording import Token


class Relation(Enum):
    """What code can say of two things; the subject comes first."""

    CALLS = auto()
    USES = auto()
    CONTAINS = auto()  # a text
    RAISES = auto()
    CATCHES = auto()
    RETURNS = auto()
    YIELDS = auto()
    EXTENDS = auto()
    IMPORTS = auto()  # `source` is where from
    DEFAULTS = auto()  # the subject is a parameter
    EQUALS = auto()
    ASSIGNS = auto()
    TAKES = auto()  # the objects are parameters
    KEYWORD_ONLY = auto()
    REQUIRED = auto()  # the objects are parameters without a default
    COUNT = auto()  # how many parameters
    TYPE = auto()  # the subject is a parameter
    RETURN_TYPE = auto()
    ASYNC = auto()
    IMPLEMENTS = auto()  # a base or a member
    MEMBER = auto()  # the objects are defined in the subject
    SORT = auto()  # the object is `class`, `function`, …
    DECORATED = auto()
    BEFORE = auto()  # the subject happens before the object
    COMPARES = auto()  # `sign` says how


@dataclass(frozen=True, slots=True)
class Claim:
    """`subject` is None where the sentence names none; `inside` is where it is said to be so.

    A negated claim says that it is not so. `condition`: only if something else holds. One that is
    not `sure` has words between whose meaning is not known. `others` are all names of the sentence.
    `sign` says how it compares. Of a `topical` claim the words do not say which name is which: the
    objects are all of them. A comparison is `demanded` if it is said to be ensured.
    """

    relation: Relation
    subject: Token | None
    objects: tuple[Token, ...] = ()
    negated: bool = False
    source: Token | None = None
    inside: tuple[Token, ...] = ()
    condition: bool = False
    sure: bool = True
    others: tuple[Token, ...] = ()
    sign: str = ""
    topical: bool = False
    demanded: bool = False
