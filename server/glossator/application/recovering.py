"""At a start: what a server that was killed left unfinished in this workspace."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from glossator.core.errors import GlossatorError

if TYPE_CHECKING:
    from glossator.application.application import Application

_log = logging.getLogger(__name__)


async def recover(app: Application) -> None:
    """Finish its undos, and note what its commands did, so that this can be undone."""
    for session_id in await app.sessions.cut_off():
        try:
            await app.acting.of(await app.sessions.open(session_id)).take_up()
        except GlossatorError as error:  # such as one in which another server is at work
            _log.info("%s", error)
