"""Attachments of a question: lines with their numbers, images, listings of folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from typing import Protocol

from glossator.core.attached import Attached, Exhibit
from glossator.core.citations import place
from glossator.core.document import Missing, MissingReason
from glossator.core.errors import UsageError
from glossator.core.images import MAX_SCALED_BYTES, image_of, is_image
from glossator.core.prompts import load_prompt
from glossator.core.shown import in_tags, shown
from glossator.core.span import Span
from glossator.core.tokens import BYTES_PER_TOKEN
from glossator.core.tool_result import Budget, cut, shorten
from glossator.core.uri import to_path, to_uri
from glossator.workspace import FileEntry, WorkspaceSnapshot, is_inside

MAX_LINES = 2_000
MAX_TOKENS = 25_000
MAX_LINE_CHARACTERS = 2_000

LISTING_LINES = 200

_UNITS = ("bytes", "KB", "MB", "GB")


class HidingRules(Protocol):
    """The permission rules that hide files from the model; paths are absolute."""

    def __call__(self, path: str) -> bool:
        """Whether a rule hides the file at `path`."""

    def rules(self, path: str) -> tuple[str, ...]:
        """The rules that hide it."""


def attach_any(
    snapshot: WorkspaceSnapshot,
    uri: str,
    first_line: int | None,
    last_line: int | None,
    hidden: HidingRules | None = None,
) -> Attached | Exhibit:
    """Attach a document or lines of it like `attach`, an image from anywhere, or a folder.

    Raises `UsageError` as `attach` does, and for an image file that is none.
    """
    path = to_path(uri) or uri
    if first_line is None and last_line is None and snapshot.open_document(uri) is None:
        if is_image(path):
            return attach_image(snapshot, path, hidden)
        if is_folder(snapshot, path):
            return attach_folder(snapshot, path, hidden)
    return attach(snapshot, uri, first_line, last_line, hidden)


def attach_image(
    snapshot: WorkspaceSnapshot, path: str, hidden: HidingRules | None = None
) -> Exhibit:
    """The image file at a path from the user, inside or outside. Raises `UsageError`."""
    refuse_hidden(snapshot, (path,), hidden)
    found = snapshot.read_image(path, MAX_SCALED_BYTES)
    if isinstance(found, Missing):
        raise UsageError(f"{found.message} Choose another file.")
    real, content = found
    refuse_hidden(snapshot, (real, path), hidden)  # links may have changed
    return exhibit_image(snapshot.relative(real), content, to_uri(real))


def exhibit_image(name: str, content: bytes, uri: str | None = None) -> Exhibit:
    """An image from its bytes. Raises `UsageError` for formats that models cannot see."""
    image = image_of(content)
    if isinstance(image, str):
        raise UsageError(f"{name} {image}. Choose another file, or convert it.")
    description = image.described(name, len(content))
    return Exhibit(load_prompt("user/image").render(image=description), name, (image,), uri)


def is_folder(snapshot: WorkspaceSnapshot, path: str) -> bool:
    """Whether a path leads to a folder of the workspace."""
    found = snapshot.read(path)
    return isinstance(found, Missing) and found.reason is MissingReason.DIRECTORY


def attach_folder(
    snapshot: WorkspaceSnapshot, path: str, hidden: HidingRules | None = None
) -> Exhibit:
    """The listing of a folder of the workspace. Raises `UsageError`."""
    real = snapshot.resolve(path)
    if isinstance(real, Missing):
        raise UsageError(f"{real.message} Choose another folder.")
    refuse_hidden(snapshot, (real, path), hidden)
    listed = list_folder(snapshot, real, hidden)
    name = f"{snapshot.relative(real).rstrip('/')}/"
    if listed is None:
        rule = snapshot.listing.left_out(real)
        why = f", for it is left out: {rule}" if rule else ""
        raise UsageError(f"{name} holds no file that is listed{why}. Choose another folder.")
    text = load_prompt("user/folder").render(
        path=name, files=listed.files, bytes=listed.bytes, listing=in_tags(listed.text)
    )
    return Exhibit(text, name, uri=to_uri(real))


def attach(
    snapshot: WorkspaceSnapshot,
    uri: str,
    first_line: int | None,
    last_line: int | None,
    hidden: HidingRules | None = None,
) -> Attached:
    """Lines of a document (1-based, inclusive; None: from the start, to the end).

    Raises `UsageError` if the document or the lines do not exist, and for a hidden file: the user
    has to decide between the attachment and the rule.
    """
    document = snapshot.open_document(uri) or snapshot.read(to_path(uri) or uri)
    if isinstance(document, Missing):
        raise UsageError(f"{document.message} Choose another file.")
    path = snapshot.relative(document.path)
    refuse_hidden(snapshot, (document.path, to_path(uri) or uri), hidden)
    total = len(document.lines)
    if not total:
        raise UsageError(f"{path} is empty; there is nothing in it to ask about.")
    first = 1 if first_line is None else first_line
    asked = total if last_line is None else last_line
    if asked == total + 1:  # an editor counts the empty line that a final line end opens
        asked = total
    if not 1 <= first <= asked <= total:
        where = place(path, first, last_line or total)
        why = f"{path} ends at line {total:,}"
        if first < 1:
            why = "lines are numbered from 1"
        elif last_line is not None and first > last_line:
            why = "its lines are in reverse"
        raise UsageError(f"{where} is not there: {why}. Choose other lines.")
    numbered = (
        f"{number}\t{shorten(line, MAX_LINE_CHARACTERS)}"
        for number, line in enumerate(document.lines[first - 1 : asked], start=first)
    )
    kept, _ = cut(numbered, Budget(items=MAX_LINES, bytes=round(MAX_TOKENS * BYTES_PER_TOKEN)))
    last = first + len(kept) - 1
    text = load_prompt("user/attachment").render(
        path=path,
        first_line=str(first),
        last_line=str(last),
        total=str(total),
        lines=in_tags("\n".join(kept)),
    )
    return Attached(text, Span(document.uri, document.sha256, first, last), path, document)


def refuse_hidden(
    snapshot: WorkspaceSnapshot, paths: Sequence[str], hidden: HidingRules | None
) -> None:
    """Raise `UsageError`, naming the first hidden path, if rules hide one of the paths."""
    if hidden is None:
        return
    for path in map(snapshot.folders.locate, paths):
        if isinstance(path, str) and hidden(path):
            rules = " and ".join(map(shown, hidden.rules(path)))
            raise UsageError(
                f"{snapshot.relative(paths[0])} is kept from the model by your permission rule"
                f" {rules}: take that out of permissions.deny in your settings, or ask without the"
                " file."
            )


@dataclass(frozen=True, slots=True)
class FolderListing:
    """The text of a listing, and the totals of files and bytes in words."""

    text: str
    files: str
    bytes: str


@dataclass(slots=True)
class _Folder:
    """A folder: one line, or if it is `open`, `shown` lines of its contents."""

    files: list[FileEntry] = field(default_factory=list)
    folders: dict[str, _Folder] = field(default_factory=dict)
    count: int = 0
    size: int = 0
    shown: int = 0
    open: bool = False


def list_folder(
    snapshot: WorkspaceSnapshot, path: str, hidden: Callable[[str], bool] | None = None
) -> FolderListing | None:
    """The visible files at and below a real path; None if there are none.

    Folders open level by level while lines are left, so that a large tree shows its whole breadth.
    """
    top = _Folder()
    for entry in _files(snapshot, path):
        if hidden is None or not hidden(entry.path):
            _put(top, entry.path[len(path) :].strip(os.sep).split(os.sep)[:-1], entry)
    if not top.count:
        return None
    _open(top)
    return FolderListing(
        "\n".join(_lines(top, "")), _files_in_words(top.count), _bytes_in_words(top.size)
    )


def _files(snapshot: WorkspaceSnapshot, path: str) -> Iterator[FileEntry]:
    """The files below the folder; skips the other folders, which may hold a million files."""
    folders = snapshot.listing.folders
    listed = (files for folder, files in folders.items() if is_inside(folder, path))
    yield from chain.from_iterable(listed)
    yield from (entry for entry in snapshot.unlisted if is_inside(entry.path, path))


def _put(top: _Folder, names: list[str], entry: FileEntry) -> None:
    way = [top]
    for name in names:
        way.append(way[-1].folders.setdefault(name, _Folder()))
    for folder in way:
        folder.count += 1
        folder.size += entry.size
    way[-1].files.append(entry)


def _open(top: _Folder) -> None:
    """Open folders, the outermost first, while lines are left."""
    left = LISTING_LINES
    level = [top]
    while level and left > 0:
        for folder in level:
            lines = len(folder.files) + len(folder.folders)
            if folder is top or lines <= left:
                folder.open, folder.shown = True, min(lines, left)
                left -= folder.shown
        level = [below for folder in level if folder.open for below in folder.folders.values()]


def _lines(folder: _Folder, indent: str) -> Iterator[str]:
    inside = sorted(folder.folders.items())
    for name, below in inside[: folder.shown]:
        if below.open:
            yield f"{indent}{shown(name)}/"
            yield from _lines(below, indent + "  ")
        else:
            held = f"{_files_in_words(below.count)}, {_bytes_in_words(below.size)}"
            yield f"{indent}{shown(name)}/ ({held})"
    files = sorted(folder.files, key=attrgetter("path"))
    for file in files[: max(folder.shown - len(inside), 0)]:
        yield f"{indent}{shown(os.path.basename(file.path))} ({_bytes_in_words(file.size)})"
    if left_out := len(inside) + len(files) - folder.shown:
        yield f"{indent}[{left_out:,} more; Glob finds them]"


def _files_in_words(count: int) -> str:
    return f"{count:,} file{'s' * (count != 1)}"


def _bytes_in_words(size: float) -> str:
    unit = 0
    while size >= 1_000 and unit < len(_UNITS) - 1:
        size, unit = size / 1_000, unit + 1
    return f"{size:,.{int(unit > 0 and size < 10)}f} {_UNITS[unit]}"
