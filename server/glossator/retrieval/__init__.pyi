from .chunk_index import ChunkIndex, IndexedFile
from .chunks import Chunk, described
from .keeper import ChunkKeeper, ChunkStatus
from .ranker import rank
from .requests import ALL_STAGES, Place, Stages
from .retriever import Found, Hit, Retriever
from .words import question_of
from .work import chunks_of

__all__ = [
    "ALL_STAGES",
    "Chunk",
    "ChunkIndex",
    "ChunkKeeper",
    "ChunkStatus",
    "Found",
    "Hit",
    "IndexedFile",
    "Place",
    "Retriever",
    "Stages",
    "chunks_of",
    "described",
    "question_of",
    "rank",
]
