"""Events of a run as the updates that a client shows."""

from __future__ import annotations

import pytest

from glossator.acp.serve import serve_streams  # noqa: F401 - it decides how the SDK is imported

# isort: split
from glossator.acp.updates import Updates
from glossator.core.events import AgentFinished, AgentStarted, ToolStarted
from glossator.core.run_events import ToolOutput

MARK = "[cite: doc, a.py, L1-L2]"
LINK = "[`a.py:1-2`](file:///ws/a.py#L1)"


@pytest.mark.parametrize(
    ("tool", "text"),
    [("Explore", f"- It waits. {LINK}"), ("Grep", f"```\n- It waits. {MARK}\n```")],
)
def test_a_report_is_markdown_with_links(tool: str, text: str) -> None:
    of = Updates(lambda path: f"/ws/{path}")
    [*of.of(ToolStarted("c", tool, {"task": "Look"}))]
    (update,) = of.of(ToolOutput("c", f"- It waits. {MARK}"))
    assert update.content[0].content.text == text


def test_what_a_sub_agent_did_is_counted() -> None:
    of = Updates(lambda _: None)
    [*of.of(AgentStarted("a", None, "Explore", "Look", "m"))]
    (update,) = of.of(AgentFinished("a", "It waits.", "", False, (), 1, 2_000, 5.0))
    assert update.content[0].content.text == "It waits.\n\n*1 call, 2,000 tokens*"


@pytest.mark.parametrize(
    ("tool", "arguments", "title"),
    [
        ("Edit", {"path": "a.py", "old_text": "a", "new_text": "b"}, "Edit a.py"),
        ("Rename", {"name": "f", "new_name": "g"}, 'Rename name="f" new_name="g"'),
    ],
)
def test_what_changes_files_is_an_edit(tool: str, arguments: dict[str, str], title: str) -> None:
    (update,) = Updates(lambda _: None).of(ToolStarted("c", tool, arguments))
    assert (update.kind, update.title) == ("edit", title)
