"""At a start: what a server that was killed left unfinished in this workspace."""

from __future__ import annotations

import asyncio
import logging
from itertools import chain
from pathlib import Path

import platformdirs

from glossator.application.acting import Acting
from glossator.core.atomic import remove_private_leftovers, remove_workspace_leftovers
from glossator.core.errors import GlossatorError
from glossator.memory import Memories
from glossator.sessions import Sessions
from glossator.workspace import Files, WorkspaceSnapshot

_log = logging.getLogger(__name__)


async def recover(acting: Acting, sessions: Sessions, memories: Memories) -> None:
    """Remove its temporary files, finish its undos, and note what its commands did."""
    await asyncio.to_thread(_clean_up, acting.host.snapshot(), memories)
    for session_id in await sessions.cut_off():
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
