"""What cited lines say of a claim: the forms in which programming languages write each relation."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from glossator.grounding.cited import (
    Code,
    Evidence,
    bodies,
    called_in,
    holds,
    name_pattern,
    spaced,
    stands_in,
    strings_in,
    worst,
)
from glossator.grounding.claim import Claim, Relation
from glossator.grounding.declared import (
    extends,
    has_count,
    has_member,
    has_return_type,
    has_type,
    is_async,
    is_called_with,
    is_decorated,
    is_keyword_only,
    is_required,
    is_sort,
    nothing_known,
    takes,
)
from glossator.grounding.definitions import Definition, definitions
from glossator.grounding.topics import is_directed, orders
from glossator.grounding.values import compares, defaults, equals
from glossator.grounding.wording import Kind, Token


def find(claim: Claim, code: Code) -> Evidence:
    """What one citation's lines say of a claim, as if it were not negated."""
    found = _found(claim, code)
    is_other = found is Evidence.FOUND and not code.has_signature(claim.subject)
    return Evidence.UNKNOWN if is_other else found


def _found(claim: Claim, code: Code) -> Evidence:
    if claim.topical:
        return _in_some_order(claim, code)
    if any(code.about(each) is None for each in claim.inside if each.kind is Kind.NAME):
        return Evidence.ABSENT if code.definitions or code.enclosing else Evidence.UNKNOWN
    subject = claim.subject
    if subject is None and claim.relation is not Relation.COMPARES:
        named = (*claim.inside, *(each for each in claim.others if code.defining(each)))
        said = set(claim.objects)
        subject = next((e for e in named if e.kind is Kind.NAME and e not in said), None)
    if claim.relation is Relation.IMPLEMENTS:
        either = (replace(claim, relation=each) for each in (Relation.EXTENDS, Relation.MEMBER))
        found = {find(each, code) for each in either}
        return Evidence.FOUND if Evidence.FOUND in found else worst(found)
    judge = _JUDGES.get(claim.relation)
    if judge is not None:
        return judge(claim, subject, code)
    return worst(_written(claim.relation, subject, each, code) for each in claim.objects)


def _returning(subject: Token | None, code: Code) -> Sequence[Definition]:
    return code.defining(subject) if subject else code.definitions[:1]


def _in_some_order(claim: Claim, code: Code) -> Evidence:
    """What the lines say of the names in the orders in which they may be meant."""
    found = [find(each, code) for each in orders(claim)]
    if Evidence.FOUND in found:
        is_meant = claim.subject or not is_directed(claim.relation) or found[0] is Evidence.FOUND
        return Evidence.FOUND if is_meant else Evidence.UNKNOWN
    is_typed = claim.relation in _BESIDE_TYPES and any(
        holds(each.type, name.last)
        for name in claim.objects
        for definition in code.definitions
        for each in definition.parameters or ()
    )
    are_several = claim.relation is Relation.DEFAULTS and len(claim.objects) > _MOST_OF_ONE
    if is_typed or are_several or Evidence.UNKNOWN in found:
        return Evidence.UNKNOWN
    return worst(found)


def _written(relation: Relation, subject: Token | None, wanted: Token, code: Code) -> Evidence:
    """Whether a pattern of the relation stands in the part about the subject."""
    parts = code.about(subject)
    if parts is None:
        return _turned(relation, subject, wanted, code)
    patterns = _PATTERNS[relation](wanted)
    if relation is Relation.RETURNS and any(
        holds(each.returned, wanted.last) for each in _returning(subject, code)
    ):
        return Evidence.FOUND
    for part in parts:
        body = bodies(part, is_named=bool(subject) or relation is Relation.CALLS)
        if any(re.search(pattern, body, re.MULTILINE) for pattern in patterns):
            return Evidence.FOUND
    is_open = relation is Relation.RETURNS and _may_be_returned(wanted, parts)
    return Evidence.UNKNOWN if is_open else Evidence.ABSENT


def _may_be_returned(wanted: Token, parts: Sequence[str]) -> bool:
    """Whether a function may return a constant unwritten: at its end, or as what it computes."""
    if wanted.text in ("None", "undefined", "null", "nil"):
        return True
    computed = r"(?:\breturn\b|=>)[ (]*(?!(?:True|False|true|false|None|null|undefined)\b)[\w(!]"
    is_truth = wanted.text in ("True", "False", "true", "false")
    return is_truth and any(re.search(computed, part) for part in parts)


def _calls(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    return worst(_is_called(subject, each, code) for each in claim.objects)


def _is_called(subject: Token | None, wanted: Token, code: Code) -> Evidence:
    """Whether a call is written; where its arguments are quoted, with these or their types."""
    called = called_in(wanted)
    is_known = subject is not None and code.has_call(subject, called)
    found = Evidence.FOUND if is_known else _written(Relation.CALLS, subject, called, code)
    if called is wanted or found is not Evidence.FOUND:
        return found
    parts = code.about(subject) or (code.text,)
    is_as_quoted = any(stands_in(wanted, bodies(part)) for part in parts)
    return Evidence.FOUND if is_as_quoted else Evidence.UNKNOWN


def _uses(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    """Whether the body names the objects; what only the signature does may be meant, too."""
    parts = code.about(subject)
    if parts is None:
        return worst(_turned(claim.relation, subject, each, code) for each in claim.objects)
    return worst(_is_used(each, subject, parts) for each in claim.objects)


def _is_used(wanted: Token, subject: Token | None, parts: Sequence[str]) -> Evidence:
    if any(re.search(_value(wanted), bodies(_below(part), is_named=False)) for part in parts):
        return Evidence.FOUND
    is_named = subject is not None
    is_there = any(re.search(_value(wanted), bodies(part, is_named=is_named)) for part in parts)
    return Evidence.UNKNOWN if is_there else Evidence.ABSENT


def _below(part: str) -> str:
    """What stands below the signature that the part begins with."""
    lines = part.split("\n")
    found = next(definitions(lines), None)
    return "\n".join(lines[found.body :]) if found and not found.start else part


def _contains(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    """Whether a string literal holds the text; a word may also stand in a comment."""
    parts = code.about(subject)
    if parts is None:
        return equals(claim, subject, code)
    wanted = claim.objects[0]
    if wanted.kind is not Kind.STRING:
        return _uses(claim, subject, code)
    if any(wanted.text in each for part in parts for each in strings_in(part)):
        return Evidence.FOUND
    is_elsewhere = any(wanted.text in each for each in strings_in(code.text))
    is_word = re.fullmatch(r"\w+", wanted.text) is not None
    return Evidence.ABSENT if is_elsewhere or is_word else Evidence.UNKNOWN


def _turned(relation: Relation, subject: Token | None, wanted: Token, code: Code) -> Evidence:
    """About lines that are of no definition of the subject; they may say it the other way round."""
    if subject is None:
        return Evidence.UNKNOWN
    own, name = re.escape(subject.last), re.escape(wanted.last)
    if relation in (Relation.CALLS, Relation.USES, Relation.RAISES):
        if re.search(rf"(?<![\w$]){own}(?:\.|->|::){name}(?![\w$])", code.text):
            return Evidence.FOUND
        if code.defining(wanted) or code.is_within(wanted):
            return Evidence.OPPOSITE
    if relation is Relation.RETURNS:
        called = called_in(wanted)
        calls = [(called_in(subject), wanted), *([(called, subject)] if called != wanted else [])]
        if any(is_called_with(*each, code.text) for each in calls):
            return Evidence.UNKNOWN
    return Evidence.ABSENT if code.definitions or code.enclosing else Evidence.UNKNOWN


def _imports(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    del subject  # a module, whose lines these are
    source = _path_pattern(claim.source.text) if claim.source else ""
    for wanted in claim.objects:
        name = _path_pattern(wanted.text) if wanted.kind is Kind.FILE else name_pattern(wanted)
        inner = rf"{{[^}}]*{name}[^}}]*}}|[^\n;]*{name}"
        patterns: tuple[str, ...]
        if source:
            patterns = (
                rf"\bfrom\s+\.*[\w.]*{source}\s+import\s*(?:\([^)]*{name}|[^\n(]*{name})",
                rf"\b(?:import|export)\b[^;]*?{name}[^;]*?\bfrom\s*['\"][^'\"]*{source}['\"]",
                rf"{name}[^;\n]*=\s*require\(['\"][^'\"]*{source}['\"]",
                rf"\buse\s+[^;]*{source}[^;]*{name}",
                rf"\bimport\b[^;]*{source}[./]{name}",
            )
        else:
            patterns = (
                rf"\b(?:import|from|use|using|require|include)\b(?:[^\n;(]*\([^)]*{name}|{inner})",
                rf"^\s*(?:\w+\s+)?\"(?:[^\"\n]*/)?{name}\"",
            )
        if not any(re.search(each, code.text, re.MULTILINE) for each in patterns):
            return Evidence.ABSENT
    return Evidence.FOUND


def _path_pattern(path: str) -> str:
    plain = re.sub(r"^\.+/|^\.+", "", path)
    return rf"(?<![\w$]){re.escape(plain)}(?![\w$])" if plain else re.escape(path)


def _yields(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    parts = code.about(subject)
    if parts is None:
        return nothing_known(subject, code)
    patterns = [_PATTERNS[Relation.YIELDS](each)[0] for each in claim.objects] or [r"\byield\b"]
    is_found = all(any(re.search(each, bodies(part)) for part in parts) for each in patterns)
    return Evidence.FOUND if is_found else Evidence.ABSENT


def _assigns(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    parts = code.about(subject)
    if parts is None:
        return nothing_known(subject, code)
    for wanted in claim.objects:
        target = rf"{name_pattern(wanted)}(?:\[[^\]]*\])?[^=\n]{{0,60}}?"
        pattern = rf"{target}(?<![=!<>])(?::=|[-+*/|&]?=)(?!=)"
        if not any(re.search(pattern, bodies(part)) for part in parts):
            return Evidence.ABSENT
    return Evidence.FOUND


def _before(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    """By the first use of each in the body."""
    first, then = claim.subject, claim.objects[0]
    owner = next((each for each in claim.inside if each.kind is Kind.NAME), None)
    del subject
    parts = code.about(owner)
    if first is None or parts is None:
        return Evidence.UNKNOWN
    body = bodies("\n".join(parts))
    places = [_first_use(each, body) for each in (first, then)]
    if None in places:
        return Evidence.ABSENT
    return Evidence.FOUND if places[0] < places[1] else Evidence.OPPOSITE  # type: ignore[operator]


def _first_use(token: Token, body: str) -> int | None:
    for pattern in (
        rf"{_chain(token)}\s*[!?]?\(",
        rf"{name_pattern(token)}\s*[!?]?\(",
        name_pattern(token),
    ):
        if found := re.search(pattern, body):
            return found.end()
    return None


def _chain(token: Token) -> str:
    return rf"(?<![\w$]){re.escape(token.text)}(?![\w$])"


def _value(wanted: Token) -> str:
    if wanted.kind is Kind.STRING:
        return re.escape(wanted.text)
    if wanted.kind is Kind.NUMBER:
        return rf"(?<![\w.]){re.escape(wanted.text)}(?![\w.])"
    return spaced(wanted.text) if wanted.kind is Kind.FRAGMENT else name_pattern(wanted)


_PATTERNS: dict[Relation, Callable[[Token], tuple[str, ...]]] = {
    Relation.CALLS: lambda wanted: (
        rf"{name_pattern(wanted)}\s*(?:<[^>()]*>|::<[^>]*>|\[[^\]]*\])?[!?]?\.?\(",
        rf"@[\w.]*{name_pattern(wanted)}",
    ),
    Relation.RAISES: lambda wanted: (
        rf"\b(?:raise|throw|panic!?|reject|abort|fail|bail!|Err|Errorf)\b[^\n;]*?(?:\n[^\n;]*)?{name_pattern(wanted)}",
        rf"\b(?:throw|raise)\b\s+(?:new\s+)?(?:[\w$]+\.)*{name_pattern(wanted)}",
        rf"\)\s*throws\b[^{{;]*{name_pattern(wanted)}",
    ),
    Relation.CATCHES: lambda wanted: (
        rf"\b(?:except\*?|catch|rescue|suppress|recover)\b[^:{{\n]*(?:\([^)]*)?{name_pattern(wanted)}",
        rf"\.(?:catch|Is|As)\([^)]*{name_pattern(wanted)}",
    ),
    Relation.RETURNS: lambda wanted: (
        rf"(?:\breturn\b|=>)\s*(?:await\s+)?\(?[^\n;]*?{_value(wanted)}",
        rf"\breturn\s*\([^)]*{_value(wanted)}",
        rf"^\s*{_value(wanted)}\s*\n?\s*\}}\s*$",
    ),
    Relation.YIELDS: lambda wanted: (rf"\byield\b[^\n;]*{_value(wanted)}",),
}
_JUDGES: Mapping[Relation, Callable[[Claim, Token | None, Code], Evidence]] = {
    Relation.CALLS: _calls,
    Relation.USES: _uses,
    Relation.CONTAINS: _contains,
    Relation.EXTENDS: extends,
    Relation.IMPORTS: _imports,
    Relation.TAKES: takes,
    Relation.KEYWORD_ONLY: is_keyword_only,
    Relation.REQUIRED: is_required,
    Relation.COUNT: has_count,
    Relation.TYPE: has_type,
    Relation.RETURN_TYPE: has_return_type,
    Relation.ASYNC: is_async,
    Relation.YIELDS: _yields,
    Relation.MEMBER: has_member,
    Relation.SORT: is_sort,
    Relation.DECORATED: is_decorated,
    Relation.DEFAULTS: defaults,
    Relation.EQUALS: equals,
    Relation.ASSIGNS: _assigns,
    Relation.BEFORE: _before,
    Relation.COMPARES: compares,
}
_BESIDE_TYPES = frozenset(  # "an `int` with a default of 3", "the parameter `a` is a `Path`"
    {Relation.DEFAULTS, Relation.EQUALS, Relation.TAKES}
)
_MOST_OF_ONE = 3  # names of one claim: a parameter, its default and its function
