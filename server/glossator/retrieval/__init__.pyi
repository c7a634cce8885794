from .candidate import chunk_text
from .chunk_index import ChunkIndex, IndexedFile, Matches
from .chunks import Chunk, described
from .cutting import cut_documents
from .embedding import Embedding, vectors_file
from .features import FEATURES, figures_of
from .ranker import VECTORS, ordered, rank, scaled
from .requests import ALL_STAGES, Place, Reason, Stages
from .retriever import ChunkStatus, Found, Hit, Retriever
from .telling import Telling, telling_lines
from .words import QuestionWords, question_of
from .work import chunks_of

__all__ = [
    "ALL_STAGES",
    "FEATURES",
    "VECTORS",
    "Chunk",
    "ChunkIndex",
    "ChunkStatus",
    "Embedding",
    "Found",
    "Hit",
    "IndexedFile",
    "Matches",
    "Place",
    "QuestionWords",
    "Reason",
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
