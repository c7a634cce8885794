"""Opens a workspace: recovery after a killed server, the ledger, and files to be told of."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from pathlib import Path

import platformdirs

from glossator.anchors import AnchorIndex
from glossator.application.acting import Acting
from glossator.core.atomic import remove_private_leftovers, remove_workspace_leftovers
from glossator.core.errors import GlossatorError
from glossator.core.ports import EditorPort
from glossator.ledger import MAX_BYTES, Ledger, LedgerFiles, SystemProfile, TeamLedger
from glossator.memory import Memories
from glossator.sessions import ANOTHER, Sessions
from glossator.settings import Settings
from glossator.store import RedisStore, Retention
from glossator.workspace import Files, WorkspaceHost, WorkspaceSnapshot

_log = logging.getLogger(__name__)
# As `turn/told/instruction_files.py`, `customizations/files.py`, `hooks/hook.py` and
# `mcp/servers.py` look for them.
_FILE = re.compile(
    r"[/\\]\.(?:claude|agents)(?:[/\\]|$)|[/\\](?:AGENTS\.md|CLAUDE(?:\.local)?\.md|\.mcp\.json)$"
)


async def recover(acting: Acting, sessions: Sessions, memories: Memories) -> None:
    """Clean up after a killed server: temporary files, cut-off undos, notes on its commands."""
    await asyncio.to_thread(_clean_up, acting.host.snapshot(), memories)
    for session_id in await sessions.cut_off():
        if set(await sessions.roots_of(session_id)).isdisjoint(acting.host.roots):
            continue  # it works in a worktree, whose start takes it up
        try:
            await acting.of(await sessions.open(session_id)).take_up()
        except GlossatorError as error:  # such as one in which another server is at work
            _log.info("%s", error)


def _clean_up(snapshot: WorkspaceSnapshot, memories: Memories) -> None:
    listing = snapshot.listing
    removed = remove_workspace_leftovers(chain(Files(listing.folders), listing.skipped))
    removed += memories.remove_leftovers()
    for folder in (platformdirs.user_state_dir, platformdirs.user_config_dir):
        removed += remove_private_leftovers(Path(folder("glossator")))
    if removed:
        _log.info("Temporary files that were left over are removed: %s", ", ".join(removed))


def kept_sessions(settings: Settings) -> Retention:
    """Which sessions the settings keep."""
    return Retention(**settings.sessions.model_dump(exclude={"titles"}))


def place_of(editor: str) -> str:
    """Where a session is open, in words: the name of an editor, without its version."""
    name = re.sub(r"[\s\d.]+\S*$", "", editor)
    return {"": ANOTHER, "terminal": "a terminal"}.get(name, name)


def open_ledger(
    settings: Settings,
    environment: Mapping[str, str],
    host: WorkspaceHost,
    anchors: AnchorIndex,
    acting: Acting,
    port: EditorPort,
) -> Ledger:
    """Open the ledger without reading it. With facts turned off, nothing is kept or found."""
    files = LedgerFiles(kept_sessions(settings), port.tell)
    team = None
    if (url := settings.store.url) and settings.facts.enabled and settings.facts.shared:
        redis = RedisStore(url, environment, MAX_BYTES)
        team = TeamLedger(redis, files, port.tell, lambda: acting.trust.is_trusted)
    most = settings.facts.most if settings.facts.enabled else 0
    profile = SystemProfile(**settings.profile.model_dump())
    ledger = Ledger(host, anchors, files, most, acting.hides, team, profile)
    ledger.subscribe(lambda _: port.context_changed())
    return ledger


async def follow_context_files(host: WorkspaceHost, port: EditorPort) -> None:
    """Follow the files that go into contexts, from the end of the scan on."""

    def changed(paths: AbstractSet[str]) -> None:
        if any(map(_FILE.search, paths)):
            port.context_changed()

    await host.ready()
    host.subscribe(changed)
