"""Whether lines carry a denial: that a function does not call another, or has no such default.

What some lines of a function do not hold may stand in the next one. So they have to be all of it,
unless they say otherwise: of a parameter whose default is 30 it is not 31.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from glossator.grounding.cited import Code, Evidence
from glossator.grounding.claim import Claim, Relation
from glossator.grounding.wording import Token

_ONE_VALUE: Final = frozenset(  # lines that say otherwise refute them, whatever the next ones say
    {
        Relation.DEFAULTS,
        Relation.EQUALS,
        Relation.TYPE,
        Relation.RETURN_TYPE,
        Relation.REQUIRED,
        Relation.KEYWORD_ONLY,
        Relation.COUNT,
        Relation.ASYNC,
        Relation.SORT,
        Relation.BEFORE,
    }
)
_BY_OTHERS: Final = frozenset(  # what is called or extended may do it, or be it, unwritten here
    {
        Relation.RAISES,
        Relation.CATCHES,
        Relation.RETURNS,
        Relation.ASSIGNS,
        Relation.EXTENDS,
        Relation.IMPLEMENTS,
        Relation.MEMBER,
    }
)
_ANY_MORE: Final = re.compile(r"[(,]\s*\*{1,2}\w|\.\.\.")  # parameters that have no name
_OF_PARAMETERS: Final = frozenset(  # which there are not
    {Relation.REQUIRED, Relation.KEYWORD_ONLY}
)
_OF_SIGNATURES: Final = frozenset({Relation.TAKES, Relation.DECORATED})


def is_denied(claim: Claim, found: Evidence, codes: Sequence[Code]) -> bool:
    """Whether the lines carry that a claim is not so; `found` is what they say of it."""
    if claim.relation in _ONE_VALUE and found is Evidence.OPPOSITE:
        return True
    if found not in (Evidence.OPPOSITE, Evidence.ABSENT):
        return False
    if claim.relation in _BY_OTHERS or claim.relation in _OF_PARAMETERS:
        return False
    if claim.relation is Relation.IMPORTS:
        return any(code.is_file for code in codes)
    if claim.relation not in _OF_SIGNATURES:
        return any(code.has_all_of(each) for each in _about(claim) for code in codes)
    found_in = (code.defining(each) for each in _about(claim) for code in codes)
    headers = [own.header for several in found_in for own in several]
    is_open = claim.relation is Relation.TAKES and any(map(_ANY_MORE.search, headers))
    return bool(headers) and not is_open


def _about(claim: Claim) -> Iterator[Token]:
    """What the claim may be about: who calls a function, for one, stands elsewhere."""
    yield from claim.inside
    if claim.subject is not None:
        yield claim.subject
    elif claim.topical:
        yield from claim.objects
