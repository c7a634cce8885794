"""Labelled sets of chunks, in the format of Anthropic's contextual-retrieval cookbook.

`codebase_chunks.json` is a list of documents with `original_uuid`, `content` and `chunks` (each
`original_index` and `content`; one after the other they are the document). Each line of
`evaluation_set.jsonl` has `query`, `golden_chunk_uuids` (pairs of a document and an index) and
`golden_documents`, whose `meta` tells the path and the repository of a document.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from glossator.core.errors import UsageError
from glossator.core.text import LineTable
from glossator_eval.json_lines import read_lines, why_invalid
from glossator_eval.labelled import (
    Collection,
    GoldenChunk,
    LabelledSet,
    LineRange,
    Question,
    SourceText,
)

CHUNKS = "codebase_chunks.json"
QUESTIONS = "evaluation_set.jsonl"
_CATEGORY = "semantic"


class _Chunk(BaseModel):
    original_index: int
    content: str


class _Document(BaseModel):
    original_uuid: str
    content: str
    chunks: tuple[_Chunk, ...]


class _Meta(BaseModel):
    relative_path: str
    repo_name: str = ""


class _GoldenDocument(BaseModel):
    uuid: str
    meta: _Meta


class _Question(BaseModel):
    query: str
    golden_chunk_uuids: tuple[tuple[str, int], ...]
    golden_documents: tuple[_GoldenDocument, ...] = ()


_DOCUMENTS = TypeAdapter(list[_Document])

Place = tuple[str, int, int]  # path, first and last line


@dataclass(slots=True)
class _Cut:
    """The documents with the lines of their chunks, and where each content stands."""

    documents: list[SourceText] = field(default_factory=list)
    contents: dict[tuple[str, int], str] = field(default_factory=dict)  # by document and index
    places: defaultdict[str, set[Place]] = field(default_factory=lambda: defaultdict(set))


def read_chunk_set(folder: Path) -> LabelledSet:
    """The set in `folder`: one collection. Raises `UsageError` with the file and the line."""
    asked = list(read_lines(folder / QUESTIONS, _Question))
    known = {each.uuid: each.meta for _, question in asked for each in question.golden_documents}
    cut = _cut(folder / CHUNKS, known)
    questions = []
    for line, question in asked:
        where = f"{folder / QUESTIONS}:{line}"
        if not question.golden_chunk_uuids:
            raise UsageError(
                f"{where}: the question has no golden chunk; name one or leave it out."
            )
        golden = dict.fromkeys(_content(cut, key, where) for key in question.golden_chunk_uuids)
        meta = known.get(question.golden_chunk_uuids[0][0])
        questions.append(
            Question(
                text=question.query,
                repository=(meta.repo_name if meta else "") or folder.name,
                category=_CATEGORY,
                targets=tuple(GoldenChunk(frozenset(cut.places[content])) for content in golden),
                line=line,
            )
        )
    collection = Collection(folder.name, tuple(cut.documents), tuple(questions))
    return LabelledSet(folder.name, len(questions), iter((collection,)))


def _content(cut: _Cut, key: tuple[str, int], where: str) -> str:
    if key not in cut.contents:
        raise UsageError(
            f"{where}: {CHUNKS} has no chunk {key[1]} of the document {key[0]}; the two files do"
            " not belong together."
        )
    return cut.contents[key]


def _cut(file: Path, known: Mapping[str, _Meta]) -> _Cut:
    try:
        documents = _DOCUMENTS.validate_json(file.read_bytes())
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror}); check the name.") from error
    except ValidationError as error:
        raise UsageError(f"{file}: {why_invalid(error)}") from error
    cut = _Cut()
    for number, document in enumerate(documents):
        if "".join(chunk.content for chunk in document.chunks) != document.content:
            raise UsageError(
                f"{file}: the chunks of document {number} ({document.original_uuid}) are not its"
                " content, one after the other; cut it again."
            )
        meta = known.get(document.original_uuid)
        path = (
            f"{meta.repo_name}/{meta.relative_path.lstrip('/')}".lstrip("/")
            if meta
            else document.original_uuid
        )
        ranges = tuple(_ranges(document))
        cut.documents.append(SourceText(path, document.content, ranges))
        for chunk, lines in zip(document.chunks, ranges, strict=True):
            content = chunk.content.strip()
            cut.contents[document.original_uuid, chunk.original_index] = content
            cut.places[content].add((path, *lines))
    return cut


def _ranges(document: _Document) -> Iterator[LineRange]:
    """The lines of each chunk; one that begins inside a line has that line whole."""
    starts = LineTable(document.content).starts
    ends = list(accumulate(len(chunk.content) for chunk in document.chunks))
    for start, end in zip([0, *ends], ends, strict=False):
        yield bisect_right(starts, start), bisect_right(starts, max(start, end - 1))
