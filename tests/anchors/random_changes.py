"""Random edits, moves, renames and deletions, and where the index of cited lines finds the lines.

    .venv/bin/python -m tests.anchors.random_changes --events 10000 --spans 1000

Every line of the repository has a number, which it keeps wherever it goes. Many read the same, and
blocks are copied. What the index shows as unchanged must read as it was cited; whether it is the
same lines, the numbers tell. Cited lines that are stale are cited again after a while.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from glossator.anchors import anchor_index
from glossator.anchors.anchor_index import AnchorIndex, Names, renamed_passages
from glossator.anchors.passages import passage_of
from glossator.core.document import Document
from glossator.core.fact import Passage
from glossator.core.span import Span
from tests.anchors.repository import EVENTS, Event, Line, Lines, Place, Repository, together

_AGAIN = 0.1  # of stale spans are cited again after each event


@dataclass
class CitedSpan:
    """Lines as they were cited, and the passage that follows them."""

    lines: Lines
    passage: Passage

    def reads_as(self, lines: Sequence[Line]) -> bool:
        """Whether these have the texts that were cited."""
        return [line.text for line in lines] == [line.text for line in self.lines]


@dataclass
class Tally:
    """What was found; `moved` are the spans whose lines went to another place, by event."""

    events: Counter[str] = field(default_factory=Counter)
    compared: int = 0
    wrong: list[str] = field(default_factory=list)  # shown as unchanged, and read otherwise
    missed: list[str] = field(default_factory=list)  # shown as changed, and stand where they were
    moved: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    misplaced: Counter[str] = field(default_factory=Counter)  # at lines that read the same
    to_other_files: int = 0

    def described(self) -> str:
        found, misplaced = self.found.total(), self.misplaced.total()
        lines = [
            f"{self.events.total():,} events, {self.compared:,} comparisons",
            f"shown as unchanged, and read otherwise: {len(self.wrong)}",
            f"shown as changed, and stand where they were: {len(self.missed)}",
            (
                f"moved within their file, or with it: {self.moved.total():,};"
                f" recall {found / max(self.moved.total(), 1):.2%},"
                f" precision {found / max(found + misplaced, 1):.2%}"
            ),
            f"moved to another file, and stale there: {self.to_other_files:,}",
        ]
        for name, number in self.events.most_common():
            moved, right, wrong = self.moved[name], self.found[name], self.misplaced[name]
            lines.append(f"  {name}: {number:,}; moved {moved:,}, found {right:,}, wrong {wrong:,}")
        return "\n".join((*lines, *self.wrong[:10], *self.missed[:10]))


async def try_changes(root: Path, events: int, spans: int, seed: int) -> Tally:
    """Make random changes, each looked at before and after the index has compared."""
    random = Random(seed)
    repository = Repository(root, random)
    index = AnchorIndex(repository.host)
    checked = _Checked(repository, index, Tally(), at=repository.places())
    index.follow(checked.follow)
    for key in range(spans):
        checked.cite(key)
    await index.settled()
    assert all(index.is_fresh(key) for key in checked.spans)
    names, weights = list(EVENTS), [weight for weight, _ in EVENTS.values()]
    for number in range(events):
        (name,) = random.choices(names, weights)
        await checked.happens(name, EVENTS[name][1])
        if number % 100 == 0:
            checked.compare(checked.spans)
    checked.compare(checked.spans)
    await index.close()
    return checked.tally


@dataclass
class _Checked:
    repository: Repository
    index: AnchorIndex
    tally: Tally
    spans: dict[int, CitedSpan] = field(default_factory=dict)
    at: dict[int, tuple[str, int]] = field(default_factory=dict)  # lines before an event

    def cite(self, key: int) -> None:
        """Cite lines somewhere, in place of what the key cites."""
        repository, random = self.repository, self.repository.random
        path = random.choice([path for path in repository.paths if repository.lines(path)])
        lines = repository.lines(path)
        first = random.randrange(len(lines))
        cited = lines[first : first + random.choice((1, 1, 2, 3, 5, 8, 20))]
        read = repository.host.snapshot().read
        document = read(repository.full(path))
        assert isinstance(document, Document)
        span = Span(document.uri, document.sha256, first + 1, first + len(cited))
        passage = passage_of(span, read)
        self.spans[key] = CitedSpan(cited, passage)
        self.index.add(key, (passage,))

    async def follow(self, names: Names) -> None:
        """As whoever cites must: with the same freshness, under the new names."""
        for key, span in self.spans.items():
            (passage,) = renamed_passages((span.passage,), names)
            if passage is not None and passage.path != span.passage.path:
                span.passage = passage
                self.index.add(key, (passage,), freshness=self.index.freshness(key))

    async def happens(self, name: str, event: Event) -> None:
        """Make one change, tell the host, and look at what it concerns."""
        repository = self.repository
        before = self._places()
        fresh = {key for key in self.spans if self.index.is_fresh(key)}
        changes, names = event(repository)
        self.tally.events[name] += 1
        for change in changes:
            repository.host.apply(change)
        if names:
            self.index.renamed(
                {repository.full(old): repository.full(new) for old, new in names.items()}
            )
        self.at = repository.places()
        after = self._places()
        concerned = {key for key in self.spans if before[key] != after[key]}
        self.compare(key for key in self.spans if self.index.is_fresh(key) and key in concerned)
        await self.index.settled()
        self.compare(concerned)
        for key in concerned & fresh:
            self._count(name, key, before[key], after[key])
        stale = [key for key in self.spans if not self.index.is_fresh(key)]
        for key in stale:
            if repository.random.random() < _AGAIN:
                self.cite(key)
        await self.index.settled()

    def compare(self, keys: Iterator[int] | set[int] | dict[int, CitedSpan]) -> None:
        """Compare what is shown of spans with their texts."""
        for key in keys:
            self.tally.compared += 1
            span, shown = self.spans[key], self.index.freshness(key)
            passage = span.passage
            lines = self._lines(passage.path)
            place = shown.places[0] if shown else None
            if place and self.index.is_fresh(key):
                if not span.reads_as(lines[place.first_line - 1 : place.last_line]):
                    self.tally.wrong.append(f"span {key}: {passage}, shown at {place}")
            elif span.reads_as(lines[passage.first_line - 1 : passage.last_line]):
                self.tally.missed.append(f"span {key}: {passage}")

    def _count(self, event: str, key: int, before: Place, after: Place) -> None:
        if before is None or after is None:
            return
        shown, path = self.index.freshness(key), self.spans[key].passage.path
        place = shown.places[0] if shown and self.index.is_fresh(key) else None
        is_there = place is not None and (self._relative(path), place.first_line) == after
        if before[0] != after[0] and "rename" not in event:
            self.tally.to_other_files += 1
            self.tally.misplaced[event] += place is not None and not is_there
            return
        self.tally.moved[event] += 1
        self.tally.found[event] += is_there
        self.tally.misplaced[event] += place is not None and not is_there

    def _places(self) -> dict[int, Place]:
        """Where the lines of each span are, if they are still together."""
        return {key: together(span.lines, self.at) for key, span in self.spans.items()}

    def _lines(self, path: str) -> Lines:
        return self.repository.lines(self._relative(path))

    def _relative(self, path: str) -> str:
        return str(Path(path).relative_to(self.repository.root))


def main() -> int:
    """Print what was found; 1 if a span was shown as unchanged that is not, or the reverse."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--spans", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    anchor_index._SETTLE_SECONDS = 0.0
    root = Path(tempfile.mkdtemp(prefix="glossator-anchors-")).resolve()
    try:
        tally = asyncio.run(try_changes(root, options.events, options.spans, options.seed))
    finally:
        shutil.rmtree(root)
    sys.stdout.write(f"seed {options.seed}: {options.spans:,} spans\n{tally.described()}\n")
    return 1 if tally.wrong or tally.missed else 0


if __name__ == "__main__":
    sys.exit(main())
