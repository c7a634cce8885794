"""Which mode holds in which session, until the server ends."""

from __future__ import annotations

from glossator.core.permission import Mode


class Modes:
    """Each session keeps the mode that its first run here began in, or that it was given since."""

    def __init__(self, mode: Mode) -> None:
        self._new = mode
        self._of: dict[str, Mode] = {}

    def of(self, session_id: str | None = None) -> Mode:
        """The mode of a session; without one, or before its first run, that of new sessions."""
        return self._of.get(session_id or "", self._new)

    @property
    def known(self) -> dict[str, Mode]:
        """The sessions that have a mode of their own."""
        return dict(self._of)

    def begin(self, session_id: str, mode: Mode | None = None) -> None:
        """A run begins, in `mode` or that of its session, whatever becomes that of new ones."""
        self._of[session_id] = mode or self.of(session_id)

    def change(self, mode: Mode, session_id: str | None = None) -> None:
        """The mode of a session from its next tool call on; without one, that of new sessions."""
        if session_id is None:
            self._new = mode
        else:
            self._of[session_id] = mode

    def forget(self, session_id: str) -> None:
        """The session was deleted."""
        self._of.pop(session_id, None)
