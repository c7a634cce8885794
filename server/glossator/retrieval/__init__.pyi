from .chunks import Chunk
from .jobs import ALL_STAGES, Place, Stages
from .retriever import ChunkStatus, Found, Hit, Retriever

__all__ = ["ALL_STAGES", "Chunk", "ChunkStatus", "Found", "Hit", "Place", "Retriever", "Stages"]
