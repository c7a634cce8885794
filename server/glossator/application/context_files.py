"""Tells the editor when files of a workspace changed that say what goes into the window."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from glossator.core.ports import EditorPort
from glossator.workspace import WorkspaceHost

# As `turn/told/instruction_files.py`, `customizations/files.py`, `hooks/proposals.py` and
# `mcp/servers.py` look for them.
_FILE = re.compile(
    r"[/\\]\.(?:claude|agents)(?:[/\\]|$)|[/\\](?:AGENTS\.md|CLAUDE(?:\.local)?\.md|\.mcp\.json)$"
)


async def follow_context_files(host: WorkspaceHost, port: EditorPort) -> None:
    """Once the workspace has been scanned, and from then on."""

    def changed(paths: AbstractSet[str]) -> None:
        if any(map(_FILE.search, paths)):
            port.context_changed()

    await host.ready()
    host.subscribe(changed)
