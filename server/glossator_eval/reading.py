"""Which format a labelled set has."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from glossator.core.errors import UsageError
from glossator_eval.chunk_sets import CHUNKS, QUESTIONS, read_chunk_set
from glossator_eval.labelled import LabelledSet
from glossator_eval.line_sets import ANNOTATIONS, read_line_set
from glossator_eval.repositories import TABLE, read_repositories, with_roots


def read_set(
    place: Path,
    *,
    repositories: Path | None = None,
    roots: Sequence[str] = (),
    limit: int | None = None,
) -> LabelledSet:
    """The set in a folder, or of an annotations file; with a `limit` a sample of its questions.

    `repositories` is a table of sources (see `repositories.py`), `roots` are `NAME=PATH`. Raises
    `UsageError` for a set that cannot be read.
    """
    if (place / CHUNKS).exists() and (place / QUESTIONS).exists():
        if roots or repositories:
            raise UsageError(f"{place} holds its documents; it takes no roots of repositories.")
        return _sampled(read_chunk_set(place), limit)
    file = place / ANNOTATIONS if place.is_dir() else place
    if not file.exists():
        raise UsageError(
            f"{place} is no labelled set: it holds neither {ANNOTATIONS} nor {CHUNKS} with"
            f" {QUESTIONS}. Make one with `glossator eval retrieval --generate FOLDER -o SET`."
        )
    table = repositories or file.parent / TABLE
    known = read_repositories(table) if repositories or table.exists() else {}
    return read_line_set(file, with_roots(known, roots), limit)


def _sampled(labelled: LabelledSet, limit: int | None) -> LabelledSet:
    if limit is None or limit >= labelled.questions:
        return labelled
    (collection,) = labelled.collections
    chosen = sorted(random.Random(0).sample(range(labelled.questions), limit))  # noqa: S311 - a sample
    questions = tuple(collection.questions[at] for at in chosen)
    return LabelledSet(
        labelled.name, len(questions), iter((replace(collection, questions=questions),))
    )
