"""What the user points at, put before the model: lines with their numbers, images, folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from glossator.context.listing import list_folder
from glossator.core.citations import place
from glossator.core.diagnostics import Diagnostic
from glossator.core.document import Document, Missing, MissingReason
from glossator.core.errors import UsageError
from glossator.core.events import AttachedItem
from glossator.core.images import MAX_BYTES, Image, image_of, is_image
from glossator.core.price import BYTES_PER_TOKEN
from glossator.core.shown import shown
from glossator.core.span import Span
from glossator.core.tool_result import Budget, cut, shorten
from glossator.core.uri import to_path, to_uri
from glossator.documents import WorkspaceSnapshot
from glossator.prompts import load_prompt

MAX_LINES = 2_000
MAX_TOKENS = 25_000
MAX_LINE_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Attached:
    """Text for the model, and the lines it shows of a document; with them `diagnostics` of it."""

    text: str
    span: Span
    path: str
    document: Document
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def name(self) -> str:
        """What the user knows it by."""
        return place(self.path, self.span.first_line, self.span.last_line)

    @property
    def parts(self) -> tuple[str | Image, ...]:
        """What of it goes into a message."""
        return (self.text,)

    @property
    def item(self) -> AttachedItem:
        """As events tell of it."""
        lines = self.span.first_line, self.span.last_line
        first, last = (None, None) if lines == (1, len(self.document.lines)) else lines
        return AttachedItem(self.path, self.span.uri, first, last, None, self.diagnostics)


@dataclass(frozen=True, slots=True)
class Exhibit:
    """What has no lines that could be cited: an image, what a folder holds, findings."""

    text: str
    name: str
    image: Image | None = None
    uri: str | None = None

    @property
    def parts(self) -> tuple[str | Image, ...]:
        """What of it goes into a message."""
        return (self.text,) if self.image is None else (self.text, self.image)

    @property
    def item(self) -> AttachedItem:
        """As events tell of it."""
        media_type = None if self.image is None else self.image.media_type
        return AttachedItem(self.name, self.uri, media_type=media_type)


class Hidden(Protocol):
    """Which files the user's own rules keep from the model; paths are absolute."""

    def __call__(self, path: str) -> bool:
        """Whether a rule hides what is at `path`."""

    def rules(self, path: str) -> tuple[str, ...]:
        """The rules that do."""


def attach_any(
    snapshot: WorkspaceSnapshot,
    uri: str,
    first_line: int | None,
    last_line: int | None,
    hidden: Hidden | None = None,
) -> Attached | Exhibit:
    """A document or lines of it, as `attach`; or an image, wherever it lies, or a folder.

    Raises `UsageError` as `attach` does, and for what is no image in spite of its name.
    """
    path = to_path(uri) or uri
    if first_line is None and last_line is None and snapshot.open_document(uri) is None:
        if is_image(path):
            return attach_image(snapshot, path, hidden)
        if is_folder(snapshot, path):
            return attach_folder(snapshot, path, hidden)
    return attach(snapshot, uri, first_line, last_line, hidden)


def attach_image(snapshot: WorkspaceSnapshot, path: str, hidden: Hidden | None = None) -> Exhibit:
    """The image file at a path. Raises `UsageError`.

    An absolute path may lead anywhere: the user's, never the model's, comes here.
    """
    refuse_hidden(snapshot, (path,), hidden)
    found = snapshot.read_image(path, MAX_BYTES)
    if isinstance(found, Missing):
        raise UsageError(f"{found.message} Choose another file.")
    real, content = found
    refuse_hidden(snapshot, (real, path), hidden)  # as links lead by now
    return exhibit_image(snapshot.relative(real), content, to_uri(real))


def exhibit_image(name: str, content: bytes, uri: str | None = None) -> Exhibit:
    """An image by its bytes. Raises `UsageError` for what models cannot see."""
    image = image_of(content)
    if isinstance(image, str):
        raise UsageError(f"{name} {image}. Choose another file, or convert it.")
    told = f"{name} ({image.media_type}, {len(content):,} bytes)"
    return Exhibit(load_prompt("user/image").render(image=told), name, image, uri)


def enclosed(text: str) -> str:
    """Text between a pair of tags that nothing in it closes."""
    tag = "material"
    while f"</{tag}" in text:
        tag += "-"
    return f"<{tag}>\n{text}\n</{tag}>"


def is_folder(snapshot: WorkspaceSnapshot, path: str) -> bool:
    """Whether a path leads to a folder of the workspace."""
    found = snapshot.read(path)
    return isinstance(found, Missing) and found.reason is MissingReason.DIRECTORY


def attach_folder(snapshot: WorkspaceSnapshot, path: str, hidden: Hidden | None = None) -> Exhibit:
    """What is listed in a folder of the workspace. Raises `UsageError`."""
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
        path=name, files=listed.files, bytes=listed.bytes, listing=enclosed(listed.text)
    )
    return Exhibit(text, name, uri=to_uri(real))


def attach(
    snapshot: WorkspaceSnapshot,
    uri: str,
    first_line: int | None,
    last_line: int | None,
    hidden: Hidden | None = None,
) -> Attached:
    """Lines of a document (1-based, inclusive; None: from the start, to the end).

    Raises `UsageError` when the document or the lines do not exist, and for what is hidden: who
    points at a file that his own rule hides is told of the contradiction, and decides.
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
        lines=enclosed("\n".join(kept)),
    )
    return Attached(text, Span(document.uri, document.sha256, first, last), path, document)


def refuse_hidden(snapshot: WorkspaceSnapshot, paths: Sequence[str], hidden: Hidden | None) -> None:
    """Raise `UsageError` if rules hide what is at one of the paths, of which the first is shown."""
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
