"""What `make mutants` does to a module."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.mutants.__main__ import PACKAGE, ROOT, near_tests
from tests.mutants.changes import changes


def edits(source: str) -> set[tuple[str, str]]:
    return {(each.was, each.now) for each in changes(source)}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("if a < b: x = c", {("a < b", "True"), ("a < b", "False"), ("a < b", "(a <= b)")}),
        ("x = a == b", {("a == b", "(a != b)")}),
        ("x = a < b < c", {("a < b < c", "(a <= b < c)"), ("a < b < c", "(a < b <= c)")}),
        ("x = a and b", {("a and b", f"({now})") for now in ("a or b", "a", "b")}),
        ("x = not a", {("not a", "a")}),
        ("x = [y for y in z if y in w]", {("y in w", "True"), ("y in w", "False")}),
        ("while a: f()", {("a", "False"), ("f()", "pass")}),
        ("def f():\n    return g(1)", {("g(1)", "None"), ("1", "2")}),
        ("def f():\n    return", {("return", "pass")}),
        ("def f():\n    return False", {("False", "True")}),
        ("a.b = c", {("a.b = c", "pass")}),
        ("x = c", set()),  # what follows would not find it
        ("x = a + b.c", {("a + b.c", "(a - b.c)")}),
        ("_MOST = 4", {("4", "5")}),
        ("x = f(reverse=True)", {("True", "False")}),
        ("x = {'a', 'b'}", {("{'a', 'b'}", "{'b',}"), ("{'a', 'b'}", "{'a',}")}),
        ("x = min(a, b)", {("min(a, b)", "max(a, b)")}),
        ("x = sorted(a)", {("sorted(a)", "a")}),
        ("é = 'é'; x = 4", {("4", "5")}),
    ],
)
def test_what_is_changed(source: str, expected: set[tuple[str, str]]) -> None:
    assert edits(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "from a import b",
        "def f(a: B | None = None) -> C | D: ...",
        "@dataclass(frozen=True)\nclass A:\n    b: C | D",
        "Decision = Allow | Ask",
        "__all__ = ['a', 'b']",
        "if TYPE_CHECKING:\n    from a import b",
        "_log.info('said %s', a)",
        "x = f'{a + 1}'",
    ],
)
def test_what_means_nothing_is_left_alone(source: str) -> None:
    assert changes(source) == []


def test_a_change_is_a_program_that_differs_in_one_place() -> None:
    source = (ROOT / PACKAGE / "turn" / "guard.py").read_text("utf-8")
    found = changes(source)
    assert len({ast.dump(ast.parse(each.source)) for each in found}) == len(found) > 50
    (warn,) = [each for each in found if each.was == "self._warned = True"]
    assert warn.source == source.replace("self._warned = True", "pass")
    assert warn.told == f"line {warn.line}: self._warned = True  ->  pass"


def test_tests_that_import_a_module_or_are_named_after_its_package_are_near() -> None:
    near = near_tests(PACKAGE / "permissions" / "decide.py")
    assert near[0] == "tests/permissions/test_decide.py"
    assert {Path(name).parent.name for name in near} >= {"permissions"}
    assert "tests/permissions/test_protected.py" in near
    assert "tests/turn/test_loop.py" not in near
