"""Markdown is cut into finished blocks, however it arrives."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from glossator.cli.render.markdown import BlockSplitter

ANSWER = """# Title
A paragraph that
goes on.

- one
- two

  still two

```py
a = 1

b = 2
```
| a | b |
|---|---|
| 1 | 2 |

> quoted

1. first

2. second

The end, with a form\x0cfeed"""

EXPECTED = [
    "# Title",
    "A paragraph that\ngoes on.",
    "- one\n- two\n\n  still two",
    "```py\na = 1\n\nb = 2\n```",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "> quoted",
    "1. first\n\n2. second",
    "The end, with a form\x0cfeed",
]


@given(st.lists(st.integers(0, len(ANSWER)), max_size=30))
def test_the_pieces_do_not_matter(cuts: list[int]) -> None:
    blocks = BlockSplitter()
    edges = [0, *sorted(cuts), len(ANSWER)]
    found = []
    for start, end in itertools.pairwise(edges):
        found += blocks.feed(ANSWER[start:end])
    found += blocks.flush()
    assert [block.text for block in found] == EXPECTED
    assert [block.code for block in found].index(True) == 3


@pytest.mark.parametrize(
    ("text", "finished"),
    [
        ("A paragraph", []),
        ("A paragraph\n", []),
        ("A paragraph\n\n", ["A paragraph"]),
        ("# Heading\nText", []),
        ("# Heading\nText\n", ["# Heading"]),
        ("- a\n\n", []),
        ("- a\n\nText\n", ["- a"]),
        ("```\ncode\n\n", []),
        ("```\ncode\n```\n\n", ["```\ncode\n```"]),
        ("", []),
        ("\n\n", []),
    ],
)
def test_only_what_cannot_change_is_finished(text: str, finished: list[str]) -> None:
    assert [block.text for block in BlockSplitter().feed(text)] == finished


def test_a_long_block_is_not_parsed_again_for_each_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of 3,000 items took a minute."""
    read = 0
    parse = MarkdownIt.parse

    def counted(parser: MarkdownIt, text: str) -> list[Token]:
        nonlocal read
        read += len(text)
        return parse(parser, text)

    monkeypatch.setattr(MarkdownIt, "parse", counted)
    items = "- an item\n" * 2_000
    blocks = BlockSplitter()
    found = [block for at in range(0, len(items), 50) for block in blocks.feed(items[at : at + 50])]
    found += blocks.feed("\nThe end.\n") + blocks.flush()
    assert [block.text for block in found] == [items.rstrip("\n"), "The end."]
    assert read < 30 * len(items)
