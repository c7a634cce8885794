"""The editor as a run sees it: events to clients that want them, progress to the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from glossator.core.events import Envelope, TurnsUndone
from glossator.core.ports import Activity
from glossator.core.wire import to_wire
from glossator.lsp.dialogue import Dialogue

if TYPE_CHECKING:
    from glossator.lsp.client import Client
    from glossator.lsp.progress import Progress, ProgressBars
    from glossator.lsp.protocol import Protocol

EVENT = "glossator/event"
UNDONE = "glossator/undone"


class ClientPort(Dialogue):
    """Implements `EditorPort`; to be called from the event loop's thread."""

    def __init__(
        self,
        protocol: Protocol,
        client: Client,
        bars: ProgressBars,
        roots: Callable[[], Sequence[str]],
    ) -> None:
        super().__init__(protocol, client, roots)
        self._all_bars = bars
        self.bars: dict[str, Progress] = {}  # run id -> the progress bar of its request

    def emit(self, envelope: Envelope) -> None:
        """Send the event, show it in the run's progress bar, or both."""
        if self._client.events:
            self._protocol.notify_plain(EVENT, to_wire(envelope))
        if bar := self.bars.get(envelope.run_id):
            bar.show(envelope.event)

    def undone(self, turns: TurnsUndone) -> None:
        """Send it to clients that want events."""
        if self._client.events:
            self._protocol.notify_plain(UNDONE, to_wire(turns))

    def tell(self, message: str) -> None:
        """Show the user a message."""
        params = types.ShowMessageParams(types.MessageType.Info, message)
        self._protocol.notify(types.WINDOW_SHOW_MESSAGE, params)

    def begin(self, title: str, cancel: Callable[[], object]) -> Activity:
        """Show a progress bar, if the client has them."""
        if not self._client.progress:
            return _Unseen()
        return self._all_bars.background(title, cancel)


class _Unseen:
    """Work that the client has no way to show."""

    def report(self, message: str, percentage: int) -> None:
        """Nothing to show it in."""

    def end(self) -> None:
        """Nothing to take away."""
