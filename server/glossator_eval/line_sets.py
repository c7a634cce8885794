"""Labelled sets of files and lines: `annotations.jsonl`, a question a line.

Each has `repo`, `query`, perhaps a `category`, and `relevant` and `secondary` targets: a path, or
an object with `path`, `start_line` and `end_line`. That is the format of the benchmark of
MinishLab's semble. Sets that Glossator generates add `remove`: lines of a file that must not be
indexed, since the question was taken from them, with the `sha256` of the file's text. They are
blanked in all that is indexed, whichever questions are asked, so line numbers stay.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection as AbstractCollection
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, model_validator

from glossator.core.document import Missing, text_hash
from glossator.core.errors import UsageError
from glossator.core.text import LineTable
from glossator.settings import WorkspaceSettings
from glossator.workspace import Roots, list_once, load
from glossator_eval.json_lines import read_lines
from glossator_eval.labelled import (
    SYMBOL,
    Collection,
    GoldenLines,
    LabelledSet,
    LineRange,
    Question,
    SourceText,
)
from glossator_eval.repositories import Repository, opened

ANNOTATIONS = "annotations.jsonl"
_PROSE = "semantic"  # the category of a question of several words that names none
_SHOWN = 3  # paths in a message


class LineSpan(BaseModel):
    """Lines of a file, 1-based and inclusive; without them the whole file."""

    path: str
    start_line: int | None = Field(None, ge=1)
    end_line: int | None = Field(None, ge=1)

    @model_validator(mode="after")
    def _both_in_order(self) -> LineSpan:
        if (self.start_line is None) != (self.end_line is None):
            raise ValueError("start_line and end_line come together")
        if self.start_line and self.end_line and self.end_line < self.start_line:
            raise ValueError("end_line comes before start_line")
        return self


class Removal(BaseModel):
    """Lines that are blanked in a file of the collection whose text has this hash."""

    path: str
    start_line: int = Field(ge=1)
    end_line: int = Field(ge=1)
    sha256: str


class Annotation(BaseModel):
    """A line of the file."""

    model_config = ConfigDict(extra="ignore")

    repo: str
    query: str = Field(min_length=1)
    relevant: tuple[LineSpan | str, ...] = Field(min_length=1)
    secondary: tuple[LineSpan | str, ...] = ()
    category: str | None = None
    language: str | None = None
    remove: tuple[Removal, ...] = ()


def read_line_set(
    file: Path, repositories: Mapping[str, Repository], limit: int | None = None, seed: int = 0
) -> LabelledSet:
    """The set of an annotations file: a collection for each repository.

    With a `limit` so many of the questions, drawn by `seed`. Raises `UsageError`, with the line of
    the file where one is wrong; for sources, when their collection is read.
    """
    annotated = list(read_lines(file, Annotation))
    chosen = {line for line, _ in annotated}
    if limit is not None and limit < len(chosen):
        chosen = set(random.Random(seed).sample(sorted(chosen), limit))  # noqa: S311 - a sample
    by_repository: defaultdict[str, list[tuple[int, Annotation]]] = defaultdict(list)
    for line, each in annotated:
        by_repository[each.repo].append((line, each))
    name = file.resolve().parent.name if file.name == ANNOTATIONS else file.stem

    def collections() -> Iterator[Collection]:
        for repository, every in by_repository.items():
            if any(line in chosen for line, _ in every):
                where = repositories.get(repository, Repository())
                yield _collection(file, repository, where, every, chosen)

    return LabelledSet(name, len(chosen), collections())


def _collection(
    file: Path,
    name: str,
    repository: Repository,
    annotated: Sequence[tuple[int, Annotation]],
    chosen: AbstractCollection[int],
) -> Collection:
    with opened(name, repository, file.resolve().parent) as folder:
        documents = read_documents(folder, repository.exclude)
    removals = [(line, removal) for line, each in annotated for removal in each.remove]
    documents = _without(documents, removals, file)
    questions = []
    for line, each in annotated:
        if line in chosen:
            question = _question(line, each)
            _must_be_there(question, each, documents, f"{file}:{line}")
            questions.append(question)
    return Collection(name, documents, tuple(questions))


def read_documents(folder: Path, exclude: Iterable[str] = ()) -> tuple[SourceText, ...]:
    """The texts that a workspace at `folder` would list, less those that `exclude` names.

    Raises `UsageError` if there is none.
    """
    settings = WorkspaceSettings(exclude=tuple(exclude))
    roots = Roots.of([str(folder)])
    documents = []
    for entry in list_once(str(folder), settings):
        loaded = load(roots, entry.path, settings.max_file_bytes)
        if not isinstance(loaded, Missing):
            documents.append(SourceText(entry.relative, loaded.text))
    if not documents:
        raise UsageError(f"There is no text to index below {folder}; check the folder.")
    return tuple(documents)


def _question(line: int, each: Annotation) -> Question:
    category = each.category or (_PROSE if " " in each.query.strip() else SYMBOL)
    relevant, secondary = (tuple(map(_target, spans)) for spans in (each.relevant, each.secondary))
    return Question(each.query, each.repo, category, relevant, secondary, line)


def _target(span: LineSpan | str) -> GoldenLines:
    if isinstance(span, str):
        return GoldenLines(span)
    return GoldenLines(span.path, span.start_line, span.end_line)


def _must_be_there(
    question: Question, each: Annotation, documents: Sequence[SourceText], where: str
) -> None:
    """Raises `UsageError` if no document can hold the answer: then the folder is a wrong one."""
    found = (
        target.found_in(document.path, target.first_line or 1, target.last_line or 1)
        for document in documents
        for target in question.targets
        if isinstance(target, GoldenLines)
    )
    if not any(found):
        paths = [span if isinstance(span, str) else span.path for span in each.relevant]
        known = ", ".join(document.path for document in documents[:_SHOWN])
        raise UsageError(
            f"{where}: no file of {each.repo} is {' or '.join(paths[:_SHOWN])}; the first ones are"
            f" {known}. Name the folder that is searched with --root {each.repo}=PATH."
        )


def _without(
    documents: tuple[SourceText, ...], removals: Iterable[tuple[int, Removal]], file: Path
) -> tuple[SourceText, ...]:
    """The documents with the lines blanked that questions were taken from."""
    texts = {document.path: document.text for document in documents}
    ranges: defaultdict[str, list[LineRange]] = defaultdict(list)
    for line, removal in removals:
        if removal.path not in texts:
            raise UsageError(
                f"{file}:{line}: {removal.path} is not there any more; generate the set again."
            )
        if text_hash(texts[removal.path]) != removal.sha256:
            raise UsageError(
                f"{file}:{line}: {removal.path} has changed since the set was made, so its lines"
                " are others; generate the set again."
            )
        ranges[removal.path].append((removal.start_line, removal.end_line))
    return tuple(
        SourceText(each.path, blanked(each.text, ranges[each.path]))
        if each.path in ranges
        else each
        for each in documents
    )


def blanked(text: str, ranges: Iterable[LineRange]) -> str:
    """The text with nothing but their ends left of these lines."""
    starts = [*LineTable(text).starts, len(text)]
    lines = [text[start:end] for start, end in pairwise(starts)]
    for first, last in ranges:
        for at in range(first - 1, min(last, len(lines))):
            lines[at] = lines[at][len(lines[at].rstrip("\r\n")) :]
    return "".join(lines)
