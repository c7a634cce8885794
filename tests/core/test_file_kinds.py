"""Which paths count less for a question about code."""

from __future__ import annotations

import pytest

from glossator.core.file_kinds import is_test, weigh_by_kind


@pytest.mark.parametrize(
    "path",
    [
        "tests/app.py",
        "src/app/__tests__/app.tsx",
        "pkg/server_test.go",
        "test_app.py",
        "web/app.spec.ts",
        "conftest.py",
        "src/test/java/ParserTest.java",
        "Sources/ParserTests.swift",
        "lib/tests.rs",
        "Test.md",
    ],
)
def test_tests(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize(
    "path",
    ["src/testing.py", "contest.py", "latest/app.py", "special.py", "attest.go", "inspect.py"],
)
def test_what_only_sounds_like_tests(path: str) -> None:
    assert not is_test(path)


@pytest.mark.parametrize(
    ("path", "question", "less"),
    [
        ("src/app.py", "how does it start", False),
        ("CHANGES.rst", "how does it start", True),
        ("docs/changelog.md", "how does it start", True),
        ("CHANGES.rst", "what changed in the last release", False),
        ("tests/test_app.py", "how does it start", True),
        ("tests/test_app.py", "how is starting tested", False),
        ("dist/app.min.js", "how does it start", True),
        ("package-lock.json", "how does it start", True),
        ("examples/hello.py", "how does it start", True),
        ("examples/hello.py", "an example of starting", False),
        ("src/history/store.py", "how does it start", False),
    ],
)
def test_a_kind_counts_less_unless_the_question_names_it(
    path: str, question: str, less: bool
) -> None:
    assert (weigh_by_kind(question)(path) < 1) is less
