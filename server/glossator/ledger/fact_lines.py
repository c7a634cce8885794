"""The lines of facts in the index of cited lines, each fact under a `FactKey`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from glossator.anchors import AnchorIndex, Freshness, Names, new_path
from glossator.core.fact import Fact
from glossator.ledger.adding import Lines


@dataclass(frozen=True, slots=True)
class FactKey:
    """The key of a fact's lines in the index of cited lines."""

    id: str


class FactLines:
    """How the lines of facts stand, and those around them that they were judged with."""

    def __init__(self, anchors: AnchorIndex) -> None:
        self._anchors = anchors

    def watch(self, fact: Fact, freshness: Freshness | None = None) -> None:
        """Follow its lines; `freshness` is what is told of them until they are compared."""
        key, heads = FactKey(fact.id), (fact.context,)
        self._anchors.add(key, (fact.passage,), freshness=freshness, heads=heads)

    def drop(self, fact_id: str) -> None:
        """Follow them no more."""
        self._anchors.remove(FactKey(fact_id))

    def are_fresh(self, fact_id: str) -> bool:
        """Whether they are as they were, and no change of their document is in doubt."""
        return self._anchors.is_fresh(FactKey(fact_id))

    def freshness(self, fact_id: str) -> Freshness | None:
        """How they stood when they were compared last."""
        return self._anchors.freshness(FactKey(fact_id))

    def stand(self, fact: Fact) -> Lines:
        """Where those that carry it stand now, as far as that is known."""
        freshness = self.freshness(fact.id)
        place = freshness.places[0] if freshness else None
        stands = place or fact.passage
        return stands.first_line, stands.last_line


def renamed_fact(fact: Fact, names: Names, relative: Callable[[str], str]) -> Fact | None:
    """The fact with what its file is called now; None if that is what it was called."""
    path = new_path(fact.passage.path, names)
    if path == fact.passage.path:
        return None
    passage, *context = (replace(each, path=path) for each in fact.passages)
    return replace(fact, passage=passage, context=tuple(context), path=relative(path))
