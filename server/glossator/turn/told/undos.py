"""What a conversation is told of undos: a reminder, once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from glossator.application import Application
from glossator.prompts import load_prompt
from glossator.sessions import Session
from glossator.turn.changed_files import telling_first
from glossator.undo import CHECKPOINTS, FileState, NoFile

_NAMED = 30  # files that the model knows, in a reminder
_OTHERS = 5  # files that it does not know; where there are more, they are only counted
_UNDO = "an undo: changes made earlier in this conversation are taken back"
_REDO = "a redo: changes that I had taken back are made again"
_BOTH = "undo and redo: some earlier changes are taken back, some made again"


def undo_reminder(app: Application, session: Session) -> str:
    """A reminder of undos that the model does not know yet; may be empty."""
    if not files_undone(app, session):
        return ""
    unseen = app.acting.of(session).checkpoints.unseen_undos
    redone = unseen.redone
    how = _REDO if all(redone) else _BOTH if any(redone) else _UNDO
    files = _named(unseen.left, session, app.host.snapshot().relative)
    return load_prompt("user/undone").render(how=how, files="\n".join(files))


def files_undone(app: Application, session: Session) -> frozenset[str]:
    """The files that the reminder is about; real paths."""
    if not session.kept(CHECKPOINTS):
        return frozenset()
    return frozenset(app.acting.of(session).checkpoints.unseen_undos.left)


def mark_undos_seen(app: Application, session: Session) -> None:
    """The model has read the reminder; do not repeat it."""
    if session.kept(CHECKPOINTS):
        app.acting.of(session).checkpoints.mark_undos_seen()


def _named(
    left: Mapping[str, FileState], session: Session, relative: Callable[[str], str]
) -> Iterator[str]:
    """A line for each file; of many that the conversation does not know, how many they are."""
    known = session.reads.paths()
    paths = telling_first(session, left)
    seen = [path for path in paths if path in known]
    others = [path for path in paths if path not in known]
    few = others if len(others) <= _OTHERS else []
    for path in (*seen[:_NAMED], *few):
        yield f"- {relative(path)}{' (not there now)' * isinstance(left[path], NoFile)}"
    if more := seen[_NAMED:]:
        yield f"- and {len(more):,} more that you read or edited"
    if others and not few:
        which = f"and {len(others):,} other files" if seen else f"{len(others):,} files"
        gone = sum(isinstance(left[path], NoFile) for path in others)
        some = "none is" if gone == len(others) else f"{gone:,} of them not"
        there = f" ({some} there now)" if gone else ""
        yield f"- {which} that you never read or edited{there}"
