"""Makes a labelled set from a repository: the question is a doc comment, the answer its definition.

The comment is blanked in what is indexed (`remove`), so that only names and code can answer. Of
two comments that say nearly the same neither is a question, since the other one's definition would
be an answer, too. Source of the idea: Husain et al., "CodeSearchNet Challenge" (2019).
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from glossator.core.document import text_hash
from glossator.core.errors import UsageError
from glossator.core.file_kinds import FileKind, kind_of, language_of
from glossator.core.terms import query_terms
from glossator.symbols import Documented, DocumentedIn
from glossator.worker import Worker
from glossator_eval.labelled import SourceText
from glossator_eval.line_sets import (
    ANNOTATIONS,
    Annotation,
    LineSpan,
    Removal,
    read_documents,
)
from glossator_eval.report import Generated
from glossator_eval.repositories import TABLE

QUESTIONS = 400
_CATEGORY = "doc comment"
_FEWEST_WORDS = 8
_MOST_WORDS = 60  # of a question; a longer paragraph is cut after a sentence
_FEWEST_NEW_TERMS = 4  # that the definition's own name does not say
_ALIKE = 0.5  # share of the runs of three words that two comments have in common
_RUN = 3
_KINDS = frozenset(
    "class enum function impl interface macro method module object struct trait type".split()
)
_NO_QUESTION = re.compile(
    r"""
    copyright | licen[cs]e | spdx | deprecated | todo | fixme | \bxxx\b | @?inheritdoc
    | ^see\b | ^test(s|ing)?\b | ^internal\b | >>> | ^[\w.]+\( | -> | https?://
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class _Candidate:
    document: SourceText
    found: Documented
    question: str


def generate(
    folder: Path,
    output: Path,
    *,
    questions: int = QUESTIONS,
    seed: int = 0,
    exclude: Sequence[str] = (),
) -> Generated:
    """Write a set of files and lines about `folder` into the new folder `output`.

    `exclude` are patterns in .gitignore syntax; what they name is not indexed either. The same
    sources and `seed` give the same set. Raises `UsageError` if there is nothing to ask about.
    """
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UsageError(f"{output} exists already; name a new folder for the set.")
    documents = read_documents(folder, exclude)
    candidates = _distinct(_candidates(documents))
    chosen = _balanced(candidates, questions, random.Random(seed))  # noqa: S311 - a sample
    if not chosen:
        raise UsageError(
            f"No definition below {folder} has a doc comment of {_FEWEST_WORDS} words or more that"
            " could be a question; choose a folder of documented code."
        )
    name = folder.resolve().name
    output.mkdir(parents=True, exist_ok=True)
    lines = (_annotation(name, each).model_dump_json(exclude_none=True) for each in chosen)
    (output / ANNOTATIONS).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    table = {name: {"source": str(folder.resolve()), "exclude": list(exclude)}}
    (output / TABLE).write_text(json.dumps(table, indent=2) + "\n", "utf-8")
    files = len({each.document.path for each in chosen})
    return Generated(str(output), len(chosen), files, len(candidates))


def _candidates(documents: Sequence[SourceText]) -> Iterator[_Candidate]:
    """What may be asked about code that is neither test, example nor generated."""
    code = [each for each in documents if kind_of(each.path) == FileKind.CODE]
    for document, found in zip(code, asyncio.run(_documented(code)), strict=True):
        for each in found:
            question = _question(each)
            if question and each.symbol.kind in _KINDS and not each.bare:
                yield _Candidate(document, each, question)


async def _documented(documents: Sequence[SourceText]) -> tuple[tuple[Documented, ...], ...]:
    worker = Worker()
    try:
        return await worker.run(DocumentedIn(tuple((each.path, each.text) for each in documents)))
    finally:
        await worker.close()


def _question(found: Documented) -> str:
    """The first paragraph, or whole sentences of it; "" if that is no question worth asking."""
    kept: list[str] = []
    for sentence in _SENTENCE_END.split(found.symbol.documentation):
        if kept and len(_words([*kept, sentence])) > _MOST_WORDS:
            break
        kept.append(sentence)
    text = " ".join(kept)
    if not _FEWEST_WORDS <= len(_words(kept)) <= _MOST_WORDS or _NO_QUESTION.search(text):
        return ""
    names = set(query_terms(" ".join((*found.symbol.container, found.symbol.name))))
    return text if len(set(query_terms(text)) - names) >= _FEWEST_NEW_TERMS else ""


def _words(sentences: Iterable[str]) -> list[str]:
    return _WORD.findall(" ".join(sentences))


def _distinct(candidates: Iterable[_Candidate]) -> list[_Candidate]:
    """Those that no other one resembles."""
    every = list(candidates)
    runs = [_runs(each.question) for each in every]
    holding: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, of_one in enumerate(runs):
        for run in of_one:
            holding[run].append(number)
    distinct = []
    for number, each in enumerate(every):
        shared = Counter(chain.from_iterable(holding[run] for run in runs[number]))
        del shared[number]
        if not any(
            common >= _ALIKE * min(len(runs[number]), len(runs[other]))
            for other, common in shared.items()
        ):
            distinct.append(each)
    return distinct


def _runs(text: str) -> set[tuple[str, ...]]:
    words = [word.casefold() for word in _WORD.findall(text)]
    return {tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)}


def _balanced(
    candidates: Sequence[_Candidate], wanted: int, chance: random.Random
) -> list[_Candidate]:
    """So many of them, as evenly from all files as possible, in the order of files and lines."""
    by_file: defaultdict[str, list[_Candidate]] = defaultdict(list)
    for each in candidates:
        by_file[each.document.path].append(each)
    files = list(by_file.values())
    for of_file in files:
        chance.shuffle(of_file)
    chance.shuffle(files)
    rounds = max(map(len, files), default=0)
    in_turn = (of_file[at] for at in range(rounds) for of_file in files if at < len(of_file))
    chosen = [each for each, _ in zip(in_turn, range(wanted), strict=False)]
    return sorted(chosen, key=lambda each: (each.document.path, each.found.symbol.first_line))


def _annotation(name: str, each: _Candidate) -> Annotation:
    path, (first, last) = each.document.path, each.found.head
    sha256 = text_hash(each.document.text)
    return Annotation(
        repo=name,
        query=each.question,
        category=_CATEGORY,
        language=language_of(path, each.document.text),
        relevant=(LineSpan(path=path, start_line=first, end_line=last),),
        remove=tuple(
            Removal(path=path, start_line=start, end_line=end, sha256=sha256)
            for start, end in each.found.comment
        ),
    )
