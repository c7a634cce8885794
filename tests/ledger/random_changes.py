"""Random edits, moves, renames and deletions: no fact is told whose lines read otherwise.

    .venv/bin/python -m tests.ledger.random_changes --events 10000 --facts 1000

The changes are those of `tests.anchors.random_changes`; here the ledger follows them, keeps what
has another name, and is asked what it would tell. Stale facts are stated again after a while. After
each event the facts whose lines went elsewhere are compared with the texts, after every hundredth
all of them. The times are those of the ledger alone, from a change until all is compared.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import quantiles
from time import perf_counter

from glossator.anchors import anchor_index
from glossator.core.fact import Fact
from tests.anchors.repository import EVENTS, Event, Lines, Place, Repository, together
from tests.ledger.support import Kept, kept

_AGAIN = 0.2  # of stale facts are stated again after each event
_ALL = 100  # events after which all facts are compared


@dataclass
class Tally:
    """How often a fact was compared, what was shown fresh and reads otherwise, and the times.

    `moved` facts were fresh, and their lines went to another place, together.
    """

    events: int = 0
    fresh: int = 0
    stale: int = 0
    again: int = 0
    wrong: list[str] = field(default_factory=list)
    moved: int = 0
    found: int = 0
    misplaced: int = 0  # at lines that read the same
    milliseconds: list[float] = field(default_factory=list)  # of each event

    def described(self) -> str:
        times = quantiles(self.milliseconds, n=20) if len(self.milliseconds) > 1 else [0.0] * 19
        return (
            f"{self.events:,} events; facts that were compared: {self.fresh:,} fresh,"
            f" {self.stale:,} stale; stated again: {self.again:,}; shown fresh and read otherwise:"
            f" {len(self.wrong)}\nmoved within their file, or with it: {self.moved:,}; recall"
            f" {self.found / max(self.moved, 1):.2%}, precision"
            f" {self.found / max(self.found + self.misplaced, 1):.2%}\nms for an event, until all"
            f" is compared: median {times[9]:.1f}, 95th percentile {times[18]:.1f}"
        )


async def try_changes(folder: Path, events: int, facts: int, seed: int) -> Tally:
    """Make random changes; after each compare what the ledger would tell with the texts."""
    random = Random(seed)
    root = folder / "ws"
    root.mkdir(parents=True)
    repository = Repository(root, random)
    names, weights = list(EVENTS), [weight for weight, _ in EVENTS.values()]
    async with kept(repository.host, folder / "state", most=facts) as k:
        checked = _Checked(k, repository)
        for number in range(facts):
            await checked.state(f"Fact {number}.")
        for number in range(events):
            (name,) = random.choices(names, weights)
            await checked.happens(name, EVENTS[name][1])
            if number % _ALL == 0:
                checked.compare(k.ledger.all())
        checked.compare(k.ledger.all())
    return checked.tally


@dataclass
class _Checked:
    k: Kept
    repository: Repository
    tally: Tally = field(default_factory=Tally)
    said: dict[str, Lines] = field(default_factory=dict)  # by statement
    at: dict[str, Place] = field(default_factory=dict)  # where these lines are, if together

    async def state(self, statement: str) -> None:
        """A fact about some lines as they are now."""
        repository, random = self.repository, self.repository.random
        path = random.choice([path for path in repository.paths if repository.lines(path)])
        lines = repository.lines(path)
        first = random.randrange(len(lines))
        cited = lines[first : first + random.choice((1, 1, 2, 3, 5, 8, 20))]
        self.said[statement], self.at[statement] = cited, (path, first + 1)
        await self.k.add(statement, repository.full(path), first + 1, first + len(cited))

    async def happens(self, name: str, event: Event) -> None:
        """Make one change, tell the host, and look at the facts that it concerns."""
        k, repository, tally = self.k, self.repository, self.tally
        before = self.at.copy()
        fresh = {fact.id for fact in k.ledger.all() if k.ledger.is_fresh(fact)}
        changes, renamed = event(repository)
        began = perf_counter()
        for change in changes:
            repository.host.apply(change)
        if full := {repository.full(old): repository.full(new) for old, new in renamed.items()}:
            k.anchors.renamed(full)
        seconds = perf_counter() - began
        lines_at = repository.places()
        after = self.at = {each: together(lines, lines_at) for each, lines in self.said.items()}
        concerned = {each for each in before if before[each] != after[each]}
        self.compare(each for each in k.ledger.all() if each.statement in concerned)
        began = perf_counter()
        await k.anchors.settled()
        tally.milliseconds.append(1_000 * (seconds + perf_counter() - began))
        now = [each for each in k.ledger.all() if each.statement in concerned]
        self.compare(now)
        for fact in now:
            if fact.id in fresh:
                self._count(name, fact, before[fact.statement], after[fact.statement])
        tally.events += 1
        for fact in k.ledger.all():
            if not k.ledger.is_fresh(fact) and repository.random.random() < _AGAIN:
                await k.ledger.forget([fact.id])
                await self.state(fact.statement)
                tally.again += 1

    def compare(self, facts: Iterable[Fact]) -> None:
        """Compare those that are shown fresh with the texts."""
        k, repository, tally = self.k, self.repository, self.tally
        for fact in facts:
            if not k.ledger.is_fresh(fact):
                tally.stale += 1
                continue
            tally.fresh += 1
            view, path = k.ledger.view(fact), self._relative(fact)
            lines = repository.lines(path)[view.first_line - 1 : view.last_line]
            if not _reads_as(lines, self.said[fact.statement]):
                tally.wrong.append(f"{fact.statement} {path}:{view.first_line}")

    def _count(self, event: str, fact: Fact, before: Place, after: Place) -> None:
        """Whether a fact that was fresh is where its lines went."""
        if before is None or after is None:
            return
        tally, ledger = self.tally, self.k.ledger
        is_fresh = ledger.is_fresh(fact)
        is_there = is_fresh and (self._relative(fact), ledger.view(fact).first_line) == after
        tally.misplaced += is_fresh and not is_there
        if before[0] == after[0] or "rename" in event:
            tally.moved += 1
            tally.found += is_there

    def _relative(self, fact: Fact) -> str:
        return str(Path(fact.passage.path).relative_to(self.repository.root))


def _reads_as(lines: Sequence[tuple[int, str]], said: Lines) -> bool:
    return [text for _, text in lines] == [line.text for line in said]


def main() -> int:
    """Print what was found; 1 if a fact was shown fresh that is not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--facts", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    anchor_index._SETTLE_SECONDS = 0.0
    with tempfile.TemporaryDirectory(prefix="glossator-facts-") as folder:
        tally = asyncio.run(try_changes(Path(folder), options.events, options.facts, options.seed))
    sys.stdout.write(f"seed {options.seed}: {options.facts:,} facts\n{tally.described()}\n")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
