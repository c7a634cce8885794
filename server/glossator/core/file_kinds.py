"""What kind of file a path names, and how much that says for its lines as an answer.

A question about code is answered by the code first: tests, examples, prose and generated files
repeat its words more often than they explain it. A question that names such a kind wants it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum


class FileKind(IntEnum):
    """In the order in which the uses of a symbol are listed."""

    CODE = 0
    TEST = 1
    EXAMPLE = 2
    CHANGELOG = 3
    PROSE = 4
    GENERATED = 5
    DATA = 6
    CUSTOMIZATION = 7  # describes a sub-agent, a skill or a slash command


@dataclass(frozen=True, slots=True)
class _Rule:
    """Paths of one kind (relative, `/` between folders), and how much their lines count, 0 to 1."""

    kind: FileKind
    path: re.Pattern[str]
    asked: re.Pattern[str]  # a question that names the kind
    weight: float


def _rule(kind: FileKind, path: str, asked: str, weight: float) -> _Rule:
    return _Rule(kind, re.compile(path, re.VERBOSE), re.compile(asked, re.IGNORECASE), weight)


# A package may hold `test/client.py` or `mock.py` as part of the product: `test` in the singular is
# of tests at the top of a source tree only, or in the name of a file that has more to its name.
_RULES = (  # the first that fits counts
    _rule(
        FileKind.CUSTOMIZATION,  # it speaks of the code, in the words that questions use
        r"(^|/) \. ( claude/ (agents | skills | commands) | agents/skills ) / .* (?i: \.md ) $",
        r"\bsub-?agents?\b|\bskills?\b|\bslash commands?\b|\.claude\b",
        0.1,
    ),
    _rule(
        FileKind.GENERATED,
        r"\. ((min|bundle) \. [^/]+ | map | lock | svg ) $ | -lock\.[^/]+ $",
        r"\b(minif\w+|bundles?|lock(ed|file)?|svg)\b",
        0.1,
    ),
    _rule(
        FileKind.TEST,
        r"""
        ^ (?i: (?:packages|crates|modules|apps|libs|services|clients|plugins) / [^/]+ / )?
            (?i: tests? | specs? | fixtures | mocks ) /
        | (^|/) (?i: tests | __tests__ | __mocks__ | e2e | testdata | src/test ) /
        | (^|/) src/ [a-z]+ Test /  # src/commonTest/
        | ^ (?i: tests? | specs? ) \. [^/]* $
        | (^|/) (?i: tests | conftest ) \. [^/]* $
        | (^|/) (?i: tests? | specs? ) [_-] [^/]* $  # test_a.py
        | [^/] [_.-] (?i: tests? | specs? ) ( [.-] [^/]* )? $  # a_test.go, a.spec.ts
        | [a-z0-9] (Tests? | Specs?) \. [^/]* $  # ParserTest.java
        """,
        # "the test client" is a client
        r"\b(tests|tested|testing|specs?|fixtures?|mocks?)\b|(?<!\bthe )(?<!\ba )\btest\b"
        r"|\btest (for|of|that|which|case|suite|file)",
        0.3,
    ),
    _rule(
        FileKind.EXAMPLE,
        r"(^|/) (?i: examples? | samples? | demos? | benchmarks? | bench ) /",
        r"\b(examples?|samples?|demos?|bench\w*)\b",
        0.4,
    ),
    _rule(
        FileKind.CHANGELOG,
        r"(^|/) (?i: change(s|log) | history | news | release(s|[_-]?notes)? )"
        r" ( ([_.-] [^/]*)? (?i: \. (md|markdown|rst|txt|adoc) ) )? $",
        r"\bchange-?logs?|\breleases?\b|\b(what|which) change|\bchanged? (in|since)\b",
        0.2,
    ),
    _rule(
        FileKind.DATA,
        r"""
        (?i: \. (json | jsonc | ya?ml | toml | xml | cfg | ini | conf | csv | tsv | plist
            | properties | gradle | cmake | mod | sum | pem | po | pot | lock ) $ )
        | (^|/) (Makefile | Dockerfile | CMakeLists\.txt) $
        """,
        r"\b(json|ya?ml|toml|xml|csv|manifests?|makefile|dockerfile|cmake|gradle|workflows?)\b"
        r"|\b(config\w*|settings) files?\b|\bdependenc(y|ies)\b|\bpackage\.json\b|\bcargo\b",
        0.5,
    ),
    _rule(
        FileKind.PROSE,
        r"(?i: \. (md|markdown|rst|txt|adoc) | (^|/) (readme|licen[cs]e|copying|authors) ) $",
        r"\b(docs?|document(ed|ation)|readme|guides?|tutorials?|manual|licen[cs]es?)\b",
        0.6,
    ),
)


def kind_of(path: str) -> FileKind:
    """The kind of a file at a relative path, by what it and its folders are called."""
    rule = _rule_for(path)
    return rule.kind if rule else FileKind.CODE


def is_test(path: str) -> bool:
    """Whether a file at a relative path is of tests."""
    return kind_of(path) is FileKind.TEST


def asked_kinds(question: str) -> frozenset[FileKind]:
    """The kinds of files that a question names."""
    return frozenset(rule.kind for rule in _RULES if rule.asked.search(question))


def weigh_by_kind(question: str) -> Callable[[str], float]:
    """How much the lines of a file at a relative path count for this question, 0 to 1."""
    asked = asked_kinds(question)

    def weigh(path: str) -> float:
        rule = _rule_for(path)
        return 1.0 if rule is None or rule.kind in asked else rule.weight

    return weigh


def _rule_for(path: str) -> _Rule | None:
    return next((rule for rule in _RULES if rule.path.search(path)), None)
