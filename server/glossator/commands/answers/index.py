"""How the index stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """How the index stands afterwards; `problems` are sentences, each with a next step.

    `chunk_files` are in the index for Search; the disk space is that of both. `sharing` says where
    a team shares generated contexts, and how many came from there; `embedding` what embeds the
    chunks and what it billed, or why nothing does.
    """

    files: int
    indexed: int
    pending: int
    segments: int
    chunk_files: int
    disk_bytes: int
    milliseconds: float
    embedding: str
    problems: tuple[str, ...]
    sharing: str = ""
