"""Where an extract of a document may begin and end, for the offline model."""

from __future__ import annotations

import asyncio
import logging

from glossator.core.document import Document
from glossator.core.span import Statement
from glossator.symbols import SymbolFinder
from glossator.worker import JobFailed, WorkerGone
from glossator.workspace import WorkspaceHost

logger = logging.getLogger(__name__)


async def statements_in(
    host: WorkspaceHost, symbols: SymbolFinder, path: str, first_line: int, last_line: int
) -> tuple[Statement, ...]:
    """The statements on these lines; the offline model quotes paragraphs where there are none."""
    snapshot = host.snapshot()
    document = await asyncio.to_thread(snapshot.read, path)
    if not isinstance(document, Document):
        return ()
    try:
        return await symbols.statements(snapshot, document, first_line, last_line)
    except (WorkerGone, JobFailed) as failure:
        logger.warning("Extracts of %s are cut at blank lines: %s", path, failure)
        return ()
