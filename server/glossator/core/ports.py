"""What the inner layers ask of an edge (an editor, a terminal)."""

from __future__ import annotations

from typing import Protocol

from glossator.core.events import Envelope


class EditorPort(Protocol):
    """The editor as a run sees it; each edge implements it."""

    def emit(self, envelope: Envelope) -> None:
        """Show an event of a run; must not block."""
