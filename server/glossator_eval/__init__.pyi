from .commands import evaluations
from .engine import ChunkSearch, Embeddings, embeddings
from .generating import QUESTIONS, generate
from .grounding import MOST, measure_grounding
from .grounding_set import MadeStatement, statements
from .grounding_view import grounding_parts
from .labelled import (
    SYMBOL,
    Collection,
    GoldenChunk,
    GoldenLines,
    LabelledSet,
    LineRange,
    Question,
    SourceText,
    Target,
)
from .line_sets import read_documents
from .measuring import MakeRetriever, measure
from .metrics import definition_is_first, figure, measures, ndcg_at, pass_at, target_ranks
from .phrasing import HALVES, phrasings
from .plotting import check_plot, plot, plot_grounding
from .reading import read_set
from .report import (
    DEFINITION,
    DEPTH,
    MEASURES,
    MISSED,
    NDCG,
    CitedText,
    Figure,
    Generated,
    GroundingFigures,
    GroundingReport,
    GroupFigures,
    Misjudged,
    RetrievalReport,
    Score,
    Share,
    Variant,
)
from .repositories import Repository, read_repositories
from .retrieval_view import generated_parts, retrieval_parts
from .retriever import Result, Retriever, Stages

__all__ = [
    "DEFINITION",
    "DEPTH",
    "HALVES",
    "MEASURES",
    "MISSED",
    "MOST",
    "NDCG",
    "QUESTIONS",
    "SYMBOL",
    "ChunkSearch",
    "CitedText",
    "Collection",
    "Embeddings",
    "Figure",
    "Generated",
    "GoldenChunk",
    "GoldenLines",
    "GroundingFigures",
    "GroundingReport",
    "GroupFigures",
    "LabelledSet",
    "LineRange",
    "MadeStatement",
    "MakeRetriever",
    "Misjudged",
    "Question",
    "Repository",
    "Result",
    "RetrievalReport",
    "Retriever",
    "Score",
    "Share",
    "SourceText",
    "Stages",
    "Target",
    "Variant",
    "check_plot",
    "definition_is_first",
    "embeddings",
    "evaluations",
    "figure",
    "generate",
    "generated_parts",
    "grounding_parts",
    "measure",
    "measure_grounding",
    "measures",
    "ndcg_at",
    "pass_at",
    "phrasings",
    "plot",
    "plot_grounding",
    "read_documents",
    "read_repositories",
    "read_set",
    "retrieval_parts",
    "statements",
    "target_ranks",
]
