"""Move: a file, or a folder with its contents, gets another path."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

from glossator.core.document import Document, Missing
from glossator.core.edit import Applied, EditPlan, FileRename, Refused
from glossator.core.errors import UsageError
from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.shown import shown
from glossator.core.tool_result import ToolResult
from glossator.core.uri import to_uri
from glossator.edits.edit_target import edits_of
from glossator.tools import ToolArgs, ToolContext, in_thread
from glossator.workspace import WorkspaceSnapshot, is_inside

_MAX_FILES = 1_000  # in a folder: permission rules judge each, and undo keeps each
_MAX_BYTES = 100_000_000
_DOCUMENTS_NAMED = 5
_USE_BASH = "Use `mv` in Bash if that is what you want."
_REFERENCES_NOTE = "References to the old path change only if the editor updated them: Grep for it."


class MoveArgs(ToolArgs):
    """Arguments of Move."""

    path: str
    new_path: str = Field(description="The full new path.")

    def paths(self) -> tuple[str, ...]:
        """The old path and the new one."""
        return (self.path, self.new_path)

    def reached(self, snapshot: WorkspaceSnapshot) -> tuple[str, ...]:
        """Both paths, and for a folder those of every file in it."""
        ends = super().reached(snapshot)
        old, new = map(snapshot.resolve, self.paths())
        if isinstance(old, Missing) or old in snapshot.roots or not os.path.isdir(old):
            return ends
        folders = (old,) if isinstance(new, Missing) else (old, new)
        inside = _inside(old, self.path)
        return (*ends, *(os.path.join(folder, name) for folder in folders for name in inside))

    def asked_to(self) -> str:
        """From where to where."""
        return f"Move {self.path} to {self.new_path}"

    def preview(self, _context: ToolContext) -> str:
        """The two paths."""
        return f"{shown(self.path)}\n→ {shown(self.new_path)}"


class Move:
    """Moves or renames a file or folder through the editor, and replaces nothing."""

    name: ClassVar[str] = "Move"
    access: ClassVar[Access] = Access.WRITE
    args: ClassVar[type[ToolArgs]] = MoveArgs
    description = load_prompt("tools/move").render()

    async def run(self, args: MoveArgs, context: ToolContext) -> ToolResult:
        """Have the editor move it; lines that the model has read stay known."""
        snapshot, editing = context.snapshot, edits_of(context)
        rename = await in_thread(_rename, args, snapshot)
        old, new = snapshot.relative(rename.path), snapshot.relative(rename.new_path)
        before = await in_thread(_text, snapshot, rename)
        outcome = await editing.apply(EditPlan.of(f"Move {old} to {new}", rename))
        if isinstance(outcome, Refused):
            return ToolResult.failed(outcome.reason)
        if not isinstance(outcome, Applied):
            raise TypeError(f"a move has no text that could be in conflict: {outcome}")
        context.reads.moved(rename.path, rename.new_path)
        files = f" with {len(rename.inside):,} files" if rename.inside else ""
        said = [f"Moved {old} to {new}{files}.", outcome.note, _REFERENCES_NOTE]
        texts = {document.path: document.text for document in outcome.documents}
        if before is not None and texts.get(rename.new_path) != before:
            said.append("Its text changed at the same time: read it again before you rely on it.")
        if open_still := [path for path in texts if is_inside(path, rename.path)]:
            names = ", ".join(map(snapshot.relative, sorted(open_still)[:_DOCUMENTS_NAMED]))
            more = ", …" if len(open_still) > _DOCUMENTS_NAMED else ""
            said.append(
                f"Still open in the editor under the old path: {names}{more}; tell the user."
            )
        return ToolResult(" ".join(filter(None, said)))


def _rename(args: MoveArgs, snapshot: WorkspaceSnapshot) -> FileRename:
    """The rename that the call asks for. Raises `UsageError`."""
    old, mode = _source(snapshot, args.path)
    new = _destination(snapshot, args, is_folder=stat.S_ISDIR(mode))
    if is_inside(new, old):
        raise _refusal(f"{shown(args.new_path)} is inside {shown(args.path)} itself.")
    overlay = snapshot.overlays.get(old)
    uri = to_uri(old) if overlay is None else overlay.uri
    inside = _inside(old, args.path) if stat.S_ISDIR(mode) else ()
    return FileRename(uri, old, to_uri(new), new, inside)


def _source(snapshot: WorkspaceSnapshot, path: str) -> tuple[str, int]:
    """The real path, and its file mode."""
    located, real = snapshot.folders.locate(path), snapshot.resolve(path)
    if isinstance(located, Missing) or isinstance(real, Missing):
        raise _refusal(_outside(path))
    if real in snapshot.roots:
        raise _refusal(f"{shown(path)} is a workspace folder; only what is inside it can be moved.")
    if os.path.islink(located.rstrip(os.sep)):
        raise _refusal(f"{shown(path)} is a link.\n{_USE_BASH}")
    try:
        mode = os.lstat(real).st_mode
    except (FileNotFoundError, NotADirectoryError):
        if real in snapshot.overlays:
            why = "was never saved, so no file is there yet.\nAsk the user to save it"
            raise _refusal(f"{shown(path)} {why}.") from None
        raise _refusal(f"{shown(path)} does not exist.\nUse Glob to find its path.") from None
    except OSError as error:
        raise _refusal(f"{shown(path)} cannot be reached ({error.strerror}).") from error
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise _refusal(f"{shown(path)} is neither a file nor a folder.")
    return real, mode


def _destination(snapshot: WorkspaceSnapshot, args: MoveArgs, *, is_folder: bool) -> str:
    """The real path, where no file exists."""
    path = args.new_path
    located, real = snapshot.folders.locate(path), snapshot.resolve(path)
    if isinstance(located, Missing) or isinstance(real, Missing):
        raise _refusal(_outside(path))
    if os.path.isdir(real) or (path.endswith(("/", os.sep)) and not is_folder):
        name = os.path.basename(args.path.rstrip("/"))
        whole = shown(f"{path.rstrip('/')}/{name}")
        raise _refusal(f"{shown(path)} is a folder.\nGive the whole new path, such as {whole}.")
    if os.path.lexists(located) or os.path.lexists(real) or real in snapshot.overlays:
        why = "already exists, and Move replaces nothing.\nChoose another path"
        raise _refusal(f"{shown(path)} {why}.")
    above = os.path.dirname(real)
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    if not os.path.isdir(above):
        raise _refusal(f"{snapshot.relative(above)} is not a folder.\nChoose another path.")
    return real


def _inside(folder: str, path: str) -> tuple[str, ...]:
    """The files in a folder (a real path), relative to it, sorted. Raises `UsageError`."""
    names: list[str] = []
    size = 0
    try:
        for entry in _entries(folder):
            if not entry.is_file(follow_symlinks=False):
                why = "holds links or the like; Move takes only files and folders"
                raise _refusal(f"{shown(path)} {why}.\n{_USE_BASH}")
            names.append(os.path.relpath(entry.path, folder))
            size += entry.stat(follow_symlinks=False).st_size
            if len(names) > _MAX_FILES or size > _MAX_BYTES:
                most = f"more than {_MAX_FILES:,} files or {_MAX_BYTES // 1_000_000} MB"
                raise _refusal(f"{shown(path)} holds {most}.\nMove it in parts. {_USE_BASH}")
    except OSError as error:
        raise _refusal(f"{shown(path)} cannot be looked through ({error.strerror}).") from error
    if not names:
        raise _refusal(f"{shown(path)} holds no files, so there is nothing to move.")
    return tuple(sorted(names))


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    """All entries below a folder but folders; follows no links."""
    folders = [folder]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    yield entry


def _text(snapshot: WorkspaceSnapshot, rename: FileRename) -> str | None:
    found = None if rename.inside else snapshot.read(rename.path)
    return found.text if isinstance(found, Document) else None


def _outside(path: str) -> str:
    return f"{shown(path)} is outside the workspace; only paths inside its folders can be used."


def _refusal(why: str) -> UsageError:
    return UsageError(f"Nothing was moved: {why}")
