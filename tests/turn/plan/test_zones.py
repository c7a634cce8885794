"""The zones of material that tasks and the synthesis answer from."""

from __future__ import annotations

from glossator.core.document import Document
from glossator.core.span import Span
from glossator.turn.plan.task_result import documents_zone
from tests.workspaces import MakeWorkspace


async def test_lines_that_several_results_cite_are_shown_once(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "".join(f"line{n}\n" for n in range(1, 10)), "b.py": "b\n"})
    a, b = ws.snapshot.read("a.py"), ws.snapshot.read("b.py")
    assert isinstance(a, Document)
    assert isinstance(b, Document)
    spans = [Span(a.uri, a.sha256, *lines) for lines in ((5, 6), (2, 3), (6, 7), (4, 4), (9, 9))]
    text, whole = documents_zone(ws.snapshot, [*spans, Span(b.uri, b.sha256, 1, 1)])
    assert [part.partition("\n")[0] for part in text.split("\n\n")] == [
        "a.py:2-7",
        "a.py:9",
        "b.py:1",
    ]
    assert sum(each.last_line - each.first_line + 1 for each in whole) == 8
