"""docs/orchestrator.md shows the table as it is."""

from __future__ import annotations

from glossator.core.run_events import RunState
from tools.orchestrator_page import PAGE, with_diagram


def test_the_page_shows_the_table() -> None:
    page = PAGE.read_text("utf-8")
    assert page == with_diagram(page), "run make wire"
    assert all(state in page for state in RunState)
