"""How people see a server: its state, and why it is in that state."""

from __future__ import annotations

from glossator.core.shown import shown, some_of
from glossator.core.uri import to_uri
from glossator.core.window import SWITCHED_OFF
from glossator.mcp.answers import McpServerView, McpState
from glossator.mcp.servers import FILE, ServerSpec
from glossator.mcp.supervisor import Supervisor

_WHY = {
    McpState.PROPOSED: "the workspace proposes it; adopt it to let it run",
    McpState.CHANGED: "what would run is not what you adopted; look at it, and adopt it again",
    McpState.UNTRUSTED: "the folder is not trusted, so nothing of it is started",
}


def why_held_back(spec: ServerSpec, state: McpState | None) -> str:
    """Why a server may not run; "" if it may."""
    if state is McpState.OFF:
        where = f"The setting mcp.servers.{spec.name}" if spec.source == "user" else FILE
        return SWITCHED_OFF if spec.enabled else f"{where} has enabled: false."
    return _WHY.get(state, spec.problem) if state is not None else ""


def view_of(
    spec: ServerSpec,
    held_back: McpState | None,
    running: Supervisor | None,
    *,
    adopted: bool,
    logged_in: bool,
) -> McpServerView:
    """A server as it is now; `adopted` in this form or an earlier one."""
    offer = running.offer if running else None
    why = why_held_back(spec, held_back) or spec.problem or (running.why if running else "")
    if not why and offer is not None and offer.left_out:
        why = f"left out: {some_of(offer.left_out, 5)}"
    return McpServerView(
        shown(spec.name),
        spec.source,
        to_uri(spec.file) if spec.source == "project" else None,
        held_back or (running.state if running else McpState.CONNECTING),
        why,
        spec.words,
        spec.variables,
        len(offer.tools) if offer else 0,
        len(offer.prompts) if offer else 0,
        len(offer.resources) if offer else 0,
        running.version if running else "",
        spec.sha256,
        adopted,
        logged_in,
    )
