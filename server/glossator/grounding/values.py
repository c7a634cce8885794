"""What lines say of values: which one a name has, by default or at all, and how two compare."""

from __future__ import annotations

import re
from collections.abc import Iterator

from glossator.grounding.cited import Code, Evidence, holds, is_value, spaced
from glossator.grounding.claim import Claim
from glossator.grounding.declared import of_parameter
from glossator.grounding.definitions import uncommented, value_at
from glossator.grounding.wording import Kind, Token

_NOTHING = ("", "None", "null", "undefined", "nil")
_CONSTANTS = frozenset("None True False null nil undefined true false NULL".split())
_COMPUTED = re.compile(r"[&*!]?(?P<name>[^\W\d][\w$]*)(?!['\"\w$])")  # what a value begins with
_IF = re.compile(r"\b(?:if|unless|when)\b[^\n]*\Z")
_CHOICE = re.compile(r"\|\||\?\?|\bor\b|\belse\b|\?[^.].*:")  # of one of two values
_IDENTITIES = {"is": "==", "==": "==", "!=": "!="}


def defaults(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    """Whether a parameter, or what is set, has the value by default."""
    owner = next((each for each in claim.inside if each.kind is Kind.NAME), None)
    if subject is None:
        return Evidence.UNKNOWN
    found = of_parameter(
        owner, code, subject, lambda each: is_value(each.default, claim.objects[0])
    )
    if found is Evidence.OPPOSITE and _may_fall_back(owner, subject, claim.objects[0], code):
        return Evidence.UNKNOWN
    is_open = of_parameter(
        owner, code, subject, lambda each: _may_be(each.default, claim.objects[0])
    )
    if found is Evidence.OPPOSITE and is_open is Evidence.FOUND:
        return Evidence.UNKNOWN
    if found in (Evidence.FOUND, Evidence.OPPOSITE):
        return found
    return equals(claim, subject, code)


def _may_fall_back(owner: Token | None, name: Token, wanted: Token, code: Code) -> bool:
    """Whether the body may give a parameter its value where the signature gives none."""
    is_bare = of_parameter(owner, code, name, lambda each: each.default in _NOTHING)
    chosen = rf"(?<![\w$]){re.escape(name.last)}\s*(?:\|\||\?\?|\bor\b)\s*(?P<value>[^\n]+)"
    set_ = rf"(?<![\w$.]){re.escape(name.last)}\s*:?=(?!=)\s*(?P<value>[^\n]+)"
    return is_bare is Evidence.FOUND and any(
        is_value(match["value"], wanted) or match["value"].lstrip().startswith(wanted.text)
        for pattern in (chosen, set_)
        for match in re.finditer(pattern, code.text)
    )


def equals(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    """Whether `subject = wanted` is written."""
    if subject is None:
        return Evidence.UNKNOWN
    wanted = claim.objects[0]
    pattern = (
        rf"(?<![\w$]){re.escape(subject.last)}(?![\w$])['\"]?\s*(?::(?!=)\s*(?P<kind>[^=\n]*?))?"
        r"\s*(?::=|=(?![=>])|:(?=\s))\s*(?P<value>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[^\n;]+)"
    )
    values = [
        value for match in re.finditer(pattern, code.text) for value in _values(code.text, match)
    ]
    if not values:
        is_other = holds(code.text, subject.last) or code.about(subject) is not None
        return Evidence.UNKNOWN if is_other else Evidence.ABSENT
    if any(is_value(each, wanted) for each in values):
        return Evidence.FOUND
    is_choice = any(
        _CHOICE.search(each) and re.search(spaced(wanted.text), each) for each in values
    )
    is_open = is_choice or all(_may_be(each, wanted) for each in values)
    return Evidence.UNKNOWN if is_open else Evidence.OPPOSITE


def _may_be(written: str, wanted: Token) -> bool:
    """Whether it is a name or a call, which may have the literal value that is wanted."""
    is_literal = wanted.kind in (Kind.NUMBER, Kind.STRING) or wanted.text in _CONSTANTS
    found = _COMPUTED.match(written)
    return is_literal and found is not None and found["name"] not in _CONSTANTS


def _values(text: str, match: re.Match[str]) -> Iterator[str]:
    """What may be assigned: what stands there, with more lines, and without a comment."""
    yield match["value"].strip()
    whole = value_at(text, match.start("value"))
    for sign in ("#", "//"):
        yield uncommented(whole, sign).strip()


def compares(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    """Whether the two sides are compared so."""
    if subject is None:
        return Evidence.UNKNOWN
    sides = _side(subject), _side(claim.objects[0])
    written = set()
    for turn, (left, right) in enumerate((sides, sides[::-1])):
        pattern = (
            rf"(?<![\w$]){left}\)*\s*(?P<sign>[<>]=?|[!=]==?|\bis\s+not\b|\bis\b)\s*"
            rf"(?:[\w$.]*\()*-?{right}(?![\w$])"
        )
        for match in re.finditer(pattern, code.text):
            if claim.demanded and _IF.search(code.text, 0, match.end()):
                return Evidence.UNKNOWN  # `if a != b: raise` checks that they are equal
            sign = _IDENTITIES.get(match["sign"][:2], match["sign"][:2])
            sign = "!=" if "not" in match["sign"] else sign
            written.add(sign.translate(str.maketrans("<>", "><")) if turn else sign)
    if not written:
        is_equality = claim.sign in ("==", "!=", "is", "is not")
        is_among = re.search(
            rf"(?<![\w$]){sides[0]}\)*\s+(?:not\s+)?in\b|\bcase\b[^\n]*{sides[1]}", code.text
        )
        if is_equality and (is_among or any(map(_may_be_empty, (subject, claim.objects[0])))):
            return Evidence.UNKNOWN
        return Evidence.ABSENT if code.definitions or code.enclosing else Evidence.UNKNOWN
    wanted = {"is": "==", "is not": "!="}.get(claim.sign, claim.sign)
    return Evidence.FOUND if wanted in written else Evidence.OPPOSITE


def _may_be_empty(token: Token) -> bool:
    """Whether a test may leave the value out: `if not names`."""
    return token.text in ("None", "nil", "null", "undefined", "True", "False", "true", "false", "")


def _side(token: Token) -> str:
    """A side of a comparison; a name may end a chain."""
    if token.kind is Kind.NUMBER:
        return rf"-?{re.escape(token.text.lstrip('-'))}"
    if token.kind is Kind.FRAGMENT:
        return rf"\(?{spaced(token.text)}"
    if token.kind is Kind.STRING:
        return rf"[\w@]{{0,2}}[\"'`]{re.escape(token.text)}[\"'`]"
    chain = rf"(?:[\w$]+\.)*{re.escape(token.text)}"
    return rf"{chain}(?:\([^()\n]*\))?(?:\.(?:length|len|size|count)(?:\(\))?)?"
