from .answers import (
    BatchesEnded,
    ContextsAnswer,
    ContextsEstimate,
    ContextsExported,
    ContextsImported,
    SearchAnswer,
    SearchHit,
    SearchReason,
    StagePlace,
)
from .chunks.candidate import chunk_key, chunk_text, chunks_of
from .chunks.chunk_index import ChunkIndex, IndexedFile, Matches
from .chunks.cutting import Chunk, described
from .chunks.jobs import KeepContexts, cut_documents
from .chunks.keeper import ChunkKeeper
from .chunks.requests import ALL_STAGES, ChunkStatus, Reason, StageRank, Stages
from .chunks.words import BestLines, QuestionWords, best_lines, question_of, terms_of
from .contexts.batches import Pace
from .contexts.context_file import (
    ContextFile,
    ContextStore,
    clean_context,
    contexts_file,
    export_contexts,
    import_contexts,
)
from .contexts.costs import (
    ContextEstimate,
    ContextProgress,
    ContextReport,
    PassageTokens,
    Tariff,
    price_passages,
)
from .contexts.generate import ContextGenerator
from .contexts.passages import SourceChunk, SourceDocument
from .contexts.sharing import KIND, MAX_VALUE_BYTES, SharedContexts
from .embeddings.choice import choose, place_of
from .embeddings.chunk_vectors import NearQuestion, opened_vectors
from .embeddings.embedder import (
    Embedder,
    EmbedderChoice,
    PackedVectors,
    Vectors,
    embedding_text,
    text_key,
)
from .embeddings.embedding import Embedding, vectors_file
from .embeddings.jobs import EmbedChunks, Embedded, EmbedQuery, opened
from .embeddings.vector_store import KeptVectors, VectorPlace, VectorStore
from .features import FEATURES, figures_of
from .ranker import VECTORS, ordered, rank, scaled
from .rerank import (
    Candidate,
    CohereReranker,
    ModelReranker,
    Reranked,
    Reranker,
    VoyageReranker,
    create_reranker,
)
from .retriever import Found, Hit, Reordered, Rerank, Retriever
from .search_tool import (
    MAX_CHUNKS,
    MAX_QUERY,
    MAX_TOKENS,
    WHOLE_CHUNKS,
    RankedRetriever,
    Search,
    SearchArgs,
    search_answer,
)

__all__ = [
    "ALL_STAGES",
    "FEATURES",
    "KIND",
    "MAX_CHUNKS",
    "MAX_QUERY",
    "MAX_TOKENS",
    "MAX_VALUE_BYTES",
    "VECTORS",
    "WHOLE_CHUNKS",
    "BatchesEnded",
    "BestLines",
    "Candidate",
    "Chunk",
    "ChunkIndex",
    "ChunkKeeper",
    "ChunkStatus",
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
    "EmbedChunks",
    "EmbedQuery",
    "Embedded",
    "Embedder",
    "EmbedderChoice",
    "Embedding",
    "Found",
    "Hit",
    "IndexedFile",
    "KeepContexts",
    "KeptVectors",
    "Matches",
    "ModelReranker",
    "NearQuestion",
    "Pace",
    "PackedVectors",
    "PassageTokens",
    "QuestionWords",
    "RankedRetriever",
    "Reason",
    "Reordered",
    "Rerank",
    "Reranked",
    "Reranker",
    "Retriever",
    "Search",
    "SearchAnswer",
    "SearchArgs",
    "SearchHit",
    "SearchReason",
    "SharedContexts",
    "SourceChunk",
    "SourceDocument",
    "StagePlace",
    "StageRank",
    "Stages",
    "Tariff",
    "VectorPlace",
    "VectorStore",
    "Vectors",
    "VoyageReranker",
    "best_lines",
    "choose",
    "chunk_key",
    "chunk_text",
    "chunks_of",
    "clean_context",
    "contexts_file",
    "create_reranker",
    "cut_documents",
    "described",
    "embedding_text",
    "export_contexts",
    "figures_of",
    "import_contexts",
    "opened",
    "opened_vectors",
    "ordered",
    "place_of",
    "price_passages",
    "question_of",
    "rank",
    "scaled",
    "search_answer",
    "terms_of",
    "text_key",
    "vectors_file",
]
