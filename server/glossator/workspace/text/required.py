"""The trigrams that every match of a pattern must hold.

After R. Cox, "Regular Expression Matching with a Trigram Index" (2012).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Query:
    """A condition on a text's trigrams: all `keys`, and of each group at least one member.

    A group without members can never be met.
    """

    keys: frozenset[int] = frozenset()
    groups: tuple[tuple[Query, ...], ...] = ()


ANYTHING = Query()  # every text may match


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is known of a pattern before any text is read.

    `portable`: ripgrep finds the same lines by it as RE2 does, in plain ASCII text.
    """

    query: Query
    portable: bool


def analyse(pattern: str, *, ignore_case: bool = False, multiline: bool = False) -> Analysis:  # noqa: ARG001 - the parser comes next
    """Analyse a pattern that `scan.compile_pattern` accepts with the same flags."""
    return Analysis(ANYTHING, portable=False)
