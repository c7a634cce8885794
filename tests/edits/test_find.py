"""The old text is found exactly and once, whatever the line ends; if not, the model learns why."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.core.errors import UsageError
from glossator.core.line_diff import apply_replacements
from glossator.edits.find import Substitution, as_lf, rewrite, substitute

ENDS = st.text(alphabet="ab\n\r", max_size=16)
USUAL_ENDS = st.lists(st.sampled_from(["a", "b", "\n", "\r\n"]), max_size=16).map("".join)


def edited(text: str, old: str, new: str, *, every: bool = False) -> str:
    return apply_replacements(text, substitute(text, Substitution(old, new, every)))


@pytest.mark.parametrize(
    ("text", "old", "new", "expect"),
    [
        ("a = 1\n", "1", "2", "a = 2\n"),
        ("a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb", "a\r\nx\r\nb\r\nc\r\n"),
        ("a\r\nb\r\n", "a\r\nb", "a\r\nc", "a\r\nc\r\n"),
        ("a\rb\r", "b\n", "c\nd\n", "a\rc\rd\r"),
        ("a\r\nb\r\n", "\nb", "\nc", "a\r\nc\r\n"),
        ("a\r\nb\nc\r\n", "a\nb\nc", "a\nx\nb\nc", "a\r\nx\r\nb\nc\r\n"),
        ("a\nb\r\nc\n", "b", "b\nb2", "a\nb\nb2\r\nc\n"),
        ("one\r\n", "one", "one\ntwo", "one\r\ntwo\r\n"),
        ("x", "x", "y\nz", "y\nz"),
        ("a\u2028b\x0cc", "b\x0c", "-", "a\u2028-c"),
    ],
)
def test_replacing(text: str, old: str, new: str, expect: str) -> None:
    assert edited(text, old, new) == expect


def test_every_one() -> None:
    assert edited("a\r\na\r\nb", "a\n", "x\n", every=True) == "x\r\nx\r\nb"
    assert edited("aaa", "aa", "b", every=True) == "ba"


@given(ENDS, st.text(alphabet="ab\n", min_size=1, max_size=4), ENDS)
def test_as_if_all_ends_were_lf(text: str, old: str, new: str) -> None:
    plain = as_lf(text)
    places = [match.start() for match in re.finditer(f"(?={re.escape(old)})", plain)]
    wanted = Substitution(old, new)
    if len(places) != 1 or old == as_lf(new):
        with pytest.raises(UsageError):
            substitute(text, wanted)
        return
    (found,) = substitute(text, wanted)
    after = text[: found.start] + found.text + text[found.end :]
    assert as_lf(text[: found.start]) == plain[: places[0]]
    assert as_lf(text[found.start : found.end]) == old
    assert as_lf(found.text) == as_lf(new)
    assert len(after) - len(found.text) == len(text) - (found.end - found.start)


@given(USUAL_ENDS, USUAL_ENDS)
def test_a_whole_text_keeps_its_line_ends(text: str, content: str) -> None:
    after = apply_replacements(text, rewrite(text, content))
    plain = as_lf(content)
    if text and plain:
        plain = re.sub(r"\n?\Z", "\n" if text[-1] in "\r\n" else "", plain, count=1)
    assert as_lf(after) == plain
    if "\r" not in text:
        assert "\r" not in after
    if plain == as_lf(text):
        assert after == text


@pytest.mark.parametrize(
    ("text", "content", "expect"),
    [
        ("a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"),
        ("a\r\nb\nc\r\n", "a\nb\nx\nc\n", "a\r\nb\nx\r\nc\r\n"),
        ("a\nb\n", "a\nb", "a\nb\n"),
        ("a\nb", "a\nc\n", "a\nc"),
        ("a", "a\nb\n", "a\nb"),
        ("", "a\n", "a\n"),
        ("a\n", "", ""),
    ],
)
def test_whole_texts(text: str, content: str, expect: str) -> None:
    assert apply_replacements(text, rewrite(text, content)) == expect


CODE = """class Zoo:
\tdef feed(self, animal):
\t\treturn animal.eat("fish")

    def clean(self) -> None:
        self.cage = "clean"\t
        print('done')
"""


@pytest.mark.parametrize(
    ("old", "says"),
    [
        ("", "old_text is empty"),
        ("class Zoo", "are the same"),
        ("def ", "2 times, on lines 2, 5.\nAdd lines around it"),
        (
            "    def feed(self, animal):",
            "Line 2 would match but for indentation. Line 2 of the file is '\\tdef feed(self, ani",
        ),
        ('        self.cage = "clean"\n', "Line 6 would match but for white space at the end"),
        ('return animal.eat( "fish" )', "Line 3 would match but for white space."),
        (
            "        print(\u2018done\u2019)",
            "in old_text it is '        print(\\u2018done\\u2019)'",
        ),
        ("5\t    def clean(self) -> None:", "Leave out the line numbers"),
        (
            '    def clean(self) -> int:\n        self.cage = "dirty"',
            "The closest match is:\n5\t    def clean(self) -> None:\n6\t        self",
        ),
        ("import antigravity", "Nothing in it is similar. Read the file again"),
        ("***", "Nothing in it is similar"),
        ("\n\nclass Zoo:", "Line 1 would match but for the blank lines around it."),
    ],
)
def test_why_not(old: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        edited(CODE, old, "class Zoo")
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("old", "says"),
    [
        ("RETRY_TIMES = 3", "The closest match is:\n1\tRETRY_TIMES = 2"),
        ("return 3", "The closest match is:\n4\t    return 2"),  # one token of two
        ("a = 1 ", "The closest match is:\n3\t    a = 10"),  # 10 is not a 1 that looks alike
        ("a  = 10", "Line 3 would match but for white space."),
        ("xa =10", "The closest match is:\n3\t    a = 10"),
    ],
)
def test_why_short_texts_are_not_there(old: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        edited("RETRY_TIMES = 2\ndef f(a):\n    a = 10\n    return 2\n", old, "x")
    assert says in str(refused.value)


def test_many_places() -> None:
    with pytest.raises(UsageError, match=r"1,000 times, on lines 1, 2, .*10, …\.\nAdd"):
        edited("x\n" * 1_000, "x", "y")


def test_overlapping_places_are_two() -> None:
    with pytest.raises(UsageError, match="2 times"):
        edited("aaa", "aa", "b")


@pytest.mark.parametrize("line", ["x" * 3_000_000, "some words and more words\n" * 100_000])
def test_long_texts_are_explained_too(line: str) -> None:
    with pytest.raises(UsageError, match="old_text is not in the file"):
        edited(line, "some words, and\nmore words", "")
