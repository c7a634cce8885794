"""The system prompt: a block that everybody shares, then this session's own. Frozen per session."""

from __future__ import annotations

import platform
from datetime import date

from glossator.documents import WorkspaceSnapshot
from glossator.prompts import load_prompt


def system_blocks(
    snapshot: WorkspaceSnapshot, today: date, shared_prompt: str = "system/static"
) -> tuple[str, ...]:
    """The two blocks, the shared one first: it is the same bytes for every user and project."""
    shared = load_prompt(shared_prompt).render()
    roots = "\n".join(f"- {root}" for root in snapshot.roots) or "- (no folder is open)"
    session = load_prompt("system/session").render(
        roots=roots, platform=platform.system(), date=today.isoformat()
    )
    return shared, session
