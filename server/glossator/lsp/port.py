"""The editor as a run sees it: events to clients that want them, progress to the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from glossator.core.events import Envelope
from glossator.lsp.wire import to_wire

if TYPE_CHECKING:
    from glossator.lsp.progress import Progress
    from glossator.lsp.protocol import Protocol

EVENT = "glossator/event"


class ClientPort:
    """Implements `EditorPort`; to be called from the event loop's thread."""

    def __init__(self, protocol: Protocol, *, events: bool) -> None:
        self._protocol = protocol
        self._events = events
        self.bars: dict[str, Progress] = {}  # run id -> the progress bar of its request

    def emit(self, envelope: Envelope) -> None:
        """Send the event, show it in the run's progress bar, or both."""
        if self._events:
            self._protocol.notify_plain(EVENT, to_wire(envelope))
        if bar := self.bars.get(envelope.run_id):
            bar.show(envelope.event)
