"""What is measured: a retriever, which indexes documents and searches them in stages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Protocol, Self

from glossator.core.errors import UsageError
from glossator_eval.labelled import SourceText


@dataclass(frozen=True, slots=True)
class Stages:
    """Which stages of a search are on.

    `lexical` and `vectors` find candidates, `fusion` merges the two, `rerank` orders the best.
    """

    lexical: bool = True
    vectors: bool = True
    fusion: bool = True
    rerank: bool = True

    @classmethod
    def named(cls, names: Iterable[str]) -> Self:
        """Those of the names. Raises `UsageError` for an unknown one, or if nothing is searched."""
        wanted = set(names)
        known = [each.name for each in fields(cls)]
        if unknown := sorted(wanted - set(known)):
            raise UsageError(
                f"There is no stage {', '.join(unknown)}; choose among {', '.join(known)}."
            )
        stages = cls(**{name: name in wanted for name in known})
        if not (stages.lexical or stages.vectors):
            raise UsageError("Nothing is searched without the stage lexical or vectors; add one.")
        return stages

    @property
    def names(self) -> tuple[str, ...]:
        """Of the stages that are on, in the order in which they run."""
        return tuple(each.name for each in fields(self) if getattr(self, each.name))

    def within(self, available: Stages) -> Stages:
        """The stages that are on here and there; fusion needs two lists to merge."""
        both = {name: True for name in self.names if name in available.names}
        stages = Stages(**{each.name: each.name in both for each in fields(self)})
        return replace(stages, fusion=stages.fusion and stages.lexical and stages.vectors)

    def ablated(self) -> Iterator[tuple[str, Stages]]:
        """Names of variants with less than these stages: each taken away, each source alone."""
        seen = {self}
        for name in self.names:
            less = replace(self, **{name: False})
            if less.lexical or less.vectors:
                less = less.within(self)
                if less not in seen:
                    seen.add(less)
                    yield f"without {name}", less
        for name in ("lexical", "vectors"):
            alone = Stages.named([name])
            if name in self.names and alone not in seen:
                seen.add(alone)
                yield f"{name} alone", alone


@dataclass(frozen=True, slots=True)
class Result:
    """Lines of a document (1-based, inclusive), and their score in each stage, higher is better.

    In a document whose chunks were given, the lines are those of one of these chunks.
    """

    path: str
    first_line: int
    last_line: int
    text: str
    scores: Mapping[str, float] = field(default_factory=dict)


class Retriever(Protocol):
    """Searches one collection; each is searched with a retriever of its own."""

    available: Stages  # those that it can run; an embedder may be missing

    def index(self, documents: Sequence[SourceText]) -> int:
        """Index the documents, once; gives the number of chunks."""

    def search(self, question: str, limit: int, stages: Stages) -> Sequence[Result]:
        """The best chunks, best first. `stages` are among those available."""

    def spent(self) -> float:
        """What models and paid embedders have cost so far, in US dollars."""

    def close(self) -> None:
        """Give back what it holds: files, processes."""
