"""Chunks cover a document: every line that is not blank, in order, in pieces of a bounded size."""

from __future__ import annotations

import json
import sysconfig
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.core.text import split_lines
from glossator.retrieval.chunks.candidate import MOST_OF_FILE, chunks_of
from glossator.retrieval.chunks.cutting import MAX_BYTES, Chunk, described
from glossator.symbols import Outlines, editor_text

SERVER = Path(__file__).parents[3] / "server" / "glossator"
STDLIB = Path(sysconfig.get_paths()["stdlib"])
FILES = [
    *sorted(SERVER.rglob("*.py"))[::9],
    *sorted((SERVER.parents[1] / "docs").glob("*.md")),
    *(STDLIB / name for name in ("ast.py", "json/decoder.py", "typing.py", "this.py", "abc.py")),
    Path(json.__file__),
]
LONG = 40  # definitions
LINES = (
    "class A:\n    def f(self):\n        return 1\ndef g(): pass\n@d\n\nx = 1\n# note\nif x:\n"
    "    def h():\n'''\nasync def k():\ndef a(): pass; b = 1\n(\n# Heading\nfun big()\n=======\n"
    f"{'é' * 700}\n{'word ' * 100}\n{'z' * 4000}"
).split("\n")
SOURCES = st.lists(st.sampled_from(LINES), max_size=60)


def cut(name: str, text: str) -> tuple[Chunk, ...]:
    return chunks_of(editor_text(f"/{name}", text), split_lines(text), Outlines(None))


def check(name: str, text: str) -> None:
    lines = split_lines(text)
    covered: set[int] = set()
    last = 0
    for chunk in cut(name, text):
        assert 1 <= chunk.first_line <= chunk.last_line <= len(lines)
        inside = lines[chunk.first_line - 1 : chunk.last_line]
        assert inside[0].strip()
        assert inside[-1].strip()
        size = sum(len(line.encode("utf-8", "replace")) + 1 for line in inside)
        assert size <= MAX_BYTES or len(inside) == 1
        assert chunk.first_line > last - 2  # an overlap is short
        assert chunk.last_line > last
        last = chunk.last_line
        assert len(chunk.defines) == len(chunk.kinds)
        covered.update(range(chunk.first_line, chunk.last_line + 1))
    assert {number for number, line in enumerate(lines, 1) if line.strip()} <= covered


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_real_files(path: Path) -> None:
    check(path.name, path.read_bytes().decode())


@given(
    SOURCES,
    st.sampled_from(["a.py", "a.md", "a.ts", "a.txt", "a.rst", "a.kt"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_odd_files(lines: list[str], name: str, end: str) -> None:
    check(name, end.join(lines))


def test_a_small_file_is_one_chunk() -> None:
    text = "import x\n\nclass A:\n    def f(self, n):\n        return n\n\nlast = 1\n"
    (only,) = cut("a.py", text)
    assert (only.first_line, only.last_line, only.within) == (1, 7, ())
    assert only.defines[:2] == ("A", "f")


def test_pieces_of_a_big_class_know_it() -> None:
    body = "".join(
        f"    def method_{n}(self):\n        return {'1 + ' * 20}{n}\n\n" for n in range(LONG)
    )
    chunks = cut("a.py", f"import x\n\nclass Big:\n{body}")
    assert len(chunks) > 1
    assert all(chunk.within[:1] == ("Big",) for chunk in chunks[1:])
    defined = [name for chunk in chunks for name in chunk.defines if name.startswith("method_")]
    assert defined == [f"method_{n}" for n in range(LONG)]


def test_a_long_function_is_split_where_it_is_least_indented() -> None:
    body = "".join(
        f"    if number_{n}:\n        {'call()' * 10}\n        {'done()' * 10}\n" for n in range(60)
    )
    chunks = cut("a.py", f"def long():\n{body}")
    assert len(chunks) > 1
    lines = split_lines(f"def long():\n{body}")
    for chunk in chunks:
        assert chunk.within == ("long",)
    for one, other in pairwise(chunks):
        begins = lines[one.last_line]  # the line after the overlap
        assert begins.startswith("    if number_")
        assert other.first_line <= one.last_line + 1


def test_the_rest_of_a_definition_joins_the_piece_before() -> None:
    body = "".join(f"    step_{n}({'argument, ' * 6})\n" for n in range(41))
    chunks = cut("a.py", f"def long():\n{body}    end()\n")
    lines = split_lines(body)
    smallest = min(
        sum(len(line) + 1 for line in lines[chunk.first_line - 1 : chunk.last_line])
        for chunk in chunks
    )
    assert smallest > 100


def test_the_rest_of_a_definition_keeps_its_name_before_what_follows() -> None:
    body = "".join(f"    step_{n}({'argument, ' * 6})\n" for n in range(41))
    *_, rest, after = cut("a.py", f"def long():\n{body}\n\nPairs = tuple[int, int]\n")
    assert (rest.within, rest.defines) == (("long",), ())
    assert (after.within, after.defines) == (("Pairs",), ("Pairs",))


def test_given_lines_know_what_they_define() -> None:
    text = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
    symbols = Outlines(None).of(editor_text("/a.py", text))
    chunk = described(5, 6, symbols)
    assert (chunk.within, chunk.defines) == (("A",), ("g",))


@pytest.mark.parametrize("count", [985, 10_000])
@pytest.mark.parametrize("name", ["min.js", "min.php"])
def test_thousands_of_definitions_on_one_line_are_one_chunk(name: str, count: int) -> None:
    opening = "<?php " if name.endswith("php") else ""
    text = opening + "".join(f"function f{n}(a){{return a+{n}}}" for n in range(count))
    (only,) = cut(name, f"{text}\n")
    assert (only.first_line, only.last_line, only.within) == (1, 1, ())
    assert only.defines[:2] == ("f0", "f1")


@pytest.mark.parametrize("name", ["deep.js", "deep.kt", "deep.zig"])
def test_definitions_in_definitions_are_cut_however_deep(name: str) -> None:
    depth = 2_000
    check(
        name,
        "".join(f"{' ' * (n // 50)}function f{n}() {{\n" for n in range(depth)) + "}\n" * depth,
    )


def test_a_file_of_data_is_cut_no_further_than_it_is_indexed() -> None:
    assert len(cut("data.txt", "some words in a line\n" * 200_000)) == MOST_OF_FILE
    (only,) = cut("blank.txt", "\n" * 100_000 + "word\n")
    assert (only.first_line, only.last_line) == (100_001, 100_001)
