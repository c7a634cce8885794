"""What the editor shows when a question is asked: paths and lines, told again when they change.

Editors that send `glossator/editorState` say what is active, visible and selected; of other editors
the open documents are known. Hidden files and files outside the workspace are never named.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence
from functools import partial

from glossator.application import Application, WorkspaceNow
from glossator.core.attached import EditorState, ShownLines
from glossator.core.prompts import load_prompt
from glossator.core.shown import in_tags, shown
from glossator.core.tool_result import shorten
from glossator.core.uri import to_path
from glossator.permissions import HiddenFiles
from glossator.sessions import EDITOR_STATE, Session
from glossator.turn.told.part import Telling
from glossator.workspace import WorkspaceSnapshot

MAX_TABS = 10
MAX_EDITED = 3

_PATH_CHARACTERS = 200
_LIST_BYTES = {"Open": 350, "Edited last": 150}  # with what is active, 300 tokens in all


async def editor_state(app: Application, now: WorkspaceNow, session: Session) -> Telling:
    """What the model is told; nothing if no document is open or nothing changed since."""
    if not app.settings.context.ambient:
        return Telling()
    if app.editor_state is None and not now.snapshot.overlays:
        return Telling()
    told = await asyncio.to_thread(_in_words, app.editor_state, now.snapshot, now.hidden)
    if not told or session.kept(EDITOR_STATE)[-1:] == [told]:
        return Telling()
    text = load_prompt("user/editor_state").render(told=in_tags(told))
    return Telling((text,), partial(session.keep, EDITOR_STATE, told))


def _in_words(
    state: EditorState | None, snapshot: WorkspaceSnapshot, hidden: HiddenFiles | None
) -> str:
    documents = sorted(snapshot.overlays.values(), key=lambda each: -each.changed_ns)
    state = state or EditorState(tabs=tuple(document.uri for document in documents))
    paths = {document.uri: document.path for document in documents}

    def names(uris: Iterable[str], most: int) -> list[str]:
        """The names of documents that may be named, each once: at most `most` and one more."""
        found: dict[str, None] = {}
        for uri in uris:
            if len(found) <= most and (name := _name(uri, paths, snapshot, hidden)):
                found[name] = None
        return list(found)

    active = names([state.active] if state.active else [], 1)
    edited = names((document.uri for document in documents if document.edits), MAX_EDITED)
    tabs = [name for name in names(state.tabs, MAX_TABS + 1) if name not in active]
    lines = [f"Active: {name}{_lines(state)}" for name in active]
    lines += _list("Open", tabs, MAX_TABS)
    lines += _list("Edited last", edited, MAX_EDITED)
    return "\n".join(lines)


def _name(
    uri: str, paths: dict[str, str], snapshot: WorkspaceSnapshot, hidden: HiddenFiles | None
) -> str:
    """The workspace-relative path; "" if the document must not be named."""
    path = to_path(uri)
    if path is None:  # an unsaved document without a file
        return shown(paths[uri]) if uri.startswith("untitled:") and uri in paths else ""
    try:
        real = os.path.realpath(path)
    except (OSError, ValueError):
        return ""
    if snapshot.folders.owner(real) is None:
        return ""
    if hidden is not None and (hidden(path) or hidden(real)):
        return ""
    return shorten(snapshot.relative(real), _PATH_CHARACTERS)


def _lines(state: EditorState) -> str:
    parts = (_range(state.visible, "visible"), _range(state.selected, "selected"))
    return "".join(f", {part}" for part in parts if part)


def _range(lines: ShownLines | None, word: str) -> str:
    return "" if lines is None else f"lines {lines.first_line}-{lines.last_line} {word}"


def _list(title: str, names: Sequence[str], most: int) -> list[str]:
    """One line with the first names that fit."""
    kept: list[str] = []
    room = _LIST_BYTES[title]
    for name in names[:most]:
        room -= len(name.encode("utf-8", "surrogatepass")) + 2
        if room < 0:
            break
        kept.append(name)
    more = ["and more"] * (len(kept) < len(names))
    return [f"{title}: {', '.join((*kept, *more))}"] * bool(kept)
