"""Which trigrams are asked for by which pattern."""

from __future__ import annotations

from dataclasses import replace

import pytest

from glossator.workspace.index.required import analyse
from glossator.workspace.index.trigrams import ANYTHING, Query, key

NEVER = Query(groups=((),))


def keys(*strings: str) -> frozenset[int]:
    """All trigrams of the strings."""
    encoded = [string.encode() for string in strings]
    return frozenset(k for raw in encoded for k in map(key, raw, raw[1:], raw[2:]))


def check(pattern: str, *required: str, **flags: bool) -> None:
    query = analyse(pattern, **flags).query
    spans = flags.get("multiline", False)
    assert query == Query(keys(*required), folds="(?i" in pattern, spans=spans)


@pytest.mark.parametrize(
    ("pattern", "required"),
    [
        ("update_or_create", ["update_or_create"]),
        (r"def \w+_cache", ["def ", "_cache"]),
        (r"\bclass Foo\b", ["class foo"]),
        (r"^import\tre$", ["\nimport re\n"]),  # white space is one class
        ("(?i)ERROR:", ["error:"]),
        ("[Ee]rror", ["error"]),
        (r"\x66\x{6f}\157", ["foo"]),
        (r"\Qa.b(\E\)", ["a.b()"]),
        (r"(?P<name>foo)(?:bar)(?i:BAZ)", ["foobarbaz"]),
        ("fo[xyz1]*bar", ["bar"]),
        ("foo+bar", ["foo", "obar"]),
        ("(?:abc)+d", ["abcd"]),
        ("x{3}", ["xxx"]),
        ("(?:ab){2,}", ["abab"]),
        (r"foo.*?bar", ["foo", "bar"]),
        (r"foo[^x]bar", ["foo", "bar"]),
        ("foo(?:bar)?", ["foo"]),
        ("foo{,3}", ["foo{,3}"]),
        ("错误", ["错误"]),
        ("größe", ["größe"]),
        ("(?i)GRÖẞE", ["gröö", "öße"]),  # in bytes: ẞ has three, ß two
        ("(?i)set_Key", ["set_key"]),
    ],
)
def test_what_every_match_holds(pattern: str, required: list[str]) -> None:
    check(pattern, *required)


@pytest.mark.parametrize(
    "pattern",
    [
        *("", r"\d+", "a.b", "ab", ".*", "(?i)k", "a|bcd", "(?:foo)?", "(?:foo)*", "x{0,5}"),
        *(r"\pL\pL\pL", r"\C\C\C", "(?:foo|b.r)", "[^a]bc", "[a-z]{8}", "^$", "foo{0}"),
        "(" * 500 + "foo" + ")" * 500,  # deeper than it is looked at
        r"foo(?i)*",  # RE2 has a meaning even for this
    ],
)
def test_nothing_is_required(pattern: str) -> None:
    assert replace(analyse(pattern).query, folds=False, spans=False) == ANYTHING


@pytest.mark.parametrize(
    ("pattern", "folds"),
    [
        *(("task", False), ("(?i)task", True), ("a(?i:sk)?", True), ("[^x]ask", False)),
        ("(?:one|(?i)two)", True),
    ],
)
def test_whether_letters_outside_ascii_may_stand_for_some(pattern: str, folds: bool) -> None:
    assert analyse(pattern).query.folds is folds
    assert analyse(pattern, ignore_case=True).query.folds


@pytest.mark.parametrize(
    ("pattern", "required"),
    [
        (r"^func \w+\($", ["\nfunc ", "(\n"]),
        (r"\Afoo\z", ["\nfoo\n"]),
        ("(?:^|^)foo", ["\nfoo"]),
        ("foo(?i)$", ["foo\n"]),
        ("a^foo$b", ["afoob"]),  # which matches nothing
        ("(?:^foo$)+", ["foo"]),
        ("^$", []),
    ],
)
def test_where_lines_begin_and_end(pattern: str, required: list[str]) -> None:
    assert analyse(pattern).query.keys == keys(*required)


def test_a_beginning_is_one_of_several() -> None:
    (group,) = analyse("(?:^|,)foo").query.groups
    assert set(group) == {Query(keys("\nfo")), Query(keys(",fo"))}


def test_what_may_be_missing_has_two_sides() -> None:
    assert analyse("foo*bar").query == Query(
        keys("bar", "oba"), ((Query(keys("fob")), Query(keys("foo"))),)
    )
    (group,) = analyse(r"^\s*\}\s*$").query.groups
    shapes = ("\n}\n", "\n} ", " }\n", " } ")
    assert set(group) > {Query(keys(shape)) for shape in shapes}  # and with Unicode's other space
    assert analyse(r"foo\s*").query == Query(keys("foo"))
    assert analyse(r"\s*\s*\s*\s*foo\s*").query == Query(keys("foo"))


def test_alternatives() -> None:
    assert analyse("foo|barbaz").query == Query(
        groups=((Query(keys("foo")), Query(keys("barbaz"))),)
    )
    assert analyse("foo|foobar").query == Query(keys("foo"))
    assert analyse("foo_(?:one|two)").query.keys == keys("foo_")
    error = analyse(r"(?i)Error: [45]\d\d").query
    assert error.keys == keys("error: ")
    (group,) = error.groups
    assert set(group) == {Query(keys(": 4")), Query(keys(": 5"))}


def test_words_digits_and_space_are_also_others_than_asciis() -> None:
    query = analyse(r"\bclass\s+Foo\b").query
    assert query.keys == keys("class", "foo")
    assert {next(iter(group)) for group in query.groups} == {
        Query(keys("ss ")),
        Query(keys(" fo")),
    }
    (group,) = analyse(r"x\dy").query.groups
    assert {Query(keys(shape)) for shape in ("x1y", "x\u0663y")} <= set(group)


def test_a_word_of_many() -> None:
    words = [f"{word}{word[::-1]}" for word in "alpha bravo delta gamma omega sigma".split()]
    (group,) = analyse("|".join(words)).query.groups
    assert len(group) == len(words)
    assert analyse(f"(?:{'|'.join(words)})_suffix").query.keys == keys("_suffix")
    many = "|".join(f"w{number}ord" for number in range(500))
    assert analyse(f"(?:{many})_suffix").query == Query(keys("ord_suffix"))


def test_line_ends() -> None:
    check(r"foo\nbar", "foo\nbar", multiline=True)
    check(r"foo\n$", "foo\n", multiline=True)  # the last line end may be in the match
    check(r"^foo$", "\nfoo", multiline=True)
    space_or_end = analyse(r"foo\s+bar", multiline=True).query
    assert space_or_end.keys == keys("foo", "bar")
    assert any({Query(keys("oo ")), Query(keys("oo\n"))} < set(g) for g in space_or_end.groups)
    assert analyse(r"foo\nbar").query == NEVER
    assert analyse(r"(?:foo\nbar|baz)").query == Query(keys("baz"))
    assert analyse(r"(?:foo\nbar)*").query == ANYTHING


def test_deep_nesting_takes_no_longer_than_its_length() -> None:
    pattern = "x"
    for _ in range(50):
        pattern = f"(?:{pattern}y*z)*z"
    assert analyse(pattern).query.keys == frozenset()
    assert analyse(f"(?:{pattern}){pattern}needle").query.keys >= keys("needle")


def size(query: Query) -> int:
    return len(query.keys) + sum(size(member) for group in query.groups for member in group)


@pytest.mark.parametrize(
    "pattern",
    [
        "".join(f"name_{number}_" for number in range(200)),
        "|".join(f"{number}name{number}" for number in range(60)),
        "".join(f"(?:a{n}a{n}|b{n}b{n}c).*" for n in range(200)),
        "(?:abc.[def]" * 50 + ")" * 50,
    ],
)
def test_a_query_stays_small(pattern: str) -> None:
    query = analyse(pattern).query
    assert query != ANYTHING
    assert len(query.keys) <= 24
    assert size(query) <= 512


@pytest.mark.parametrize(
    ("pattern", "multiline", "portable"),
    [
        (r"^def\s+\w+\(.*\):$", False, True),
        (r"^def \w+$", True, True),
        (r"def\s+(\w+)\(\s*self", True, True),
        (r"(?s)class Foo.*?\bdef bar", True, True),
        (r"foo\s*$", True, False),  # a line may end in CRLF
        (r"foo\nbar", True, False),  # in a file the line may end in CRLF
        (r"foo.bar", True, False),
        (r"foo[^\n]*bar", True, False),
        (r"foo\s+\s+bar", True, False),
        (r"x*", True, False),
        (r"foo\nbar", False, False),
        (r"(?:\w{50}){50}", False, False),
        (r"^*foo", False, False),
        (r"(?P<n>a)(?P<n>b)", False, False),
        (r"foo(?i)*", False, False),
    ],
)
def test_portable(pattern: str, multiline: bool, portable: bool) -> None:
    assert analyse(pattern, multiline=multiline).portable is portable
