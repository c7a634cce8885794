"""Measures what the verifier of statements catches, on statements made from repositories.

A statement is refused if it is judged contradicted or unsupported. Source of the intervals:
Wilson, "Probable inference, the law of succession, and statistical inference" (1927).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from glossator.core.errors import UsageError
from glossator.grounding import Judgement, Verdict, check
from glossator_eval.grounding_set import MadeStatement, statements
from glossator_eval.line_sets import read_documents
from glossator_eval.phrasing import HALVES, phrasings
from glossator_eval.report import (
    CitedText,
    GroundingFigures,
    GroundingReport,
    Misjudged,
    Share,
)
from glossator_eval.repositories import ENDINGS, Repository, opened

MOST = 1000  # true statements of a repository
_REFUSED = frozenset({Verdict.CONTRADICTED, Verdict.UNSUPPORTED})
_Z = 1.959964  # of 95 %


@dataclass(frozen=True, slots=True)
class _Judged:
    """A statement of a repository and what came of it."""

    repository: str
    statement: MadeStatement
    judgement: Judgement

    @property
    def is_false(self) -> bool:
        return bool(self.statement.falsification)

    @property
    def is_refused(self) -> bool:
        return self.judgement.verdict in _REFUSED

    @property
    def is_wrong(self) -> bool:
        return self.is_refused != self.is_false


def measure_grounding(
    paths: Sequence[Path],
    *,
    half: str = "all",
    most: int = MOST,
    seed: int = 0,
    show: int = 0,
    told: Callable[[str, int, int], None] = lambda _name, _done, _total: None,
) -> GroundingReport:
    """Judge statements about repositories: folders, or archives of them.

    The report names at most `show` false statements that were not caught, and as many true ones
    that were refused. Raises `UsageError` if there is nothing to make statements about.
    """
    if half not in ("all", *HALVES):
        raise UsageError(f"There are no phrasings {half}; choose {', '.join(HALVES)} or all.")
    said = phrasings(half)
    judged: list[_Judged] = []
    seconds = 0.0
    for number, path in enumerate(paths):
        name = _name(path)
        told(name, number, len(paths))
        with opened(name, Repository(source=str(path)), path.parent) as folder:
            made = statements(read_documents(folder), said, most=most, seed=seed)
        begun = perf_counter()
        judged += [_Judged(name, each, check(each.text, each.cited)) for each in made]
        seconds += perf_counter() - begun
    if not judged:
        raise UsageError(
            "No statement can be made about this; name folders with code in Python, JavaScript,"
            " TypeScript, Go or Rust."
        )
    return GroundingReport(
        phrasings=half,
        seed=seed,
        statements=len(judged),
        files=len({(each.repository, _path(each)) for each in judged}),
        milliseconds=1000 * seconds / len(judged),
        overall=_figures("all", judged),
        kinds=_grouped(judged, lambda each: each.statement.kind),
        falsifications=_grouped(
            [each for each in judged if each.is_false], lambda each: each.statement.falsification
        ),
        languages=_grouped(judged, lambda each: each.statement.language),
        repositories=_grouped(judged, lambda each: each.repository),
        misjudged=tuple(map(_misjudged, _some(judged, show, seed))),
    )


def _name(path: Path) -> str:
    name = path.resolve().name
    return next((name.removesuffix(each) for each in ENDINGS if name.endswith(each)), name)


def _path(judged: _Judged) -> str:
    return judged.statement.cited[0].path


def _grouped(
    judged: Iterable[_Judged], group: Callable[[_Judged], str]
) -> tuple[GroundingFigures, ...]:
    """The figures of each group, by name."""
    groups: dict[str, list[_Judged]] = {}
    for each in judged:
        groups.setdefault(group(each), []).append(each)
    return tuple(_figures(name, groups[name]) for name in sorted(groups))


def _figures(name: str, judged: Iterable[_Judged]) -> GroundingFigures:
    by_truth: tuple[list[_Judged], list[_Judged]] = ([], [])
    for each in judged:
        by_truth[each.is_false].append(each)
    shares = []
    for group in by_truth:
        verdicts = [each.judgement.verdict for each in group]
        refused = sum(verdict in _REFUSED for verdict in verdicts)
        undecided = verdicts.count(Verdict.UNDECIDED)
        shares.append((verdicts.count(Verdict.SUPPORTED), undecided, refused, len(group)))
    (supported, undecided, refused, true), (missed, open_, caught, false) = shares
    return GroundingFigures(
        name,
        share(supported, true),
        share(undecided, true),
        share(refused, true),
        share(caught, false),
        share(open_, false),
        share(missed, false),
    )


def share(count: int, total: int) -> Share:
    """With Wilson's interval, which keeps within 0 and 1 and has a width at both ends."""
    if total == 0:
        return Share(0, 0, 0.0, 0.0, 1.0)
    mean, weight = count / total, _Z * _Z / total
    middle = mean + weight / 2
    spread = _Z * math.sqrt(mean * (1 - mean) / total + weight / (4 * total))
    low, high = ((middle + sign * spread) / (1 + weight) for sign in (-1, 1))
    return Share(count, total, mean, max(0.0, low), min(1.0, high))


def _some(judged: Iterable[_Judged], show: int, seed: int) -> list[_Judged]:
    """Some that were judged wrongly, at random: first true ones, then false ones."""
    wrong = [each for each in judged if each.is_wrong]
    chance = random.Random(seed)  # noqa: S311 - a sample
    chosen: list[_Judged] = []
    for is_false in (False, True):
        alike = [each for each in wrong if each.is_false == is_false]
        chosen += chance.sample(alike, min(show, len(alike)))
    return chosen


def _misjudged(judged: _Judged) -> Misjudged:
    said = judged.statement
    return Misjudged(
        judged.repository,
        said.text,
        said.kind,
        said.falsification,
        judged.judgement.verdict,
        judged.judgement.reason,
        tuple(
            CitedText(each.path, each.first_line, tuple(each.lines), tuple(each.enclosing))
            for each in said.cited
        ),
    )
