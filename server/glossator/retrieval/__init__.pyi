from .candidate import chunk_text
from .chunk_index import ChunkIndex, Matches
from .chunks import Chunk, described
from .cutting import cut_documents
from .embedding import Embedding, vectors_file
from .features import FEATURES, figures_of
from .index_writer import IndexedFile
from .keeper import ChunkKeeper, ChunkStatus
from .ranker import VECTORS, ordered, rank, scaled
from .requests import ALL_STAGES, Place, Reason, Stages
from .retriever import Found, Hit, Reordered, Rerank, Retriever
from .telling import Telling, telling_lines
from .words import QuestionWords, question_of
from .work import chunks_of

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
    "Matches",
    "Place",
    "QuestionWords",
    "Reason",
    "Reordered",
    "Rerank",
    "Retriever",
    "Stages",
    "Telling",
    "chunk_text",
    "chunks_of",
    "cut_documents",
    "described",
    "figures_of",
    "ordered",
    "question_of",
    "rank",
    "scaled",
    "telling_lines",
    "vectors_file",
]
