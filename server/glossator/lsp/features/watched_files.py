"""`workspace/didChangeWatchedFiles`: what the editor sees happen on disk."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from concurrent.futures import Future
from typing import TYPE_CHECKING

from lsprotocol import types

from glossator.core.uri import to_path
from glossator.documents.change import DiskChanged

if TYPE_CHECKING:
    from glossator.lsp.server import Server

_log = logging.getLogger(__name__)


def register(server: Server) -> None:
    """Listen; which files are reported is asked for by `watch_files`."""
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(did_change_watched_files)


def did_change_watched_files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    """Files appeared, changed or went."""
    disk_changed(ls, (change.uri for change in params.changes))


def disk_changed(ls: Server, uris: Iterable[str]) -> None:
    """Have the workspace look at these again; what is on no disk is left out."""
    paths = frozenset(path for uri in uris if (path := to_path(uri)) is not None)
    if paths:
        ls.application.host.apply(DiskChanged(paths))


def watch_files(ls: Server) -> None:
    """Ask the client to report every file; without it the disk watcher works alone."""
    everything = types.DidChangeWatchedFilesRegistrationOptions(
        watchers=[types.FileSystemWatcher(glob_pattern="**/*")]
    )
    registration = types.Registration(
        "glossator-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, everything
    )
    request = ls.protocol.send_request(
        types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams([registration])
    )
    request.add_done_callback(_registered)


def _registered(reply: Future[object]) -> None:
    if not reply.cancelled() and (refusal := reply.exception()) is not None:
        _log.info("the client reports no file changes: %s", refusal)
