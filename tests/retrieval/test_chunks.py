"""Chunks cover a document: every line that is not blank once, in order."""

from __future__ import annotations

import json
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.core.document import Document, Origin, text_hash
from glossator.core.languages import language_of
from glossator.core.uri import to_uri
from glossator.retrieval.chunks import MAX_LINES, Chunk, chunks
from glossator.symbols.outline import outline

SERVER = Path(__file__).parents[2] / "server" / "glossator"
STDLIB = Path(sysconfig.get_paths()["stdlib"])
FILES = [
    *sorted(SERVER.rglob("*.py"))[::5],
    *sorted((SERVER.parents[1] / "prompts").rglob("*.md")),
    *(STDLIB / name for name in ("ast.py", "json/decoder.py", "typing.py", "this.py", "abc.py")),
    Path(json.__file__),
]

LINES = """class A:
    def f(self):
        return 1
def g(): pass
@d

x = 1
# note
if x:
    def h():
'''
async def k():
def a(): pass; b = 1
("""
SOURCES = st.lists(st.sampled_from(LINES.split("\n")), max_size=30)


def cut(document: Document) -> list[Chunk]:
    language = language_of(document.path, document.text)
    return list(chunks(document, outline(document.text, language) if language else ()))


def check(name: str, text: str) -> None:
    document = Document(to_uri(f"/{name}"), f"/{name}", text, text_hash(text), None, Origin.DISK)
    check_cover(document, cut(document))
    check_cover(document, list(chunks(document, ())))


def check_cover(document: Document, cut: list[Chunk]) -> None:
    covered: list[int] = []
    for chunk in cut:
        assert 1 <= chunk.first_line <= chunk.last_line < chunk.first_line + MAX_LINES
        assert chunk.text.strip()
        assert chunk.text.split("\n") == document.lines[chunk.first_line - 1 : chunk.last_line]
        covered += range(chunk.first_line, chunk.last_line + 1)
    assert covered == sorted(set(covered))
    filled = {number for number, line in enumerate(document.lines, start=1) if line.strip()}
    assert filled <= set(covered) <= set(range(1, len(document.lines) + 1))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_real_files(path: Path) -> None:
    check(path.name, path.read_bytes().decode())


@given(
    SOURCES,
    st.sampled_from(["a.py", "a.md", "a.ts", "a.txt"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_odd_files(lines: list[str], name: str, end: str) -> None:
    check(name, end.join(lines))


def test_chunks_know_what_encloses_them() -> None:
    text = "import x\n\nclass A:\n    def f(self, n):\n        return n\n\nlast = 1\n"
    document = Document("file:///a.py", "/a.py", text, text_hash(text), None, Origin.DISK)
    contexts = {chunk.text.strip(): (chunk.context, chunk.name) for chunk in cut(document)}
    assert contexts["def f(self, n):\n        return n"] == ("A > def f(self, n)", "f")
    assert contexts["class A:"] == ("class A", "A")
    assert contexts["import x"] == ("", "")
