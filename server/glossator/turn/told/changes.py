"""Tells the model once what changed in the files that its conversation has read.

The user, the editor or a command may have changed them, between two runs or during one. The model's
own edits are not repeated; undos are told in a reminder of their own. At the end of a run the user
is told which files it changed.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from glossator.application import Application
from glossator.core.document import Document, Missing, MissingReason, Origin
from glossator.core.errors import StoreUnavailable, TooManyOpenFiles
from glossator.core.line_diff import changed_blocks, lines_with_ends
from glossator.core.looks import look
from glossator.core.notebook import is_notebook
from glossator.core.prompts import load_prompt
from glossator.core.run_events import ChangedFile, FilesChanged
from glossator.core.span import Span, whole_and_cut
from glossator.core.uri import to_uri
from glossator.edits import line_ranges, lines_around, numbered_lines
from glossator.sessions import Run, Session
from glossator.store import Objects
from glossator.tools import (
    IsHidden,
    ReadDocument,
    ReadState,
)
from glossator.undo import CHECKPOINTS, FileDelta, FileState, NoFile
from glossator.workspace import WorkspaceSnapshot

_MAX_TOLD_FILES = 200  # that are told
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
        return changed[:_MAX_TOLD_FILES]

    try:
        deltas = await app.acting.of(session).checkpoints.deltas(run.id, first)
    except StoreUnavailable:
        return  # the user has read that nothing can be kept
    if deltas:
        files = await asyncio.to_thread(views_of, app.host.snapshot(), deltas)
        unsaved = await unsaved_files(app, session, run.id)
        run.emit(FilesChanged(files, max(0, len(changed) - _MAX_TOLD_FILES), unsaved))


def changes_of(app: Application, session: Session) -> int:
    """A number that grows as edits and commands change files; 0 if none did in the session."""
    checkpoints = app.acting.of(session).checkpoints if session.kept(CHECKPOINTS) else None
    return checkpoints.changes + 1 if checkpoints else 0


async def texts_before(
    app: Application, session: Session, run: Run
) -> Mapping[str, tuple[str, ...]]:
    """What files held that the session changed: before its first change, and before this run's.

    By their absolute paths; notebooks are left out, and files that were not there.
    """
    checkpoints = app.acting.of(session).checkpoints
    texts: dict[str, dict[str, None]] = {}
    try:
        for turn in (None, run.id):
            for path, text in (await checkpoints.texts_before(turn, _some_texts)).items():
                texts.setdefault(path, {})[text] = None
    except StoreUnavailable:
        return {}  # the user has read that nothing can be kept
    return {path: tuple(each) for path, each in texts.items()}


def _some_texts(paths: Sequence[str]) -> list[str]:
    return [path for path in paths if not is_notebook(path)][-_MAX_TOLD_FILES:]


async def unsaved_files(app: Application, session: Session, run_id: str) -> tuple[str, ...]:
    """The files that a run edited and that only the editor has in that state."""
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
    """Sort: first what the conversation read or edited, last what tools keep for themselves."""
    known = session.reads.paths()
    return sorted(paths, key=lambda each: (bool(_MADE.search(each)), each not in known, each))


def counting(app: Application, session: Session, paths: Iterable[str]) -> list[str]:
    """The files that people call changed: none that is ignored or compiled; blocking.

    A file that the conversation read or edited always counts.
    """
    known = session.reads.paths()
    return [
        path
        for path in paths
        if path in known or not (_MADE.search(path) or app.host.is_ignored(path))
    ]


logger = logging.getLogger(__name__)

_FEW = 10  # files whose stamps are asked for on the event loop
_MAX_NAMED_FILES = 30  # that are named
_MAX_SHOWN_LINES = 60  # that are shown of them all,
_OF_FILE = 20  # and of one
_CONTEXT = 1  # lines around a change
_LINE_CHARACTERS = 500
_UNDONE_NAMED = 30  # files that the model knows, in a reminder of undos
_UNDONE_OTHERS = 5  # files that it does not know; where there are more, they are only counted
_UNDO = "an undo: changes made earlier in this conversation are taken back"
_REDO = "a redo: changes that I had taken back are made again"
_BOTH = "undo and redo: some earlier changes are taken back, some made again"

_UNKNOWN = frozenset({MissingReason.OUTSIDE, MissingReason.CHANGING})  # nothing can be said


@dataclass(frozen=True, slots=True)
class _ChangedFile:
    """A file that changed since it was read; `before` is None if that text was not kept."""

    seen: ReadDocument
    before: Document | None
    now: Document | Missing


@dataclass(frozen=True, slots=True)
class _Told:
    """A change in words, and the lines of the current text that the model now knows."""

    change: _ChangedFile
    words: str
    shown: tuple[Span, ...]
    lines: frozenset[int]


async def describe_changes(app: Application, session: Session, known: Collection[str] = ()) -> str:
    """Describe the changes to the model; may be empty. It learns of `known` files in other ways.

    After this call the model counts as informed: what it read refers to the current texts.
    """
    reads = session.reads
    seen = {each.path: each for each in reads.read_documents()}
    if not seen:
        return ""
    snapshot, hidden = app.host.snapshot(), app.acting.hidden()
    if len(seen) <= _FEW:  # to ask for so many stamps takes less than to wake a thread
        doubtful = _doubtful(snapshot, reads, seen.values())
    else:
        doubtful = await look(_doubtful, snapshot, reads, seen.values())
    found = await look(_look, snapshot, hidden, doubtful) if doubtful else {}
    for path, now in found.items():
        if isinstance(now, Document) and now.sha256 == seen[path].sha256:
            reads.saw(now)  # after a resume its text was not known
    other = [path for path, now in found.items() if not _is_as_seen(now, seen[path])]
    texts = await _kept(app, [seen[path] for path in other if reads.last(path) is None])
    changed = [
        _ChangedFile(seen[p], reads.last(p) or texts.get(p), found[p]) for p in sorted(other)
    ]
    told = await look(_tell, snapshot, reads, changed, known) if changed else []
    current = [each.now for each in changed if isinstance(each.now, Document)]
    await _keep(app, session, (*reads.documents(), *current))
    for each in told:  # nothing is awaited from here on
        if isinstance(each.change.now, Missing):
            reads.forget(each.change.seen.path)
        else:
            reads.became(each.change.now, each.lines)
            reads.show(each.shown)
    words = [each.words for each in told if each.words]
    if not words:
        return ""
    if len(words) > _MAX_NAMED_FILES:
        words[_MAX_NAMED_FILES:] = [f"- and {len(words) - _MAX_NAMED_FILES:,} more"]
    return load_prompt("user/changed").render(files="\n".join(words))


async def keep_texts(app: Application, session: Session) -> None:
    """Keep the texts that were read, by their hashes, for when the session is resumed."""
    await _keep(app, session, session.reads.documents())


def _look(
    snapshot: WorkspaceSnapshot, hidden: IsHidden | None, seen: Iterable[ReadDocument]
) -> dict[str, Document | Missing]:
    """Read the current texts."""
    found: dict[str, Document | Missing] = {}
    try:
        for path, *_ in seen:
            overlay = snapshot.overlays.get(path)
            now = snapshot.read(path) if overlay is None else overlay.document
            is_unknown = isinstance(now, Missing) and now.reason in _UNKNOWN
            if not is_unknown and (hidden is None or not hidden(path)):
                found[path] = now
    except TooManyOpenFiles as error:  # the rest is looked at the next time
        logger.info("%s", error)
    return found


def _doubtful(
    snapshot: WorkspaceSnapshot, reads: ReadState, seen: Iterable[ReadDocument]
) -> tuple[ReadDocument, ...]:
    """Those that may read otherwise than they were seen, by their stamps, or whose text is lost."""
    return tuple(
        each
        for each in seen
        if each.path in snapshot.overlays
        or reads.last(each.path) is None  # read before a resume
        or not snapshot.cache.is_current(each.path, each.sha256)
    )


def _is_as_seen(now: Document | Missing, seen: ReadDocument) -> bool:
    return isinstance(now, Document) and now.sha256 == seen.sha256


def _tell(
    snapshot: WorkspaceSnapshot,
    reads: ReadState,
    changed: Iterable[_ChangedFile],
    known: Collection[str],
) -> list[_Told]:
    told = []
    room = _MAX_SHOWN_LINES
    for change in changed:
        each = _told(snapshot.relative(change.seen.path), change, reads, min(room, _OF_FILE))
        if change.seen.path in known:
            each = _Told(change, "", (), each.lines)
        room -= sum(span.last_line - span.first_line + 1 for span in each.shown)
        told.append(each)
    return told


def _told(name: str, change: _ChangedFile, reads: ReadState, room: int) -> _Told:
    before, now = change.before, change.now
    if isinstance(now, Missing):
        absent = now.reason is MissingReason.ABSENT
        why = "not there now" if absent else f"now {now.reason}"
        return _Told(change, f"- {name} ({why})", (), frozenset())
    lines = reads.lines(now)
    if before is None:
        return _Told(change, f"- {name} (read it again)", (), lines)
    blocks = changed_blocks(lines_with_ends(before.text), lines_with_ends(now.text))
    new = {line for each in blocks for line in range(each.new_start + 1, each.new_end + 1)}
    deleted = any(each.new_start == each.new_end for each in blocks)
    known = reads.known_lines(before, now)
    if new <= lines and not deleted:  # a tool showed it meanwhile
        return _Told(change, "", (), known)
    numbers = lines_around(blocks, now, _CONTEXT)
    if len(numbers) > room:
        where = f"lines {line_ranges(sorted(new))}" if new else "lines were deleted"
        return _Told(change, f"- {name}: {where} (read it again)", (), known)
    whole, _ = whole_and_cut(now, numbers, _LINE_CHARACTERS)
    text = numbered_lines(now, numbers, _LINE_CHARACTERS) or "[empty]"
    return _Told(change, f"- {name}:\n{text}", whole, known)


async def _kept(app: Application, wanted: list[ReadDocument]) -> Mapping[str, Document]:
    """The kept texts by path."""

    def get(objects: Objects) -> dict[str, Document]:
        texts = {each: objects.get(each.sha256) for each in wanted}
        return {
            path: Document(
                uri, path, raw.decode("utf-8", "surrogatepass"), sha256, None, Origin.DISK
            )
            for (path, uri, sha256), raw in texts.items()
            if raw is not None
        }

    if not wanted:
        return {}
    try:
        return await app.acting.store().run(get)
    except StoreUnavailable as error:
        logger.warning("%s", error)
        return {}


async def _keep(app: Application, session: Session, documents: Iterable[Document]) -> None:
    known = session.reads.kept
    fresh = {each.sha256: each.text for each in documents if each.sha256 not in known}
    if not fresh or not session.on_disk:
        return

    def put(objects: Objects) -> None:
        objects.put(text.encode("utf-8", "surrogatepass") for text in fresh.values())

    try:
        await app.acting.store().run(put)
    except StoreUnavailable as error:  # what changed in them can then not be said
        logger.warning("%s", error)
    else:
        known.update(fresh)


def undo_reminder(app: Application, session: Session) -> str:
    """A reminder of undos that the model does not know of yet; may be empty."""
    if not files_undone(app, session):
        return ""
    unseen = app.acting.of(session).checkpoints.unseen_undos
    redone = unseen.redone
    how = _REDO if all(redone) else _BOTH if any(redone) else _UNDO
    files = _undone_files(unseen.left, session, app.host.snapshot().relative)
    return load_prompt("user/undone").render(how=how, files="\n".join(files))


def files_undone(app: Application, session: Session) -> frozenset[str]:
    """The files that the reminder is about; real paths."""
    if not session.kept(CHECKPOINTS):
        return frozenset()
    return frozenset(app.acting.of(session).checkpoints.unseen_undos.left)


def mark_undos_seen(app: Application, session: Session) -> None:
    """Note that the model has read the reminder, so that it is not repeated."""
    if session.kept(CHECKPOINTS):
        app.acting.of(session).checkpoints.mark_undos_seen()


def _undone_files(
    left: Mapping[str, FileState], session: Session, relative: Callable[[str], str]
) -> Iterator[str]:
    """A line for each file; of those the conversation does not know, perhaps only their number."""
    known = session.reads.paths()
    paths = telling_first(session, left)
    seen = [path for path in paths if path in known]
    others = [path for path in paths if path not in known]
    few = others if len(others) <= _UNDONE_OTHERS else []
    for path in (*seen[:_UNDONE_NAMED], *few):
        yield f"- {relative(path)}{' (not there now)' * isinstance(left[path], NoFile)}"
    if more := seen[_UNDONE_NAMED:]:
        yield f"- and {len(more):,} more that you read or edited"
    if others and not few:
        which = f"and {len(others):,} other files" if seen else f"{len(others):,} files"
        gone = sum(isinstance(left[path], NoFile) for path in others)
        some = "none is" if gone == len(others) else f"{gone:,} of them not"
        there = f" ({some} there now)" if gone else ""
        yield f"- {which} that you never read or edited{there}"
