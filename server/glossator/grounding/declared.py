"""What definitions in cited lines say of a claim: parameters, types, members, decorators."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from glossator.grounding.cited import (
    Code,
    Evidence,
    holds,
    name_pattern,
    same_code,
    spaced,
    worst,
)
from glossator.grounding.claim import Claim
from glossator.grounding.definitions import Parameter, defined
from glossator.grounding.literals import value_of
from glossator.grounding.wording import Kind, Token


def _parameters(subject: Token | None, code: Code) -> tuple[tuple[Parameter, ...], ...] | None:
    """The parameters of each definition of the subject; None if none is seen whole."""
    if subject is None:
        found = tuple(each for each in code.definitions if not each.is_class)[:1]
    else:
        found = code.defining(subject)
    lists = []
    for each in found:
        if each.is_class:
            begins = [
                inner
                for inner in code.definitions
                if inner.name in ("__init__", "constructor", "new")
                and each.start < inner.start < each.end
            ]
            lists += [inner.parameters for inner in begins]
        else:
            lists.append(each.parameters)
    seen = tuple(each for each in lists if each is not None)
    return seen or None


def takes(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    """Whether the subject has these parameters."""
    lists = _parameters(subject, code)
    if lists is None:
        is_shown = any(is_called_with(subject, each, code.text) for each in claim.objects)
        return Evidence.UNKNOWN if is_shown else nothing_known(subject, code)
    if any(all(_is_among(each, parameters) for each in claim.objects) for parameters in lists):
        return Evidence.FOUND
    written = " ".join(f"{each.type} {each.default}" for every in lists for each in every)
    if any(holds(written, each.last) for each in claim.objects):
        return Evidence.UNKNOWN  # a type, or a default, is not said to be a parameter
    return Evidence.ABSENT


def _is_among(wanted: Token, parameters: Sequence[Parameter]) -> bool:
    """Whether it is one of them, with its type if it is written so: `name: str`."""
    name, colon, type_ = (part.strip() for part in wanted.text.partition(":"))
    if wanted.kind is not Kind.FRAGMENT or not colon:
        return any(each.name == wanted.last for each in parameters)
    return any(each.name == name and same_code(each.type, type_) for each in parameters)


def is_called_with(subject: Token | None, other: Token, text: str) -> bool:
    """Whether a line calls the subject and names the other, too."""
    if subject is None:
        return False
    called = re.compile(rf"{name_pattern(subject)}\s*\(")
    return any(called.search(line) and holds(line, other.last) for line in text.split("\n"))


def nothing_known(subject: Token | None, code: Code) -> Evidence:
    """Of a signature that is not cited: a subject that the lines are not about is absent."""
    if subject is None or code.about(subject) is not None or code.may_declare(subject):
        return Evidence.UNKNOWN
    return Evidence.ABSENT if code.definitions or code.enclosing else Evidence.UNKNOWN


def of_parameter(
    subject: Token | None,
    code: Code,
    name: Token,
    holds_of: Callable[[Parameter], bool],
) -> Evidence:
    """What signatures say of a parameter."""
    owner = None if subject is name else subject
    lists = _parameters(owner, code)
    if lists is None:
        return nothing_known(owner, code)
    found = [each for parameters in lists for each in parameters if each.name == name.last]
    if not found:
        return Evidence.ABSENT
    return Evidence.FOUND if any(map(holds_of, found)) else Evidence.OPPOSITE


def is_keyword_only(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    """Whether the objects can be passed by keyword alone."""
    return worst(
        of_parameter(subject, code, each, lambda found: found.keyword_only)
        for each in claim.objects
    )


def is_required(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    """Whether the objects have no default."""
    return worst(
        of_parameter(subject, code, each, lambda found: not found.default) for each in claim.objects
    )


def has_type(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    """Whether a parameter or a variable is annotated so."""
    owner = next((each for each in claim.inside if each.kind is Kind.NAME), None)
    if subject is None or not claim.objects:
        return Evidence.UNKNOWN
    wanted = claim.objects[0].text
    found = of_parameter(owner, code, subject, lambda each: same_code(each.type, wanted))
    if found is not Evidence.ABSENT:
        return found
    pattern = rf"{name_pattern(subject)}\s*:\s*{spaced(wanted)}"
    return Evidence.FOUND if re.search(pattern, code.text) else Evidence.ABSENT


def has_return_type(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    """Whether the signature says that this is returned."""
    found = code.defining(subject) if subject else code.definitions[:1]
    whole = [each for each in found if each.is_whole]
    if not whole:
        return nothing_known(subject, code)
    wanted = claim.objects[0].text.removeprefix("->").strip() if claim.objects else ""
    if any(same_code(each.returned, wanted) for each in whole):
        return Evidence.FOUND
    return Evidence.OPPOSITE


def has_count(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    """Whether the subject has so many parameters."""
    lists = _parameters(subject, code)
    if lists is None:
        is_called = subject is not None and is_called_with(subject, subject, code.text)
        return Evidence.UNKNOWN if is_called else nothing_known(subject, code)
    wanted = value_of(claim.objects[0].text)
    if any(len(each) == wanted for each in lists):
        return Evidence.FOUND
    return Evidence.OPPOSITE


def is_async(_claim: Claim, subject: Token | None, code: Code) -> Evidence:
    """Whether the subject is asynchronous."""
    found = code.defining(subject) if subject else code.definitions[:1]
    if not found:
        return nothing_known(subject, code)
    return Evidence.FOUND if any(each.is_async for each in found) else Evidence.OPPOSITE


def has_member(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    """Whether the objects are defined in the subject."""
    if subject is None:
        return Evidence.UNKNOWN
    if subject.kind is Kind.FILE:
        is_here = all(code.defining(each) for each in claim.objects)
        return Evidence.FOUND if is_here else Evidence.UNKNOWN
    if code.about(subject) is None:
        receiver = rf"\bfunc\s*\([^)]*\b{re.escape(subject.last)}\b[^)]*\)\s*"
        if not re.search(receiver, code.text):
            return nothing_known(subject, code)
    found = worst(_is_member(subject, each, code) for each in claim.objects)
    is_code = any(each.kind is Kind.FRAGMENT for each in claim.objects)
    return Evidence.UNKNOWN if is_code and found is not Evidence.FOUND else found


def _is_member(subject: Token, wanted: Token, code: Code) -> Evidence:
    own, name = re.escape(subject.last), re.escape(wanted.last)
    receiver = rf"\bfunc\s*\([^)]*\b{own}\b[^)]*\)\s*{name}\b"
    if re.search(receiver, code.text):
        return Evidence.FOUND
    bodies = ("\n".join(code.cited.lines[e.body : e.end]) for e in code.defining(subject))
    declared = re.compile(rf"\s*(?:[\w$]+\s+)*{name}\s*(?:[?!]?\s*[:=(<]|\s+[\w\[*]+)")
    for lines in map(_outermost, tuple(bodies) or code.about(subject) or ()):
        for each in lines:
            found = defined(each)
            if (found and found[0] == wanted.last) or declared.match(each):
                return Evidence.FOUND
    return Evidence.ABSENT


def _outermost(text: str) -> list[str]:
    """The lines that are indented least."""
    lines = [line for line in text.split("\n") if line.strip()]
    indents = [len(line) - len(line.lstrip()) for line in lines]
    return [line for line, each in zip(lines, indents, strict=True) if each == min(indents)]


_SORTS = {
    "class": {"class", "record"},
    "interface": {"interface"},
    "struct": {"struct"},
    "enum": {"enum"},
    "trait": {"trait"},
    "function": {"def", "func", "fn", "function", ""},
    "method": {"def", "func", "fn", "function", ""},
    "type": {"type"},
}


def is_sort(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    """Whether the subject is declared as a class, a function and so on."""
    word = claim.objects[0].text
    if subject is None or word not in _SORTS:
        return Evidence.UNKNOWN
    found = code.defining(subject)
    words = {each.word for each in found}
    words |= {declared for name, declared in code.enclosing if name == subject.last}
    if not words:
        return Evidence.ABSENT if code.definitions or code.enclosing else Evidence.UNKNOWN
    if word == "enum" and any(re.search(r"\bEnum\b|\bFlag\b", each.header) for each in found):
        return Evidence.FOUND
    return Evidence.FOUND if words & _SORTS[word] else Evidence.OPPOSITE


def is_decorated(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    """Whether the objects stand above the subject."""
    found = code.defining(subject) if subject else code.definitions[:1]
    above = [each.decorators for each in found]
    if not found:
        return nothing_known(subject, code)
    names = [name_pattern(each) for each in claim.objects]
    if all(any(re.search(name, text) for text in above) for name in names):
        return Evidence.FOUND
    is_seen = any(above) or all(each.start > 0 for each in found)
    return Evidence.ABSENT if is_seen else Evidence.UNKNOWN


def extends(claim: Claim, subject: Token | None, code: Code) -> Evidence:
    """Whether the objects are written as bases of the subject."""
    if subject is None or not claim.objects:
        return Evidence.UNKNOWN
    around = "\n".join((*code.cited.enclosing, code.text))
    own = re.escape(subject.last)
    for wanted in claim.objects:
        name = re.escape(wanted.last)
        patterns = (
            rf"\bclass\s+{own}\s*(?:\[[^\]]*\])?\([^)]*(?<![\w$]){name}(?![\w$]|\s*=)",
            rf"(?<![\w$]){own}(?![\w$])\s*(?:<[^{{]*?>)?\s*(?:extends|implements|:|<)[^{{;]*(?<![\w$]){name}(?![\w$])",
            rf"\bimpl(?:<[^>]*>)?\s+(?:[\w:]+::)?{name}\b(?:<.*?>)?\s+for\s+(?:[\w:]+::)?{own}\b",
            rf"\b{own}\s+(?:struct|interface)\s*\{{[^}}]*^\s*\*?(?:\w+\.)?{name}\s*$",
        )
        if not any(re.search(each, around, re.MULTILINE) for each in patterns):
            return Evidence.ABSENT
    return Evidence.FOUND
