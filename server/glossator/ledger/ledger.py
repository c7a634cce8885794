"""The facts of a workspace in memory, and the memory of its sessions.

All sessions of the same folders share the facts. They are in a file of the user's
(`ledger/files.py`), and on a server of the team's if there is one (`ledger/team.py`). Whether a
fact's lines are unchanged is asked of the index of cited lines, under a `FactKey`, and never
kept.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from glossator.anchors import AnchorIndex, Freshness, Names, new_path, passage_of
from glossator.core.errors import UsageError
from glossator.core.fact import Fact, FactState, FactView, NewFact
from glossator.core.shown import shown, shown_prose
from glossator.core.uri import to_uri
from glossator.ledger.files import LedgerFiles
from glossator.ledger.memory_core import MemoryCores, SystemProfile
from glossator.ledger.rows import Rows, fact_of, forgotten, lasting, newer, row_of, workspace_of
from glossator.ledger.selection import (
    Known,
    Lines,
    fact_to_add,
    fitting,
    for_question,
    listed,
    meaning_key,
    surplus,
    unknown,
)
from glossator.ledger.team import TeamLedger
from glossator.store import LedgerRow
from glossator.workspace import WorkspaceHost

Listener = Callable[[tuple[Fact, ...]], None]

_TICK_SECONDS = 0.000_001  # seconds, by which a change is newer than the one before


@dataclass(frozen=True, slots=True)
class FactKey:
    """The key of a fact's lines in the index of cited lines."""

    id: str


class Ledger:
    """The facts of a workspace; for the event loop. Nothing is kept if `most` is 0."""

    def __init__(
        self,
        host: WorkspaceHost,
        anchors: AnchorIndex,
        files: LedgerFiles,
        most: int,
        hides: Callable[[str], bool],
        team: TeamLedger | None = None,
        profile: SystemProfile | None = None,
    ) -> None:
        """`hides` tells whether the user's rules hide a file, by its absolute path."""
        self._host = host
        self._anchors = anchors
        self._files = files
        self._most = most
        self._hides = hides
        self._team = team
        self._workspace = ""
        self._rows: dict[str, LedgerRow] = {}  # with those that were forgotten
        self._facts: dict[str, Fact] = {}
        self._looking = asyncio.Lock()
        self._asked: asyncio.Task[None] | None = None
        self._adding = asyncio.Lock()
        self._listeners: list[Listener] = []
        self.cores = MemoryCores(self, files, team, profile or SystemProfile())
        anchors.subscribe(self._judged)
        anchors.follow(self._follow)

    @property
    def workspace(self) -> str:
        """A key of the folders that are open."""
        return workspace_of(self._host.roots)

    @property
    def rows(self) -> Rows:
        """All rows of facts here, forgotten ones included."""
        return self._rows

    def get(self, fact_id: str) -> Fact | None:
        """The fact with this id, unless its file is hidden."""
        fact = self._facts.get(fact_id)
        return None if fact is None or self._hides(fact.passage.path) else fact

    def established(self, fact_id: str) -> tuple[Fact, FactView] | None:
        """The fact with this id, and how it stands now."""
        return None if (fact := self.get(fact_id)) is None else (fact, self.view(fact))

    def all(self) -> tuple[Fact, ...]:
        """Every fact of a file that is not hidden: pinned ones first, then the newest."""
        paths = {each.passage.path for each in self._facts.values()}
        shown_paths = {path for path in paths if not self._hides(path)}
        facts = (each for each in self._facts.values() if each.passage.path in shown_paths)
        return listed(facts)

    def every(self) -> tuple[Fact, ...]:
        """Like `all`, with those of hidden files: for the user to forget."""
        return tuple(self._facts.values())

    def is_fresh(self, fact: Fact) -> bool:
        """Whether its lines are unchanged, and their document was compared since it changed."""
        return fact.id in self._facts and self._anchors.is_fresh(FactKey(fact.id))

    def state(self, fact: Fact) -> FactState:
        """The state of a fact: fresh or stale."""
        return FactState.FRESH if self.is_fresh(fact) else FactState.STALE

    def view(self, fact: Fact) -> FactView:
        """The fact as clients see it."""
        first, last = self._place(fact)
        return FactView(
            fact.id,
            shown_prose(fact.statement),
            shown(fact.path),
            to_uri(fact.passage.path),
            first,
            last,
            self.state(fact),
            fact.confidence,
            fact.created_at.isoformat(),
            fact.session,
            fact.pinned,
        )

    def resolve(self, path: str) -> str:
        """The real path of one that is cited."""
        snapshot = self._host.snapshot()
        found = snapshot.resolve(path)
        return found if isinstance(found, str) else path

    async def look(self, *, asks: bool = True) -> None:
        """Read what other servers of this machine kept since, and have the team's brought in.

        Without `asks` the team's server is left alone while there is nothing here to share.
        """
        async with self._looking:
            workspace = self.workspace
            if workspace != self._workspace:
                self._leave(workspace)
            await self._take(lasting(await self._files.facts(workspace)))
        if self._team is not None and (asks or self._rows):
            self._team.share(self)

    def look_soon(self) -> None:
        """Like `look`, without waiting, for the start."""
        if self._most:
            self._asked = asyncio.create_task(self.look(asks=False))

    async def close(self) -> None:
        """Close everything."""
        if self._asked is not None:
            self._asked.cancel()
            await asyncio.wait({self._asked})
        if self._team is not None:
            await self._team.close()
        await self._files.close()

    async def settled(self, seconds: float | None = None) -> None:
        """Wait, so long, until what can be shared with the team now is."""
        if self._team is not None:
            await self._team.settle(seconds)

    async def fresh(self) -> tuple[Fact, ...]:
        """The facts that may be relied on, once all are compared with the current texts."""
        await self._anchors.settled()
        return tuple(filter(self.is_fresh, self.all()))

    async def relevant(
        self, question: str, most: int = 12, *, all_: bool = False
    ) -> tuple[Fact, ...]:
        """The fresh facts: the newest pinned ones, those that bear on a question, then others.

        They are up to `most`, or as many as are pinned; others only with `all_`.
        """
        if not (fresh := await self.fresh()):
            return ()
        found = await asyncio.to_thread(for_question, question, fresh, most, all_=all_)
        return tuple(filter(self.is_fresh, found))

    async def remember(
        self, session_id: str, run_id: str, found: Sequence[NewFact], question: str = ""
    ) -> tuple[Fact, ...]:
        """Keep new facts, as those of a question; returns those that were added, or hold again.

        They are on disk then, unless a notice says that this failed. One that is known and fresh is
        not added again. A stale one that says the same of the same lines is replaced, unless a team
        shares it; its pin goes on. What looks like a secret is refused, and so are lines that
        changed meanwhile and files that are hidden or outside of the workspace.
        """
        if not self._most or not found:
            return ()
        async with self._adding:
            await self.look()
            await self._anchors.settled()
            read = self._host.snapshot().read
            passages = await asyncio.to_thread(
                lambda: [[passage_of(span, read) for span in each.spans] for each in found]
            )
            added: dict[str, Fact] = {}
            asked, renews = meaning_key(question) if question else "", self._team is None
            fresh = {each.id for each in self._facts.values() if self.is_fresh(each)}
            for new, own in zip(found, passages, strict=True):
                known = self._known(own[0].path, added)
                fact = fact_to_add(new, own, session_id, run_id, known, renews=renews, asked=asked)
                if fact is None or self._hides(fact.passage.path):
                    continue
                if self._host.snapshot().folders.owner(fact.passage.path) is not None:
                    added[fact.id] = fact
            await self._write({each.id: self._row(each) for each in added.values()})
            await self._anchors.settled()
            await self._bound()
        return tuple(
            each for each in added.values() if each.id in self._facts and each.id not in fresh
        )

    async def forget(self, ids: Collection[str]) -> tuple[Fact, ...]:
        """Forget these facts for good, here and on the team's server; returns what they said."""
        gone = tuple(fact for key in dict.fromkeys(ids) if (fact := self._facts.get(key)))
        if self._team is not None:
            self._team.forget(each.session for each in gone)
        await self._write({each.id: LedgerRow(self._now(each.id), None) for each in gone})
        return gone

    async def clear(self, *, stale: bool = False) -> tuple[Fact, ...]:
        """Forget all facts of the workspace, or those that are `stale`; returns what they said."""
        await self.look()
        await self._anchors.settled()
        facts = self._facts.values()
        return await self.forget([each.id for each in facts if not (stale and self.is_fresh(each))])

    async def pin(self, fact_id: str, *, on: bool) -> Fact:
        """Pin or unpin a fact. Raises `UsageError` if none has that id."""
        if (fact := self.get(fact_id)) is None:
            raise UsageError(
                f"There is no fact {shown(fact_id)} here. `glossator facts` lists them."
            )
        pinned = replace(fact, pinned=on)
        await self._write({fact.id: self._row(pinned)})
        return pinned

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with new, changed and removed facts; it must not raise.

        Returns the function that ends this.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def take(self, workspace: str, rows: Rows) -> None:
        """Keep rows of the team's that are newer, unless another workspace is open by now.

        Of more facts than there is room for these are the newest.
        """
        rows = await asyncio.to_thread(fitting, rows, dict(self._facts), self._most)
        if workspace == self._workspace == self.workspace and rows:
            await self._files.put(workspace, rows)
            await self._take(rows)
            await self._bound()

    async def adopt(self, facts: Iterable[Fact]) -> None:
        """Adopt facts of a session's memory that are unknown here."""
        if (new := unknown(facts, self._rows)) and self._most:
            await self._write(new)
            await self._bound()

    def _known(self, path: str, added: dict[str, Fact]) -> Iterator[Known]:
        """The facts about a document, with those that were just added."""
        for each in (self._facts | added).values():
            if each.passage.path == path:
                yield Known(each, self._place(each), each.id in added or self.is_fresh(each))

    def _watch(self, fact: Fact, freshness: Freshness | None = None) -> None:
        """Follow its lines; `freshness` is the state that counts until they are compared."""
        key, heads = FactKey(fact.id), (fact.context,)
        self._anchors.add(key, (fact.passage,), freshness=freshness, heads=heads)

    def _place(self, fact: Fact) -> Lines:
        """Where the lines that support it are now, as far as that is known."""
        freshness = self._anchors.freshness(FactKey(fact.id))
        place = freshness.places[0] if freshness else None
        found = place or fact.passage
        return found.first_line, found.last_line

    def _row(self, fact: Fact) -> LedgerRow:
        return row_of(fact, self._now(fact.id))

    def _now(self, fact_id: str) -> float:
        """A time for a change, newer than the last one whatever clocks say."""
        known = self._rows.get(fact_id)
        return max(time.time(), known.changed + _TICK_SECONDS if known else 0.0)

    async def _write(self, rows: Rows) -> None:
        """Keep rows on disk, then here, and have them shared."""
        if not rows:
            return
        await self._files.put(self.workspace, rows)
        await self._take(rows)
        if self._team is not None:
            self._team.share(self)

    async def _take(self, rows: Rows) -> None:
        """Take over newer rows."""
        if not rows:
            return
        changed = []
        # Large ledgers are read in a thread: the loop must not wait for a thousand facts. Meanwhile
        # other rows may arrive, so what is newer is asked once more (docs/decisions/0050).
        new = newer(rows, self._rows)
        try:
            facts = await asyncio.to_thread(lambda: {key: fact_of(row) for key, row in new.items()})
        except asyncio.CancelledError:
            self._files.read_again()
            raise
        new = newer(new, self._rows)
        for key, row in new.items():
            self._rows[key] = row
            fact, known = facts[key], self._facts.get(key)
            if fact is not None and self._host.snapshot().folders.owner(fact.passage.path):
                self._facts[key] = fact
                if known is None or known.passages != fact.passages:
                    self._watch(fact)
                # A new one is announced once its lines were compared.
                if known is not None and replace(known, asked=fact.asked) != fact:
                    changed.append(fact)
            elif known is not None:
                del self._facts[key]
                self._anchors.remove(FactKey(key))
                changed.append(known)
        self._announce(tuple(changed))
        if gone := forgotten(new):
            self._rows = lasting(self._rows)
            await self._files.drop_facts(self._workspace, gone, shared=self._team is None)

    def _leave(self, workspace: str) -> None:
        """Note that other folders are open now."""
        for key in self._facts:
            self._anchors.remove(FactKey(key))
        self._workspace, self._rows = workspace, {}
        self._facts.clear()

    async def _bound(self) -> None:
        """Forget facts above the limit: stale ones first, then the oldest, and pinned ones last.

        A team's facts go by age alone: what is stale here may hold in a colleague's working copy.
        """
        if 0 < self._most < len(self._facts):
            await self._anchors.settled()
            goes_late = self.is_fresh if self._team is None else lambda _: True
            await self.forget(surplus(self._facts.values(), self._most, goes_late))

    async def _follow(self, names: Names) -> None:
        """Let facts follow renamed files."""
        relative, moved = self._host.snapshot().relative, dict[str, LedgerRow]()
        for fact in list(self._facts.values()):
            now = _renamed(fact, names, relative)
            if now is not None:
                moved[fact.id] = self._row(now)
        before = {key: self._anchors.freshness(FactKey(key)) for key in moved}
        await self._write(moved)
        for key, freshness in before.items():
            if known := self._facts.get(key):
                self._watch(known, freshness)

    def _judged(self, keys: frozenset[object]) -> None:
        facts = (self._facts.get(key.id) for key in keys if isinstance(key, FactKey))
        self._announce(tuple(filter(None, facts)))

    def _announce(self, facts: tuple[Fact, ...]) -> None:
        for listener in list(self._listeners) if facts else ():
            listener(facts)


def _renamed(fact: Fact, names: Names, relative: Callable[[str], str]) -> Fact | None:
    """The fact with the new name of its file; None if that did not change."""
    path = new_path(fact.passage.path, names)
    if path == fact.passage.path:
        return None
    passage, *context = (replace(each, path=path) for each in fact.passages)
    return replace(fact, passage=passage, context=tuple(context), path=relative(path))
