"""A ledger on a workspace of a test's, with a folder of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from glossator.anchors import AnchorIndex
from glossator.core.document import Document
from glossator.core.fact import Fact, NewFact
from glossator.core.span import Basis, Span
from glossator.ledger import MAX_BYTES, Ledger, LedgerFiles, SystemProfile, TeamLedger
from glossator.store import RedisStore, Retention
from glossator.workspace.documents.host import WorkspaceHost
from tests.workspaces import Workspace

KEEP = Retention(days=30, count=100, bytes=0)


@dataclass
class Kept:
    """A ledger, and what its user was told."""

    host: WorkspaceHost
    ledger: Ledger
    anchors: AnchorIndex
    told: list[str] = field(default_factory=list)
    hidden: set[str] = field(default_factory=set)

    def new(self, statement: str, path: str, first: int, last: int | None = None) -> NewFact:
        """A statement about lines as they are now."""
        document = self.host.snapshot().read(path)
        assert isinstance(document, Document)
        span = Span(document.uri, document.sha256, first, last or first)
        return NewFact(statement, path, span, Basis.MODEL, 0.9)

    async def add(self, statement: str, path: str, first: int, last: int | None = None) -> Fact:
        """It becomes a fact."""
        (fact,) = await self.ledger.remember("s1", "r1", [self.new(statement, path, first, last)])
        return fact

    async def states(self) -> dict[str, str]:
        """How each statement stands once all are compared: `fresh 3-5`."""
        await self.anchors.settled()
        views = map(self.ledger.view, self.ledger.every())
        return {
            each.statement: f"{each.state.value} {each.first_line}-{each.last_line}"
            for each in views
        }

    async def fresh(self) -> list[str]:
        return [each.statement for each in await self.ledger.fresh()]


@asynccontextmanager
async def kept(
    host: WorkspaceHost | Workspace,
    folder: Path,
    *,
    most: int = 100,
    redis: str = "",
    profile: SystemProfile | None = None,
    allowed: Callable[[], bool] = lambda: True,
) -> AsyncIterator[Kept]:
    """As the application has it; with a `redis` it is shared there."""
    host = host.host if isinstance(host, Workspace) else host
    anchors = AnchorIndex(host)
    told: list[str] = []
    hidden: set[str] = set()
    files = LedgerFiles(KEEP, told.append, folder)
    shared = RedisStore(redis, {}, MAX_BYTES) if redis else None
    team = TeamLedger(shared, files, told.append, allowed) if shared else None
    ledger = Ledger(host, anchors, files, most, hidden.__contains__, team, profile)
    await ledger.look()
    try:
        yield Kept(host, ledger, anchors, told, hidden)
    finally:
        await anchors.close()
        await ledger.close()
