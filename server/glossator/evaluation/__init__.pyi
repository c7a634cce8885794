from .engine import ChunkSearch, Embeddings, embeddings
from .generating import QUESTIONS, generate
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
from .plotting import check_plot, plot
from .reading import read_set
from .report import (
    DEFINITION,
    DEPTH,
    MEASURES,
    MISSED,
    NDCG,
    Figure,
    Generated,
    GroupFigures,
    RetrievalReport,
    Score,
    Variant,
)
from .repositories import Repository, read_repositories
from .retriever import Result, Retriever, Stages

__all__ = [
    "DEFINITION",
    "DEPTH",
    "MEASURES",
    "MISSED",
    "NDCG",
    "QUESTIONS",
    "SYMBOL",
    "ChunkSearch",
    "Collection",
    "Embeddings",
    "Figure",
    "Generated",
    "GoldenChunk",
    "GoldenLines",
    "GroupFigures",
    "LabelledSet",
    "LineRange",
    "MakeRetriever",
    "Question",
    "Repository",
    "Result",
    "RetrievalReport",
    "Retriever",
    "Score",
    "SourceText",
    "Stages",
    "Target",
    "Variant",
    "check_plot",
    "definition_is_first",
    "embeddings",
    "figure",
    "generate",
    "measure",
    "measures",
    "ndcg_at",
    "pass_at",
    "plot",
    "read_documents",
    "read_repositories",
    "read_set",
    "target_ranks",
]
