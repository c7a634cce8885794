"""Citations as a model writes them."""

from __future__ import annotations

import pytest

from glossator.core.citations import parse_citations


@pytest.mark.parametrize(
    ("answer", "marks"),
    [
        ("It splits. [cite: doc, a/b.py, L10-L22]", [("a/b.py", 10, 22)]),
        ("[cite: doc, a/b.py, 10-22]", [("a/b.py", 10, 22)]),
        ("[cite: doc, a/b.py, 7]", [("a/b.py", 7, 7)]),
        ("[cite: doc, a/b.py, L7]", [("a/b.py", 7, 7)]),
        ("[cite:doc,a/b.py,10-22]", [("a/b.py", 10, 22)]),
        ("[cite:  doc , a b.py ,  L10 - L22 ]", [("a b.py", 10, 22)]),
        ("[cite: doc, a.py, 10\u201322]", [("a.py", 10, 22)]),
        ("x [cite: doc, a.py, 1-2] y [cite: doc, b.py, 3] z", [("a.py", 1, 2), ("b.py", 3, 3)]),
        ("[cite: doc, a.py, 1][cite: doc, a.py, 2]", [("a.py", 1, 1), ("a.py", 2, 2)]),
        ("[cite: doc, odd, name.py, 3-4]", [("odd, name.py", 3, 4)]),
        ("[cite: doc, app/[id]/page.tsx, 3]", [("app/[id]/page.tsx", 3, 3)]),
        ("[cite: doc, app/[[...rest]]/page.tsx, 3]", [("app/[[...rest]]/page.tsx", 3, 3)]),
        ("[cite: doc, untitled:Untitled-1, 3]", [("untitled:Untitled-1", 3, 3)]),
        ("[cite: doc, a.py] and [1, 2]", []),
        ("[cite: doc, a.py] [cite: doc, b.py, 3]", [("b.py", 3, 3)]),
        ("[cite: doc, a.py, L10-]", []),
        ("[cite: doc, a.py, ten]", []),
        ("[cite: doc, , 3]", []),
        ("[cite: fact, 12, null]", []),
        ("[cite: doc, a\n.py, 3]", []),
        ("[cite: doc, a.py, 3", []),
        (f"[cite: doc, a.py, {'9' * 5_000}]", []),
        ("```\n[cite: doc, a.py, 1]\n```\n[cite: doc, b.py, 2]", [("b.py", 2, 2)]),
        ("~~~~ md\n```\n[cite: doc, a.py, 1]\n~~~~\n[cite: doc, b.py, 2]", [("b.py", 2, 2)]),
        ("```\n[cite: doc, a.py, 1]", []),
        ("no citation", []),
        ("[cite: doc, " * 2_000, []),
    ],
    ids=range(27),
)
def test_parsing(answer: str, marks: list[tuple[str, int, int]]) -> None:
    found = parse_citations(answer)
    assert [(mark.path, mark.first_line, mark.last_line) for mark in found] == marks
    for mark in found:
        assert answer[mark.start : mark.start + 5] == "[cite"
        assert answer[mark.end - 1] == "]"
