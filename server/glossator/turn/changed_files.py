"""The files that a turn changed, as people name them: what matters to them first."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence

from glossator.application import Application
from glossator.core.errors import StoreUnavailable
from glossator.core.run_events import ChangedFile, FilesChanged
from glossator.core.uri import to_uri
from glossator.sessions import Run, Session
from glossator.undo import CHECKPOINTS, FileDelta
from glossator.workspace import WorkspaceSnapshot

_MOST_FILES = 200  # that are told
_MADE = re.compile(  # by tools for themselves: caches, and what compilers leave
    r"(?:^|/)(?:__pycache__/|\.[^/]*cache/)|\.(?:py[co]|o|obj|class|a|lib|so|dylib|dll|exe|wasm)$"
)


async def tell_changed_files(app: Application, session: Session, run: Run) -> None:
    """Show which files the run has changed, if it has changed any."""
    if not session.kept(CHECKPOINTS):
        return
    changed: list[str] = []

    def first(paths: Sequence[str]) -> list[str]:
        changed.extend(counting(app, session, telling_first(session, paths)))
        return changed[:_MOST_FILES]

    try:
        deltas = await app.acting.of(session).checkpoints.deltas(run.id, first)
    except StoreUnavailable:
        return  # the user has read that nothing can be kept
    if deltas:
        files = await asyncio.to_thread(views_of, app.host.snapshot(), deltas)
        unsaved = await unsaved_files(app, session, run.id)
        run.emit(FilesChanged(files, max(0, len(changed) - _MOST_FILES), unsaved))


async def unsaved_files(app: Application, session: Session, run_id: str) -> tuple[str, ...]:
    """The files that a run edited, and that only the editor has as they were edited."""
    found = await app.acting.of(session).unsaved_now()
    return tuple(each.path for each in found if each.run_id == run_id and not each.gone)


def changed_files(app: Application, session: Session, turn: str) -> tuple[str, ...]:
    """The paths of the files that a turn changed; those the conversation knows come first."""
    turns = app.acting.of(session).checkpoints.turns if session.kept(CHECKPOINTS) else ()
    paths = [path for each in turns if each.turn == turn for path in each.paths]
    return tuple(map(app.host.snapshot().relative, telling_first(session, paths)))


def views_of(snapshot: WorkspaceSnapshot, deltas: Iterable[FileDelta]) -> tuple[ChangedFile, ...]:
    """Changes as clients see them; blocking."""
    relative = snapshot.relative
    return tuple(
        ChangedFile(
            relative(delta.path), to_uri(delta.path), delta.change, *(delta.counts or (None, None))
        )
        for delta in deltas
    )


def telling_first(session: Session, paths: Iterable[str]) -> list[str]:
    """First what the conversation read or edited, what tools keep for themselves last."""
    known = session.reads.paths()
    return sorted(paths, key=lambda each: (bool(_MADE.search(each)), each not in known, each))


def counting(app: Application, session: Session, paths: Iterable[str]) -> list[str]:
    """Those that people call changed files: none that is ignored or compiled; blocking.

    What the conversation read or edited counts all the same.
    """
    known = session.reads.paths()
    return [
        path
        for path in paths
        if path in known or not (_MADE.search(path) or app.host.is_ignored(path))
    ]
