"""The documents that are open in one server, and what changed on disk.

What the editor shows counts before the disk. A server that has a document open does not read its
file, so one whose file changes is closed.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import count

from glossator.core.uri import to_uri
from glossator.language_servers.known import id_of
from glossator.workspace import Listing, Overlay

MAX_OPEN = 30  # documents
_CREATED, _CHANGED, _DELETED = 1, 2, 3  # LSP's FileChangeType

Notify = Callable[[str, object], None]


@dataclass(slots=True)
class _Open:
    """A document as the server has it, under a version of ours. `shown`: in the editor."""

    uri: str
    text: str
    version: int
    shown: bool = False


class OpenDocuments:
    """Keeps a server's documents as they are here; the least recently asked ones are closed."""

    def __init__(
        self,
        notify: Notify,
        forget: Callable[[str], object],
        language_of: Callable[[str, str], str | None],
    ) -> None:
        """`forget` hears of each path whose text changes, before the server does.

        `language_of` gives a file's language if the server knows it, by path and text.
        """
        self.sent: dict[str, int] = {}  # by path, the newest last: the version that was sent last
        self._notify = notify
        self._forget = forget
        self._language_of = language_of
        self._versions = count(1)  # of all documents: one that is opened again has another
        self._open: OrderedDict[str, _Open] = OrderedDict()  # by path

    def show(self, path: str, text: str, language: str) -> int:
        """Have the server read this text; the version by which it knows it."""
        known = self._open.get(path)
        if known is None or known.text != text:
            self._forget(path)
        if known is None:
            known = self._open[path] = _Open(to_uri(path), text, next(self._versions))
            item = {"uri": known.uri, "version": known.version, "text": text}
            item["languageId"] = id_of(path, language)
            self._notify("textDocument/didOpen", {"textDocument": item})
        elif known.text != text:
            known.text, known.version = text, next(self._versions)
            document = {"uri": known.uri, "version": known.version}
            change = {"textDocument": document, "contentChanges": [{"text": text}]}
            self._notify("textDocument/didChange", change)
        self._open.move_to_end(path)
        while len(self._open) > MAX_OPEN:
            self._close(next(iter(self._open)))
        self.sent.pop(path, None)
        self.sent[path] = known.version
        return known.version

    def is_open(self, path: str) -> bool:
        """Whether the server has this document open."""
        return path in self._open

    def follow(
        self, overlays: Mapping[str, Overlay], is_mine: Callable[[str], bool], next_shown: str
    ) -> None:
        """Take over what the editor shows of the server's files, the newest last."""
        for path, known in tuple(self._open.items()):
            if known.shown and path not in overlays and path != next_shown:
                self._close(path)
        mine = [
            (each, language)
            for each in overlays.values()
            if is_mine(each.path) and (language := self._language_of(each.path, each.text))
        ]
        mine.sort(key=lambda found: found[0].changed_ns)
        for each, language in mine[1 - MAX_OPEN :]:
            self.show(each.path, each.text, language)
            self._open[each.path].shown = True

    def changed(self, paths: Iterable[str], before: Listing, next_shown: str) -> list[str]:
        """Tell the server which files changed on disk since that listing; the new ones.

        The path `next_shown` stays open, since its text is sent next: what is said about it as it
        is closed would be taken for what is found in that text.
        """
        events, created = [], []
        for path in paths:
            if path != next_shown:
                self._forget(path)
                if path in self._open:
                    self._close(path)
            kind = _CHANGED if before.get(path) is not None else _CREATED
            kind = kind if os.path.lexists(path) else _DELETED
            if kind == _CREATED:
                created.append(path)
            events.append({"uri": to_uri(path), "type": kind})
        if events:
            self._notify("workspace/didChangeWatchedFiles", {"changes": events})
        return created

    def _close(self, path: str) -> None:
        closed = self._open.pop(path)
        self._notify("textDocument/didClose", {"textDocument": {"uri": closed.uri}})
