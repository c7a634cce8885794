from .answers import SearchAnswer, SearchHit, SearchReason, StagePlace
from .candidate import chunk_key, chunk_text
from .chunk_index import ChunkIndex, Matches
from .chunks import Chunk, described
from .cutting import cut_documents
from .embedding import Embedding, vectors_file
from .features import FEATURES, figures_of
from .fresh import chunks_of
from .index_writer import IndexedFile
from .jobs import KeepContexts
from .keeper import ChunkKeeper
from .ranker import VECTORS, ordered, rank, scaled
from .requests import ALL_STAGES, ChunkStatus, Place, Reason, Stages
from .retriever import Found, Hit, Reordered, Rerank, Retriever
from .stamps import contexts_file
from .telling import Telling, telling_lines
from .vectors import NearQuestion
from .words import QuestionWords, question_of, terms_of

__all__ = [
    "ALL_STAGES",
    "FEATURES",
    "VECTORS",
    "Chunk",
    "ChunkIndex",
    "ChunkKeeper",
    "ChunkStatus",
    "Embedding",
    "Found",
    "Hit",
    "IndexedFile",
    "KeepContexts",
    "Matches",
    "NearQuestion",
    "Place",
    "QuestionWords",
    "Reason",
    "Reordered",
    "Rerank",
    "Retriever",
    "SearchAnswer",
    "SearchHit",
    "SearchReason",
    "StagePlace",
    "Stages",
    "Telling",
    "chunk_key",
    "chunk_text",
    "chunks_of",
    "contexts_file",
    "cut_documents",
    "described",
    "figures_of",
    "ordered",
    "question_of",
    "rank",
    "scaled",
    "telling_lines",
    "terms_of",
    "vectors_file",
]
