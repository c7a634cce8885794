"""The lines of doc comments, which a labelled set blanks."""

from __future__ import annotations

import pytest

from glossator.symbols import Documented, DocumentedIn


def documented(path: str, text: str) -> tuple[Documented, ...]:
    slices = DocumentedIn(((path, text),)).run()
    while True:
        try:
            next(slices)
        except StopIteration as end:
            (found,) = end.value
            return found  # type: ignore[no-any-return]  # the value of a generator is untyped


@pytest.mark.parametrize(
    ("path", "text", "comment", "head"),
    [
        ("a.py", 'def f():\n    """One.\n\n    Two."""\n    g()\n', ((2, 4),), (1, 5)),
        ("a.py", '@d\ndef f():\n    r"One."\n    g()\n', ((3, 3),), (1, 4)),
        ("a.py", 'class A:\n    "One."\n    def f(self): ...\n', ((2, 2),), (1, 2)),
        ("a.rs", "/// One.\n/// Two.\n#[inline]\nfn f() {}\n", ((1, 1), (2, 2)), (3, 4)),
        ("A.java", "/**\n * One.\n */\r\nclass A {\n}\n", ((1, 3),), (4, 5)),
        ("a.go", "package a\n\n// One\n// two.\nfunc f() {}\n", ((3, 3), (4, 4)), (5, 5)),
    ],
)
def test_the_lines_of_a_comment(
    path: str, text: str, comment: tuple[tuple[int, int], ...], head: tuple[int, int]
) -> None:
    (found,) = documented(path, text)
    assert (found.comment, found.head, found.bare) == (comment, head, False)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", 'def f(): "One."; g()\n'),  # code stands on the line
        ("a.c", "/** One. */ int f(void) { return 1; }\n"),
        ("a.py", "def f():\n    g()\n"),
        ("a.txt", "One.\n"),
        ("README.md", "# One\n"),
    ],
)
def test_what_cannot_be_blanked_alone_is_left_out(path: str, text: str) -> None:
    assert documented(path, text) == ()


def test_a_definition_that_is_nothing_but_its_comment_is_bare() -> None:
    (found,) = documented("a.py", 'def f(x):\n    """One."""\n\nx = 1\n')
    assert found.bare
