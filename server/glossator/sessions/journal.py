"""Where a session writes down what happens, the moment it happens."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass

from glossator.core.errors import StoreUnavailable
from glossator.sessions.records import Begun, Record, encode
from glossator.store.log import Log
from glossator.store.logs import Logs

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Head:
    """A session as lists show it, kept beside its log; `roots` are real paths."""

    id: str
    title: str
    created_at: str  # ISO 8601
    roots: tuple[str, ...]
    turns: int


class Journal:
    """The log of one session, begun with the first record that is written.

    When the disk refuses a record the journal ends there, says so once, and the session goes on
    without it: what is kept never has a gap.
    """

    def __init__(
        self, logs: Logs | None, begun: Begun, tell: Callable[[str], None], log: Log | None = None
    ) -> None:
        """Without `logs` nothing is kept; `log` is that of a session that was resumed."""
        self._logs = logs
        self._begun = begun
        self._tell = tell
        self._log = log
        self._broken = False
        self.why_broken = ""

    @property
    def exists(self) -> bool:
        """Whether anything was written."""
        return self._log is not None

    def write(self, record: Record) -> None:
        """Keep a record; it outlives this process from now on."""
        if self._broken or self._logs is None:
            return
        try:
            if self._log is None:
                self._log = self._logs.create(self._begun.id)
                self._log.append([encode(self._begun)])
            self._log.append([encode(record)])
        except StoreUnavailable as error:
            self._broken = True
            self.why_broken = (
                f"{error} This session goes on, but what happens in it from now on is not kept, and"
                " nothing is changed in it that could not be undone after a restart: make room, or"
                " put the folder right, and begin a new session."
            )
            self._tell(self.why_broken)

    @property
    def broken(self) -> bool:
        """Whether nothing more is written."""
        return self._broken

    @property
    def size(self) -> int:
        """Bytes written."""
        return self._log.size if self._log else 0

    def sync(self, head: Head, size: int) -> None:
        """Wait for the disk, and describe the session for lists; slow, for a thread.

        `head` is the session when this many bytes were written, or later.
        """
        if self._log is None or self._logs is None or self._broken:
            return
        try:
            self._log.sync()
            self._logs.describe(head.id, encode_head(head), size)
        except StoreUnavailable as error:  # nothing is lost while this machine runs
            logger.warning("%s", error)

    def close(self) -> None:
        """Give the session to whoever wants it."""
        if self._log is not None:
            self._log.close()
            self._broken = True


def encode_head(head: Head) -> bytes:
    """A head as it is kept."""
    return json.dumps(asdict(head)).encode()


def decode_head(raw: bytes) -> Head | None:
    """A head that was kept; None for one that another version wrote."""
    try:
        fields = json.loads(raw)
        return Head(**{**fields, "roots": tuple(fields["roots"])})
    except (KeyError, TypeError, ValueError):
        return None
