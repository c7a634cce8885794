"""Front matter: YAML as data, and what other agents' files have in its place."""

from __future__ import annotations

import pytest

from glossator.customizations.front_matter import (
    MAX_CHARACTERS,
    FrontMatter,
    Malformed,
    Value,
    read_front_matter,
)


def fields(head: str) -> object:
    found = read_front_matter(f"---\n{head}\n---\nBody.\n")
    return dict(found.fields) if isinstance(found, FrontMatter) else found.why


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\nname: a\n---\n\nDo.\n", FrontMatter({"name": "a"}, "Do.")),
        ("\ufeff---\r\nname: a\r\n---\r\nDo.\r\nMore.", FrontMatter({"name": "a"}, "Do.\nMore.")),
        ("Just words.\n---\nname: a\n---\n", FrontMatter({}, "Just words.\n---\nname: a\n---")),
        ("---\n---\nDo.", FrontMatter({}, "Do.")),
        ("--- a\nb", FrontMatter({}, "--- a\nb")),
        ("---\nname: a\n---", FrontMatter({"name": "a"}, "")),
        ("---\nname: a\n---\nOne\n---\nTwo", FrontMatter({"name": "a"}, "One\n---\nTwo")),
        ("", FrontMatter()),
    ],
)
def test_fields_and_body(text: str, expected: FrontMatter) -> None:
    assert read_front_matter(text) == expected


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("Name: yes\nversion: 1.0\nday: 2026-01-01", ("yes", "1.0", "2026-01-01")),
        ("a: >-\n  One\n  two\nb: |\n  x\n  y", ("One two", "x\ny\n")),
        ("a: [x, y]\nb:\n- Bash(git add:*)\n- Read", (["x", "y"], ["Bash(git add:*)", "Read"])),
        ("a: !!python/object/apply:os.system ['true']", (["true"],)),
        ("a:", ("",)),
        # not YAML, but what other agents read
        ("description: Use this: often\nmodel: x", ("Use this: often", "x")),
        ("a: It's: fine", ("It's: fine",)),
        ("a: Use: x\n  and more", ("Use: x and more",)),
        ("argument-hint: [a] [b]", ("[a] [b]",)),
        ("tools: *", ("*",)),
        ("a: &x b\nb: *x", ("b", "*x")),
        ("a: @file: x\ntools: [A, B]", ("@file: x", ["A", "B"])),
        (r"a: Examples:\n<example>\nContext: x", (r"Examples:\n<example>\nContext: x",)),
    ],
)
def test_values(head: str, expected: tuple[Value, ...]) -> None:
    found = fields(head)
    assert isinstance(found, dict)
    assert tuple(found.values()) == expected
    assert all(name == name.lower() for name in found)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("---\nname: a\n", "no second line of ---"),
        ("---\nname: a\n ---\n", "no second line of ---"),
        ("---\n- a\n- b\n---\n", "no fields"),
        ("---\njust words\n---\n", "no fields"),
        ("---\na: b\nc\n---\n", "is not YAML in line"),
        ("---\na: b\nb:\n- &x c\n- *x\n---\n", "is not YAML in line 5 (aliases are refused)"),
        ("---\na: 'b\n---\n", "is not YAML in line"),
        (f"---\na:\n- {'[' * 5_000}{']' * 5_000}\n---\n", "nested too deep"),
        (f"---\na: {'x' * MAX_CHARACTERS}\n---\n", "more than 16,000 characters"),
        ("---\na: \x07\n---\n", "a character that YAML does not allow"),
        ("---\n? [a]\n: b\n---\n", "is not YAML"),
    ],
)
def test_what_cannot_be_read_is_explained(text: str, why: str) -> None:
    found = read_front_matter(text)
    assert isinstance(found, Malformed)
    assert why in found.why


def test_aliases_do_not_explode() -> None:
    """Nine lists that each name the one before nine times."""
    lines = ["a0:\n- &a0 [x]"]
    lines += [f"a{i}:\n- &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 10)]
    assert "aliases are refused" in str(fields("\n".join(lines)))


def test_readings_of_a_field() -> None:
    found = read_front_matter(
        "---\ntools: Read, Grep Glob\nlist: [A, 'B, C', [D]]\noff: No\non: 'true'\n"
        "text: >\n  a\n  b\nmap: {a: b}\n---\n"
    )
    assert isinstance(found, FrontMatter)
    assert found.names("tools") == ("Read", "Grep", "Glob")
    assert found.names("list") == ("A", "B", "C")
    assert found.names("absent") == found.names("map") == ()
    assert found.text("text") == "a b"
    assert found.text("map") == found.text("absent") == ""
    assert not found.flag("off", default=True)
    assert found.flag("on", default=False)
    assert found.flag("absent", default=True)
