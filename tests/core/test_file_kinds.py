"""Which paths count less for a question about code."""

from __future__ import annotations

import pytest

from glossator.core.file_kinds import (
    FileKind,
    asks_for_manifests,
    is_manifest,
    is_test,
    kind_of,
    weigh_by_kind,
)


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
        "packages/web/test/app.ts",
        "src/commonTest/kotlin/App.kt",
        "pkg/tests/helpers.py",
        "caddytest/integration/one.caddyfiletest",
        "ui/__snapshots__/app.ts",
        "core/testdata/one.go",
        "core/test-fixtures/one.tf",
        "src/server/test/fixtures/one.json",
        "server/spec/unit/fixtures/one.rb",
        "cmd/script/one.txtar",
    ],
)
def test_tests(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize(
    "path",
    [
        *(
            "src/testing.py",
            "contest.py",
            "latest/app.py",
            *("app.latest", "a.contest", "x.attest"),
            "special.py",
            "attest.go",
            "inspect.py",
        ),
        *("src/latest/app.py", "src/werkzeug/test.py", "django/test/client.py"),
        *("src/mock/core.py", "app/specs/x.py", "app/fixtures/lamp.py", "lib/test.js"),
    ],
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
        *((path, "how does it start", False) for path in ("history.py", "app/history.ts")),
        *((path, "how does it start", False) for path in ("release.py", "changes.go", "news.rb")),
        *((path, "how does it start", True) for path in ("NEWS", "CHANGES", "history-2.x.md")),
        ("docs/start.rst", "how does it start", True),
        ("docs/start.rst", "where is starting documented", False),
        ("README.md", "how does it start", True),
        (".claude/agents/starter.md", "how does it start", True),
        ("web/.agents/skills/start/SKILL.md", "how does it start", True),
        (".claude/agents/starter.md", "which sub-agent starts it", False),
        (".claude/hooks/start.py", "how does it start", False),
        ("CHANGES.rst", "how does it notice that a file has changed", True),
        ("CHANGES.rst", "which changes were there to starting", False),
        ("tests/test_app.py", "how does the test client start", True),
        ("tests/test_app.py", "which test starts it", False),
        ("tests/test_app.py", "is there a test for starting", False),
    ],
)
def test_a_kind_counts_less_unless_the_question_names_it(
    path: str, question: str, less: bool
) -> None:
    assert (weigh_by_kind(question)(path) < 1) is less


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("src/history.py", FileKind.CODE),
        ("tests/examples/hello.py", FileKind.TEST),
        ("examples/hello.py", FileKind.EXAMPLE),
        ("docs/changes.rst", FileKind.CHANGELOG),
        ("docs/start.rst", FileKind.PROSE),
        ("dist/app.min.js", FileKind.GENERATED),
    ],
)
def test_the_kind_of_a_path(path: str, kind: FileKind) -> None:
    assert kind_of(path) is kind


def test_prose_counts_less_than_code_and_more_than_a_changelog() -> None:
    weigh = weigh_by_kind("how does it start")
    assert weigh("CHANGES.rst") < weigh("docs/start.rst") < weigh("src/app.py") == 1


def test_instructions_for_agents_are_no_prose_and_sums_are_generated() -> None:
    assert kind_of(".agents/review.md") is FileKind.CUSTOMIZATION
    assert kind_of(".agents/tools/run.py") is FileKind.CUSTOMIZATION
    assert kind_of("go.sum") is FileKind.GENERATED


@pytest.mark.parametrize(
    ("path", "manifest"),
    [
        ("pyproject.toml", True),
        ("tools/setup.py", True),
        ("web/package.json", True),
        ("go.mod", True),
        ("requirements-dev.txt", True),
        ("package-lock.json", False),
        ("src/setup_tools.py", False),
    ],
)
def test_manifests(path: str, manifest: bool) -> None:
    assert is_manifest(path) is manifest


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("which versions are declared", True),
        ("What dependencies does it have?", True),
        ("list all dependencies", True),
        ("how are dependencies resolved", False),
        ("Which third-party dependencies are there", True),
        ("where are the dependencies of the project", True),
        ("Which dependencies are pinned?", True),
        ("which version of Python is needed", True),
        ("What are the package's dependencies", True),
        ("How are all circular dependencies between tasks resolved?", False),
        ("What dependencies does the scheduler need", False),
        ("Which dependencies has a path operation?", False),
        ("How are all dependencies of a route solved before it is called?", False),
        ("What happens when dependencies with yield raise", False),
        ("How are dependencies overridden for the app in a test", False),
        ("Which class holds the dependencies of a request", False),
        ("where is the version compared", False),
    ],
)
def test_questions_for_manifests(question: str, asks: bool) -> None:
    assert asks_for_manifests(question) is asks
