from .chunk_index import ChunkIndex, IndexedFile
from .chunks import Chunk, described
from .ranker import rank
from .requests import ALL_STAGES, Place, Reason, Stages
from .retriever import ChunkStatus, Found, Hit, Retriever
from .telling import Telling, telling_lines
from .words import question_of
from .work import chunks_of

__all__ = [
    "ALL_STAGES",
    "Chunk",
    "ChunkIndex",
    "ChunkStatus",
    "Found",
    "Hit",
    "IndexedFile",
    "Place",
    "Reason",
    "Retriever",
    "Stages",
    "Telling",
    "chunks_of",
    "described",
    "question_of",
    "rank",
    "telling_lines",
]
