"""What kind of file a path names, and how much that says for its lines as an answer.

A question about code is answered by the code first: tests, examples, changelogs and generated files
repeat its words more often than they explain it. A question that names such a kind wants it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Kind:
    """Paths of one kind (relative, `/` between folders), and how much their lines count, 0 to 1."""

    path: re.Pattern[str]
    asked: re.Pattern[str]  # a question that names the kind
    weight: float


def _kind(path: str, asked: str, weight: float) -> _Kind:
    return _Kind(re.compile(path, re.VERBOSE), re.compile(asked, re.IGNORECASE), weight)


_TESTS = _kind(
    r"""
    (^|/) (?i: tests? | specs? | __tests__ | e2e | testdata | fixtures | mocks? ) /
    | (^|[/_.-]) (?i: tests? | specs? | conftest ) ([_.-][^/]*)? $  # test_a.py, a.spec.ts
    | [a-z0-9] (Tests? | Specs?) \. [^/]* $  # ParserTest.java
    """,
    r"\b(tests?|tested|testing|specs?|fixtures?|mocks?)\b",
    0.3,
)
_KINDS = (
    _TESTS,
    _kind(
        r"(^|/) (?i: examples? | samples? | demos? | benchmarks? | bench ) /",
        r"\b(examples?|samples?|demos?|bench\w*)\b",
        0.4,
    ),
    _kind(
        r"(^|/) (?i: change(s|log) | history | news | releases? ) ([_.-][^/]*)? $",
        r"\b(change(s|d|log)|histor\w+|news|releases?|version\w*)\b",
        0.2,
    ),
    _kind(
        r"\. ((min|bundle) \. [^/]+ | map | lock | svg ) $ | -lock\.[^/]+ $",
        r"\b(minif\w+|bundles?|lock(ed|file)?|svg)\b",
        0.1,
    ),
)


def is_test(path: str) -> bool:
    """Whether a file at a relative path is of tests, by what it and its folders are called."""
    return _TESTS.path.search(path) is not None


def weigh_by_kind(question: str) -> Callable[[str], float]:
    """How much the lines of a file at a relative path count for this question, 0 to 1."""
    less = [kind for kind in _KINDS if not kind.asked.search(question)]

    def weigh(path: str) -> float:
        return min((kind.weight for kind in less if kind.path.search(path)), default=1.0)

    return weigh
