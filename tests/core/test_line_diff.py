"""Differences between texts: they rebuild the new text, and read as git's."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.core.line_diff import (
    changed_blocks,
    common_prefix,
    common_suffix,
    lines_with_ends,
    unified_diff,
)

LINES = st.lists(st.sampled_from("a b c d }".split()), max_size=30)
TEXT = st.text(alphabet="ab\n\r\u2028", max_size=20)


def check(old: list[str], new: list[str]) -> None:
    rebuilt: list[str] = []
    at = new_at = 0
    for block in changed_blocks(old, new):
        equal = old[at : block.old_start]
        assert equal == new[new_at : block.new_start]
        assert equal or not rebuilt or at == 0
        rebuilt += equal + new[block.new_start : block.new_end]
        at, new_at = block.old_end, block.new_end
    assert rebuilt + old[at:] == new


@given(LINES, LINES)
def test_blocks_rebuild_the_new_lines(old: list[str], new: list[str]) -> None:
    check(old, new)


@pytest.mark.parametrize(
    "alphabet", [["x"], ["x", "y"], [str(number) for number in range(20_000)]], ids=len
)
def test_long_texts(alphabet: list[str]) -> None:
    chance = random.Random(7)
    old = [chance.choice(alphabet) for _ in range(20_000)]
    new = [line for line in old if chance.random() < 0.9]
    check(old, [*new, *reversed(new)])


def test_few_changes_of_a_long_text_are_found_exactly() -> None:
    old = [f"line {number}" for number in range(40_000)]
    new = [*old[:10], "new", *old[10:20_000], "other", *old[20_001:]]
    assert [tuple(block) for block in changed_blocks(old, new)] == [
        (10, 10, 10, 11),
        (20_000, 20_001, 20_001, 20_002),
    ]


@given(TEXT)
def test_lines_are_the_text(text: str) -> None:
    assert "".join(lines_with_ends(text)) == text


@given(TEXT, TEXT)
def test_what_is_alike_at_the_ends(one: str, other: str) -> None:
    prefix = common_prefix(one, other)
    assert one[:prefix] == other[:prefix]
    assert one[prefix : prefix + 1] != other[prefix : prefix + 1] or one == other
    suffix = common_suffix(one, other, min(len(one), len(other)) - prefix)
    assert suffix == 0 or one[-suffix:] == other[-suffix:]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", "a\n"),
        ("a\n", ""),
        ("a", "a\n"),
        ("a\nb", "a\nc"),
        ("a\r\nb\r\n", "a\r\nc\r\n"),
        ("".join(f"{n}\n" for n in range(30)), "".join(f"{n}\n" for n in range(30) if n % 13)),
        ("".join(f"{n}\n" for n in range(9)), "0\n1\n2\nx\n3\n4\n5\n6\n7\ny\n8\n"),
    ],
    ids=range(7),
)
def test_git_applies_the_diff(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "f"
    path.write_bytes(old.encode())
    diff = unified_diff(old, new, "a/f", "b/f")
    command = ["git", "apply", "--whitespace=nowarn", "-"]
    subprocess.run(command, input=diff.encode(), cwd=tmp_path, check=True)
    assert path.read_bytes() == new.encode()


def test_no_difference() -> None:
    assert unified_diff("a\n", "a\n", "a/f", "b/f") == ""
