from .answers import SearchAnswer, SearchHit, SearchReason, StagePlace
from .chunks.candidate import chunk_key, chunk_text
from .chunks.chunk_index import ChunkIndex, Matches
from .chunks.cutting import Chunk, described
from .chunks.documents import cut_documents
from .chunks.fresh import chunks_of
from .chunks.index_writer import IndexedFile
from .chunks.jobs import KeepContexts
from .chunks.keeper import ChunkKeeper
from .chunks.requests import ALL_STAGES, ChunkStatus, Place, Reason, Stages
from .chunks.stamps import contexts_file
from .chunks.words import QuestionWords, question_of, terms_of
from .contexts.answers import (
    BatchesEnded,
    ContextsAnswer,
    ContextsEstimate,
    ContextsExported,
    ContextsImported,
)
from .contexts.batching import Pace
from .contexts.context_file import (
    ContextFile,
    ContextStore,
    clean_context,
    export_contexts,
    import_contexts,
)
from .contexts.estimate import ContextEstimate, PassageTokens, Tariff, price_passages
from .contexts.generate import ContextGenerator
from .contexts.passages import SourceChunk, SourceDocument
from .contexts.report import ContextProgress, ContextReport
from .contexts.sharing import KIND, MAX_VALUE_BYTES, SharedContexts
from .embeddings.choosing import choose, place_of
from .embeddings.chunk_vectors import NearQuestion
from .embeddings.embedder import Embedder, EmbedderChoice, Vectors, embedding_text, text_key
from .embeddings.embedding import Embedding, vectors_file
from .embeddings.jobs import EmbedChunks, Embedded, EmbedQuery
from .embeddings.kept import KeptVectors, VectorPlace
from .embeddings.opening import opened, opened_vectors
from .embeddings.vector_index import APPROXIMATE_ABOVE, VectorIndex
from .embeddings.vector_store import PackedVectors, VectorStore
from .features import FEATURES, figures_of
from .ranker import VECTORS, ordered, rank, scaled
from .rerank import Candidate, Reranked, Reranker
from .rerank_model import ModelReranker
from .rerank_services import CohereReranker, VoyageReranker, create_reranker
from .retriever import Found, Hit, Reordered, Rerank, Retriever
from .search_tool import (
    MAX_CHUNKS,
    MAX_QUERY,
    MAX_TOKENS,
    RankedRetriever,
    Search,
    SearchArgs,
    search_answer,
)
from .telling import Telling, telling_lines

__all__ = [
    "ALL_STAGES",
    "APPROXIMATE_ABOVE",
    "FEATURES",
    "KIND",
    "MAX_CHUNKS",
    "MAX_QUERY",
    "MAX_TOKENS",
    "MAX_VALUE_BYTES",
    "VECTORS",
    "BatchesEnded",
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
    "Place",
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
    "Stages",
    "Tariff",
    "Telling",
    "VectorIndex",
    "VectorPlace",
    "VectorStore",
    "Vectors",
    "VoyageReranker",
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
    "telling_lines",
    "terms_of",
    "text_key",
    "vectors_file",
]
