"""Which sentences claim something of all the workspace's code, and what they claim."""

from __future__ import annotations

import pytest

from glossator.grounding.cited_lines import CitedLines, Code
from glossator.grounding.claims import (
    Claim,
    Extent,
    Relation,
    claim_in,
    is_of_all_code,
    speaks_of_all,
)
from glossator.grounding.rules import Verdict, check

LINES = CitedLines("a.py", 4, ("class Shape:", "    def area(self):", "        return 0"))
CALLS, USES = Relation.CALLS, Relation.USES
EXTENDS, IMPLEMENTS = Relation.EXTENDS, Relation.IMPLEMENTS
WHOLE, LISTED, SOME = Extent.WHOLE, Extent.LISTED, Extent.SOME


def claimed(statement: str) -> Claim | None:
    return claim_in(statement, [Code(LINES)])


@pytest.mark.parametrize(
    ("statement", "relation", "others"),
    [
        ("`area` is never called.", CALLS, ()),
        ("`area` isn't called by anything in the repository.", CALLS, ()),
        ("In this repository, `area` is not invoked anywhere.", CALLS, ()),
        ("There are no calls to `area` in the project.", CALLS, ()),
        ("`area` is currently unused.", USES, ()),
        ("`area` is dead code.", USES, ()),
        ("No function uses `Shape.area`.", USES, ()),
        ("`area` has no callers.", CALLS, ()),
        ("Only `sum` calls `area`.", CALLS, ("sum",)),
        ("`area` is called solely from the method `sum`.", CALLS, ("sum",)),
        ("`area` is called by `sum` and nothing else.", CALLS, ("sum",)),
        ("`sum` is the sole caller of `area`.", CALLS, ("sum",)),
        ("`area` is called by only `sum`.", CALLS, ("sum",)),
        ("`area`'s only caller is `sum`.", CALLS, ("sum",)),
        ("`area` has two callers: `sum` and `Box.size`.", CALLS, ("sum", "Box.size")),
        ("All calls to `area` come from `sum`.", CALLS, ("sum",)),
        ("No function other than `sum` calls `area`.", CALLS, ("sum",)),
        ("The function `area` is used only by `sum()` and `size()`.", USES, ("sum", "size")),
        ("Nothing extends `Shape` in this repository.", EXTENDS, ()),
        ("`Shape` has no subclasses.", EXTENDS, ()),
        ("The interface `Shape` is not implemented anywhere.", IMPLEMENTS, ()),
        ("`Square` is the only subclass of `Shape`.", EXTENDS, ("Square",)),
        ("Only `Square` and `Disc` implement `Shape`.", IMPLEMENTS, ("Square", "Disc")),
        ("`Shape` has one implementation, `Square`.", IMPLEMENTS, ("Square",)),
    ],
)
def test_claims_about_all_code(statement: str, relation: Relation, others: tuple[str, ...]) -> None:
    claim = claimed(statement)
    assert claim is not None
    assert (claim.relation, claim.extent) == (relation, WHOLE)
    assert tuple(each.text for each in claim.others) == others
    assert claim.line == (5 if claim.is_of_calls else 4)
    assert speaks_of_all(statement)


@pytest.mark.parametrize(
    ("statement", "extent"),
    [
        ("`Square` extends `Shape`.", SOME),
        ("`Square` and `Disc` are subclasses of `Shape`.", SOME),
        ("`Shape` is a subclass of `Thing`.", SOME),
        ("`Shape` is implemented by `Square` and `Disc`.", LISTED),
        ("Nothing in particular extends `Shape`.", None),
        ("Within this codebase, `area` is never called.", WHOLE),
        ("**`area`** is never called by the method `area`.", None),
        ("The method `area` is never called.", WHOLE),
        ("The class `area` is never called.", None),  # which it is not
        ("The `area` class is never called.", None),
        # signs may turn it round
        ("❌ `area` is never called.", None),
        ("~~`area` is never called.~~", None),
        ("\N{NOT SIGN} `area` is never called.", None),
        ("- [ ] `area` is never called.", None),
        ("- `area` is **never** called.", WHOLE),
        # another thing is said, or of a part, or more than that
        ("`area` is never called twice.", None),
        ("`area` is called by `sum`.", None),
        ("`area` has three callers: `sum` and `size`.", None),
        ("In tests, `area` is never called.", None),
        ("`area` is only called by `sum` if it is open.", None),
        ("The only call to `area` is in `sum`.", None),  # `sum` may call it twice
        ("`other` is never called.", None),  # which the lines do not define
    ],
)
def test_how_much_is_claimed(statement: str, extent: Extent | None) -> None:
    claim = claimed(statement)
    assert (claim and claim.extent) == extent


@pytest.mark.parametrize(
    ("statement", "limit"),
    [
        ("Nothing calls `area`.", ""),
        ("No function calls `area`.", "function"),
        ("`area` is not called by any method.", ""),  # no form of ours
        ("`area` is not called by any function.", "function"),
        ("`sum` is the only function that calls `area`.", "function"),
        ("Only the function `sum` calls `area`.", ""),
        ("The only caller of the method `area` is `sum`.", ""),
        ("No class extends `Shape`.", "class"),
        ("The only class `Shape` has no subclasses.", ""),
    ],
)
def test_the_kind_of_code_that_is_spoken_of(statement: str, limit: str) -> None:
    claim = claimed(statement)
    assert (claim.limit if claim else "") == limit


@pytest.mark.parametrize(
    ("statement", "elsewhere"),
    [
        ("Only `sum` calls `area`.", ("sum",)),
        ("`Square` is the only subclass of `Shape`.", ("Square",)),
        ("`Shape` extends `Thing`.", ("Thing",)),  # by another name
        ("`Square` extends `Shape`.", ()),
    ],
)
def test_what_the_lines_need_not_hold(statement: str, elsewhere: tuple[str, ...]) -> None:
    claim = claimed(statement)
    assert claim is not None
    assert tuple(each.text for each in claim.elsewhere) == elsewhere


@pytest.mark.parametrize(
    ("statement", "of_all"),
    [
        ("`area` has a single caller, `sum`, which rounds it.", True),
        ("`sum` is the sole caller of `area` and rounds it.", True),
        ("Each caller of `area` rounds it.", True),
        ("`Shape` is implemented by `Square`.", True),
        ("`Square` implements `Shape`.", False),
        ("`area` returns 0 to its caller.", False),
        ("`area` is called with two arguments.", False),
    ],
)
def test_what_code_elsewhere_may_make_false(statement: str, of_all: bool) -> None:
    assert speaks_of_all(statement) == of_all


@pytest.mark.parametrize(
    ("statement", "of_all"),
    [
        ("No other code of the library calls `area`.", True),
        ("Nothing else uses `area`.", True),
        ("There are no other callers of `area`.", True),
        ("The rename is complete: no line of the workspace has `area` any more.", True),
        ("No use of the old name is left in the code.", True),
        ("No reference to `area` remains.", True),
        ("No other method calls `area` in this file.", False),
        ("`area` takes no other argument.", False),
        ("If nothing else matches, `area` is used.", False),
        ("Nothing in `area` uses the lines.", False),
        ("`area` has no other callers.", True),
        ("It is private, and nobody else calls `area`.", True),
        # what code does, which its lines can show
        ("No other method of `Shape` calls `area`.", False),
        ("If nothing else is given, it uses `area`.", False),
        ("If there is no other file, `load` uses `area`.", False),
        ("No other file is read, and `load` calls `area`.", False),
        ("It needs nothing else and uses `area`.", False),
        ("`area` makes no further calls after that.", False),
        ("With no remaining calls, `area` ends.", False),
        ("`area` keeps no reference to its left side.", False),
        ("`area` makes no use of the cache any more.", False),
        ("Once no references to `area` remain, it is freed.", False),
        ("No file of the project is opened before `area` returns.", False),
    ],
)
def test_what_no_lines_can_show(statement: str, of_all: bool) -> None:
    """Whether or not they define what it is about."""
    assert is_of_all_code(statement) is of_all
    judged = check(statement, [CitedLines("b.py", 1, ("area()",))])
    assert (judged.verdict is Verdict.UNDECIDED and judged.sure) is of_all
