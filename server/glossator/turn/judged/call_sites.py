"""Looks up the calls of names in the workspace, for statements about calls."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

from glossator.application import Application
from glossator.core.document import Document
from glossator.core.errors import UsageError
from glossator.core.file_kinds import CODE
from glossator.grounding import Calls, CallSite
from glossator.symbols import (
    CALLS,
    Definition,
    Limits,
    Name,
    SearchScope,
    Use,
    is_call_of,
    may_need_imports,
    only_definition,
)
from glossator.worker import JobFailed, WorkerGone
from glossator.workspace import WorkspaceSnapshot

logger = logging.getLogger(__name__)

SECONDS = 3.0  # for all names of a look at an answer

_LIMITS = Limits(texts=300, hits=100, seconds=1.0)


async def calls_of(app: Application, names: Iterable[str]) -> Calls:
    """The calls of these names in files that may be shown, as far as `SECONDS` find them.

    Names that cannot be looked up are left out: that no call is found proves nothing.
    """
    snapshot = app.host.snapshot()
    found: dict[str, tuple[CallSite, ...]] = {}
    try:
        async with asyncio.timeout(SECONDS):
            for name in names:
                try:
                    found[name] = await _calls_of(app, snapshot, Name.parse(name))
                except (WorkerGone, JobFailed, UsageError) as failure:
                    logger.warning("Calls of %s were not looked up: %s", name, failure)
    except TimeoutError:
        logger.warning("Not all calls were looked up within %g s", SECONDS)
    return found


async def _calls_of(
    app: Application, snapshot: WorkspaceSnapshot, name: Name
) -> tuple[CallSite, ...]:
    may_be_shown = SearchScope(languages=CODE, hides=app.acting.hidden())
    uses = await app.symbols.uses(snapshot, name, CALLS, may_be_shown, _LIMITS)
    if not uses.hits:
        return ()
    everywhere = SearchScope(languages=CODE)
    definition = only_definition(await app.symbols.definitions(snapshot, name, everywhere, _LIMITS))
    return tuple([await _site(app, snapshot, each, definition) for each in uses.hits])


async def _site(
    app: Application, snapshot: WorkspaceSnapshot, use: Use, definition: Definition | None
) -> CallSite:
    is_sure = definition is not None and is_call_of(use, definition)
    if definition is not None and not is_sure and may_need_imports(use, definition):
        document = await asyncio.to_thread(snapshot.read, use.line.path)
        if isinstance(document, Document) and document.sha256 == use.line.sha256:
            imports = await app.symbols.imports(snapshot, document)
            is_sure = is_call_of(use, definition, imports)
    path = snapshot.relative(use.line.path)
    return CallSite(path, use.line.number, use.reference.within, is_sure)
