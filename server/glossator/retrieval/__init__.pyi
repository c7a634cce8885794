from .chunks import Chunk
from .lexical import Found, Hit, Ranking, best_chunks, rank

__all__ = ["Chunk", "Found", "Hit", "Ranking", "best_chunks", "rank"]
