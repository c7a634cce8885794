"""What an evaluation gives; light to import, for those who only show it."""

from __future__ import annotations

from dataclasses import dataclass

DEPTH = 20  # results of a search that are looked at
PASS_AT = (5, 10, 20)
NDCG_AT = 10

NDCG = f"NDCG@{NDCG_AT}"
MISSED = f"1 - recall@{DEPTH}"
DEFINITION = "definition first"
MEASURES = (*(f"pass@{limit}" for limit in PASS_AT), MISSED, NDCG, DEFINITION)


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over so many questions, and the 95 % interval around it."""

    mean: float
    low: float
    high: float
    questions: int


@dataclass(frozen=True, slots=True)
class Score:
    """What came of one question.

    `ranks` are those of its targets, from 1, None where one is not found; `secondary` ones come
    last. `definition_first` is None unless the question is the name of a symbol.
    """

    question: str
    repository: str
    category: str
    line: int
    ranks: tuple[int | None, ...]
    milliseconds: float
    definition_first: bool | None = None


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """The figures of some questions by the name of the measure."""

    name: str
    questions: int
    figures: dict[str, Figure]


@dataclass(frozen=True, slots=True)
class Variant:
    """What a choice of stages gives: over all, by category and by repository.

    Times are those of one question, in milliseconds; `dollars` were paid for its searches.
    """

    name: str
    stages: tuple[str, ...]
    overall: GroupFigures
    categories: tuple[GroupFigures, ...]
    repositories: tuple[GroupFigures, ...]
    p50_milliseconds: float
    p95_milliseconds: float
    dollars: float
    scores: tuple[Score, ...]


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    """What was measured on a set; `dollars` were paid for indexing it.

    `clusters` says what the intervals draw again: "question" or "repository".
    """

    set: str
    questions: int
    collections: int
    documents: int
    chunks: int
    index_seconds: float
    dollars: float
    clusters: str
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class Generated:
    """A set that was made in `folder`: `questions` about `files`, chosen among `candidates`."""

    folder: str
    questions: int
    files: int
    candidates: int


@dataclass(frozen=True, slots=True)
class Share:
    """So many (`count`) of so many (`total`), as a share from 0 to 1 with its 95 % interval."""

    count: int
    total: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class GroundingFigures:
    """How the statements of a group were judged.

    Of true statements: *supported*, *undecided*, *refused*; of false ones: *caught* (refused),
    *false_undecided*, *missed* (supported).
    """

    name: str
    supported: Share
    undecided: Share
    refused: Share
    caught: Share
    false_undecided: Share
    missed: Share


@dataclass(frozen=True, slots=True)
class CitedText:
    """Lines that a statement cites, and the headers of the definitions around them."""

    path: str
    first_line: int
    lines: tuple[str, ...]
    enclosing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Misjudged:
    """A true statement that was refused (`falsification` is ""), or a false one that was not."""

    repository: str
    statement: str
    kind: str
    falsification: str
    verdict: str
    reason: str
    cited: tuple[CitedText, ...]


@dataclass(frozen=True, slots=True)
class GroundingReport:
    """What a verifier of statements catches, over all and by group; times in milliseconds."""

    phrasings: str
    seed: int
    statements: int
    files: int
    milliseconds: float  # for one statement
    overall: GroundingFigures
    kinds: tuple[GroundingFigures, ...]
    falsifications: tuple[GroundingFigures, ...]
    languages: tuple[GroundingFigures, ...]
    repositories: tuple[GroundingFigures, ...]
    misjudged: tuple[Misjudged, ...]
