from .answers import (
    BatchesEnded,
    ContextsAnswer,
    ContextsEstimate,
    ContextsExported,
    ContextsImported,
)
from .batching import Pace
from .contexts import (
    ContextFile,
    ContextStore,
    clean_context,
    export_contexts,
    import_contexts,
)
from .estimate import ContextEstimate, PassageTokens, Tariff, price_passages
from .generate import ContextGenerator
from .passages import SourceChunk, SourceDocument
from .report import ContextProgress, ContextReport
from .rerank import Candidate, Reranked, Reranker, ordered
from .rerank_model import ModelReranker
from .rerank_services import CohereReranker, VoyageReranker, create_reranker
from .sharing import KIND, MAX_VALUE_BYTES, SharedContexts

__all__ = [
    "KIND",
    "MAX_VALUE_BYTES",
    "BatchesEnded",
    "Candidate",
    "CohereReranker",
    "ContextEstimate",
    "ContextFile",
    "ContextGenerator",
    "ContextProgress",
    "ContextReport",
    "ContextStore",
    "ContextsAnswer",
    "ContextsEstimate",
    "ContextsExported",
    "ContextsImported",
    "ModelReranker",
    "Pace",
    "PassageTokens",
    "Reranked",
    "Reranker",
    "SharedContexts",
    "SourceChunk",
    "SourceDocument",
    "Tariff",
    "VoyageReranker",
    "clean_context",
    "create_reranker",
    "export_contexts",
    "import_contexts",
    "ordered",
    "price_passages",
]
