"""Rebuild index: bring the text index up to date, build it anew, or compare it with the files."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import StrEnum

from glossator.service.application import Application


class IndexMode(StrEnum):
    """What is done to the index."""

    UPDATE = "update"
    REBUILD = "rebuild"
    CHECK = "check"


@dataclass(frozen=True, slots=True)
class IndexRequest:
    """By default everything is built anew; `check` changes nothing."""

    mode: IndexMode = IndexMode.REBUILD


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """How the index stands afterwards; `problems` are sentences, each with a next step."""

    files: int
    indexed: int
    pending: int
    segments: int
    disk_bytes: int
    milliseconds: float
    problems: tuple[str, ...]


async def rebuild_index(app: Application, request: IndexRequest) -> IndexAnswer:
    """Do it and wait until it is done; its progress is shown as work in the background."""
    started = time.perf_counter()
    await app.ready()
    problems: tuple[str, ...] = ()
    match request.mode:
        case IndexMode.UPDATE:
            await app.host.settle()
        case IndexMode.REBUILD:
            await app.host.rebuild()
        case IndexMode.CHECK:
            problems = await app.host.check()
    status = app.host.status()
    return IndexAnswer(
        files=status.files,
        indexed=status.index.documents + status.index.delta,
        pending=status.index.pending,
        segments=status.index.segments,
        disk_bytes=status.index.disk_bytes,
        milliseconds=(time.perf_counter() - started) * 1000,
        problems=problems,
    )
