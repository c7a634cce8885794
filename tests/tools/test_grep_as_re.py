"""Which lines match is what Python's `re` says of each line alone, or of the text if multiline."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from glossator.core.document import Document, Origin, text_hash
from glossator.workspace.scan import compile_pattern, matching_lines

TEXTS = st.text(alphabet="aab \n\n\rxé\u2028", max_size=40)

# Valid in both engines, and meaning the same: no \\B, no \\A, no repeated empty match.
ATOMS = st.sampled_from(
    ["a", "b", "x", "é", ".", "[ab]", "[^a]", "[^x]", " ", r"\b", "^", "$", r"\n"]
)
QUANTIFIERS = st.sampled_from(["", "", "*", "+", "?", "{2}", "*?", "{1,2}"])


@st.composite
def quantified(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    body = draw(inner)
    if body in {"^", "$", r"\b"}:  # only what has width may repeat
        return body
    return f"(?:{body}){draw(QUANTIFIERS)}"


PATTERNS = st.recursive(
    quantified(ATOMS),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join).map(lambda choice: f"(?:{choice})"),
        inner.map(lambda body: f"({body})"),
    ),
    max_leaves=6,
)


def lines_of(text: str) -> list[str]:
    """Line ends are LF, CRLF and CR; a final one opens no further line."""
    lines = re.split(r"\r\n|\r|\n", text)
    return lines[:-1] if lines[-1] == "" else lines


def document(text: str) -> Document:
    return Document("file:///d", "/d", text, text_hash(text), None, Origin.DISK)


@settings(max_examples=1_500, deadline=None)
@given(TEXTS, PATTERNS)
def test_line_by_line(text: str, pattern: str) -> None:
    found = list(matching_lines(document(text), compile_pattern(pattern)))
    # a line never holds a line end, so nothing in a pattern can match one
    assert found == [
        number
        for number, line in enumerate(lines_of(text), start=1)
        if re.search(pattern, line, re.ASCII)
    ], (text, pattern)


@settings(max_examples=1_500, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(TEXTS, PATTERNS)
def test_multiline(text: str, pattern: str) -> None:
    found = list(matching_lines(document(text), compile_pattern(pattern, multiline=True)))
    joined = "\n".join(lines_of(text))
    matches = (
        list(re.finditer(pattern, joined, re.ASCII | re.DOTALL | re.MULTILINE)) if text else []
    )
    assume(all(match[0] for match in matches))  # the engines go on differently from an empty match
    expected: set[int] = set()
    for match in matches:
        first = joined.count("\n", 0, match.start())
        last = joined.count("\n", 0, match.end() - 1)
        expected.update(range(first + 1, last + 2))
    assert found == sorted(expected), (text, pattern)
