"""Statements, by which extracts are cut."""

from __future__ import annotations

import pytest

from glossator.core.span import Statement
from glossator.symbols.jobs import statements

PYTHON = '''import os


class Lamp:
    """Shines."""

    # how bright
    watts = 5

    def shine(
        self,
    ):
        """Now."""
        for at in range(3):
            print(
                at,
            )
        return [
            1,
        ]
'''
GO = """package a

// Light is on.
type Light struct {
	Watts int
}

func (l *Light) On() {
	if l.Watts > 0 {
		shine(
			l)
	}
}
"""


def lines(found: tuple[Statement, ...], depth: int = 0) -> list[str]:
    """Each with its lines, and the end of its head if it has a body."""
    told = []
    for each in found:
        head = f" head {each.head_line}" if each.inner else ""
        told.append(f"{'  ' * depth}{each.first_line}-{each.last_line}{head}")
        told += lines(each.inner, depth + 1)
    return told


def test_python() -> None:
    assert lines(statements(PYTHON, "python", 1, 99)) == [
        "1-1",
        "4-20 head 5",
        "  5-5",
        "  7-8",
        "  10-20 head 13",
        "    13-13",
        "    14-17 head 14",
        "      15-17",
        "    18-20",
    ]


def test_go() -> None:
    assert lines(statements(GO, "go", 1, 99)) == [
        "1-1",
        "3-6 head 4",
        "  5-5",
        "8-13 head 8",
        "  9-12 head 9",
        "    10-11",
    ]


def test_only_what_touches_the_lines_is_read() -> None:
    found = lines(statements(PYTHON, "python", 15, 15))
    assert found == ["4-20 head 5", "  10-20 head 13", "    14-17 head 14", "      15-17"]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "ruby",
            "module A\n  def b\n    c\n  end\nend\n",
            ["1-5 head 1", "  2-4 head 2", "    3-3"],
        ),
        ("json", '{\n "a": [\n  1,\n  2\n ]\n}\n', ["2-5 head 2", "  3-3", "  4-4"]),
        ("javascript", "f({\n  a: 1,\n  b: 2,\n});\n", ["1-4"]),
        ("markdown", "# A\n\nOne\ntwo.\n\n```c\nx\n\ny\n```\n", ["1-1", "3-4", "6-10"]),
    ],
)
def test_what_stays_whole(language: str, text: str, expected: list[str]) -> None:
    assert lines(statements(text, language, 1, 99)) == expected


def test_deep_nesting_ends() -> None:
    deep = "if (x) {\n" * 5_000 + "}\n" * 5_000
    assert statements(deep, "javascript", 4_000, 4_010)
