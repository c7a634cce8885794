"""Which chunks are worth showing: code, not the heads of files, long comments or tests."""

from __future__ import annotations

from collections.abc import Sequence

from glossator.core.code_lines import code_lines
from glossator.core.file_kinds import CODE, FileKind, asked_kinds, kind_of, language_of
from glossator.retrieval.chunks.cutting import Chunk

_CODE_SHARE = 1 / 3  # of a chunk's lines that is code, in one worth showing
_TEST_MODULES = {("tests",), ("test",)}  # within a file of code, as Rust has them
_SELDOM_WORTH = {FileKind.GENERATED, FileKind.CUSTOMIZATION, FileKind.CHANGELOG}


def is_worth_showing(question: str, path: str, chunk: Chunk, lines: Sequence[str]) -> bool:
    """Whether some `lines` of a chunk are worth showing; `path` is relative.

    Imports, licences and long comments are not, nor are tests and changelogs, unless the question
    names them.
    """
    kind, asked = kind_of(path), asked_kinds(question)
    if chunk.within[:1] in _TEST_MODULES:
        kind = FileKind.TEST
    if kind not in asked and (kind is FileKind.TEST or kind in _SELDOM_WORTH):
        return False
    if language_of(path) not in CODE:
        return True
    return sum(code_lines(path, lines)) >= _CODE_SHARE * sum(bool(line.strip()) for line in lines)
