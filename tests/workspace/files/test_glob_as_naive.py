"""Patterns match what an independent matcher, written to be obvious, says they match."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from glossator.core.errors import UsageError
from glossator.core.glob import compile_glob

PATHS = st.lists(st.text(alphabet="ab.,-é{", min_size=1, max_size=4), min_size=1, max_size=4).map(
    "/".join
)
PIECES = r"a b . é / / * **/ /** ? [ab] [!a] [^b.] [.-é] [\]a] [ \* \{ \a , }".split()
BRACES = "{a,b} {a,{b,}} {*,a/} {**/a,b}".split()
PATTERNS = st.lists(st.sampled_from(PIECES + BRACES), max_size=7).map("".join)


def naive(pattern: str, path: str) -> bool:
    if pattern.startswith("!"):
        return not naive(pattern[1:], path)
    return any(matches_alone(alternative, path) for alternative in expanded(pattern))


def expanded(pattern: str) -> list[str]:
    """Replace the first pair of braces by each of its alternatives, again and again."""
    opening = next((at for at, token in tokens(pattern) if token == "{"), None)
    if opening is None:
        return [pattern]
    depth, start, alternatives = 0, opening + 1, []
    for at, token in tokens(pattern):
        if at < opening:
            continue
        if token == "{":
            depth += 1
        elif token == "," and depth == 1:
            alternatives.append(pattern[start:at])
            start = at + 1
        elif token == "}":
            depth -= 1
            if depth == 0:
                alternatives.append(pattern[start:at])
                before, after = pattern[:opening], pattern[at + 1 :]
                return [whole for one in alternatives for whole in expanded(before + one + after)]
    raise AssertionError(f"unbalanced: {pattern}")


def tokens(pattern: str) -> list[tuple[int, str]]:
    """Escapes, classes and single characters, with where they start."""
    found, at = [], 0
    while at < len(pattern):
        length = 1
        if pattern[at] == "\\" and at + 1 < len(pattern):
            length = 2
        elif pattern[at] == "[" and (end := class_end(pattern, at)):
            length = end - at
        found.append((at, pattern[at : at + length]))
        at += length
    return found


def class_end(pattern: str, at: int) -> int:
    """Just past the class that begins at `at`; 0 when it is not closed."""
    at += 1
    if pattern[at : at + 1] in ("!", "^"):
        at += 1
    first = True
    while at < len(pattern):
        if pattern[at] == "]" and not first:
            return at + 1
        at += 2 if pattern[at] == "\\" else 1
        first = False
    return 0


def matches_alone(pattern: str, path: str) -> bool:
    items = [token for _, token in tokens(pattern)]
    if "/" not in items:
        return any(walk(tuple(items), rest) for rest in suffixes(path))
    if items[:2] == [".", "/"]:
        items = items[2:]
    if items[:1] == ["/"]:
        items = items[1:]
    return walk(tuple(items), path)


def suffixes(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[number:]) for number in range(len(parts))]


@cache
def walk(items: tuple[str, ...], path: str, at_folder: bool = True) -> bool:
    """Backtracking, one item at a time."""
    if not items or not (path or items[0] == "*"):
        return not items and not path
    head, rest = items[0], items[1:]
    if at_folder and items[:3] == ("*", "*", "/"):
        return any(walk(items[3:], tail) for tail in suffixes(path))
    if items[:2] == ("*", "*"):
        return any(walk(items[2:], path[n:], at_folder=False) for n in range(len(path) + 1))
    if head == "*":
        lengths = range(len(path.partition("/")[0]) + 1)
        return any(walk(rest, path[n:], at_folder=False) for n in lengths)
    fits_here = path[0] == "/" if head == "/" else fits(head, path[0])
    return fits_here and walk(rest, path[1:], at_folder=head == "/")


def fits(item: str, character: str) -> bool:
    if item.startswith("\\") and len(item) == 2:
        return character == item[1]
    if character == "/":
        return False
    if item == "?":
        return True
    if len(item) == 1:
        return character == item
    negated = item[1] in "!^"
    members = item[2:-1] if negated else item[1:-1]
    return in_members(members, character) != negated


def in_members(members: str, character: str) -> bool:
    plain: list[tuple[str, bool]] = []  # a member, and whether it was escaped
    at = 0
    while at < len(members):
        escaped = members[at] == "\\" and at + 1 < len(members)
        plain.append((members[at + escaped], escaped))
        at += 1 + escaped
    at = 0
    while at < len(plain):
        if at + 2 < len(plain) and plain[at + 1] == ("-", False):
            if plain[at][0] <= character <= plain[at + 2][0]:
                return True
            at += 3
            continue
        if plain[at][0] == character:
            return True
        at += 1
    return False


@settings(max_examples=2_000, deadline=None)
@given(PATTERNS, PATHS, st.booleans())
def test_as_naive(pattern: str, path: str, negated: bool) -> None:
    assume(pattern.count("{") <= 3)  # more may stand for too many patterns, which is refused
    whole = "!" * negated + pattern
    assert compile_glob(whole)(path) == naive(whole, path)


@pytest.mark.parametrize(
    ("pattern", "path", "expect"),
    [
        ("**/**/**/**/a*a*a*a*b", "a/" * 2_000 + "a" * 20_000 + "c", False),
        ("**/**/**/**/a*a*a*a*b", "a/" * 2_000 + "a" * 20_000 + "b", True),
        ("{a,b}*{a,b}*{a,b}*c", "ab" * 20_000, False),
        ("[/]", "/", False),
        ("a[.-0]b", "a/b", False),
        ("src/**/x", "src/x", True),
        ("src/**", "src", False),
        ("a**b", "a/b", True),
        ("**.py", "a/b.py", True),
        ("!", "anything", True),
        ("", "anything", False),
        (r"\!x", "!x", True),
        ("\\", "\\", True),
    ],
)
def test_single_cases(pattern: str, path: str, expect: bool) -> None:
    assert compile_glob(pattern)(path) is expect


@pytest.mark.parametrize("pattern", ["{", "a{b", "{a,{b}", "[z-a]", "{1,2}" * 8])
def test_malformed(pattern: str) -> None:
    with pytest.raises(UsageError):
        compile_glob(pattern)
