"""Puts a small workspace whole into the system prompt, so that nothing need be searched in it.

Files stand in the order of their paths, so that the prompt of two sessions is the same up to the
first file that differs, and the provider's cache serves both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from glossator.core.document import Document, Missing
from glossator.core.file_kinds import FileKind, kind_of
from glossator.core.images import is_image
from glossator.core.prompts import load_prompt
from glossator.core.shown import in_tags
from glossator.core.span import Span, spans_of
from glossator.core.tokens import BYTES_PER_TOKEN
from glossator.workspace import FileEntry, WorkspaceSnapshot

_LINE_CHARACTERS = 2_000  # a file with a longer line was made by a program
_MAX_NAMED_FILES = 30  # files that are left out


@dataclass(frozen=True, slots=True)
class WholeWorkspace:
    """The text for the system prompt, and the documents that it shows, each with all its lines."""

    text: str
    documents: tuple[Document, ...]

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans of all lines shown."""
        return tuple(
            span
            for document in self.documents
            for span in spans_of(document, range(1, len(document.lines) + 1))
        )


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A workspace too large for the prompt, and about how many tokens it has at least."""

    tokens: int


def whole_workspace(
    snapshot: WorkspaceSnapshot, hidden: Callable[[str], bool] | None, tokens: int
) -> WholeWorkspace | TooLarge:
    """The text files of a workspace, if they take at most so many estimated tokens; blocking.

    Files that `hidden` hides, images, binary, generated and unreadable files, notebooks and links
    are left out, and the text says so.
    """
    room = int(tokens * BYTES_PER_TOKEN)
    left_out: dict[str, str] = {}  # why, by path
    wanted: list[FileEntry] = []
    denied = 0
    for entry in snapshot.files():
        if hidden is not None and hidden(entry.path):
            denied += 1
        elif why := _why_not(entry):
            left_out[entry.relative] = why
        else:
            wanted.append(entry)
    if (size := sum(entry.size for entry in wanted)) > room:
        return TooLarge(round(size / BYTES_PER_TOKEN))
    documents: list[Document] = []
    shown: list[str] = []
    for entry in wanted:
        document = snapshot.read(entry.path)
        if isinstance(document, Missing):
            left_out[entry.relative] = str(document.reason)
        elif any(len(line) > _LINE_CHARACTERS for line in document.lines):
            left_out[entry.relative] = "generated"
        else:
            documents.append(document)
            shown.append(file_text(snapshot, document))
    text = load_prompt("system/workspace").render(
        files="\n\n".join(shown) or "(no file)", left_out=_left_out(left_out, denied)
    )
    if (size := len(text.encode("utf-8", "surrogatepass"))) > room:
        return TooLarge(round(size / BYTES_PER_TOKEN))
    return WholeWorkspace(text, tuple(documents))


def file_text(snapshot: WorkspaceSnapshot, document: Document) -> str:
    """A document with its lines as the prompt shows them."""
    heading = file_heading(snapshot, document)
    numbered = (f"{number}\t{line}" for number, line in enumerate(document.lines, 1))
    return f"{heading}\n{in_tags(chr(10).join(numbered))}" if document.lines else heading


def file_heading(snapshot: WorkspaceSnapshot, document: Document) -> str:
    """The line above a document in the prompt, without the number of its lines."""
    lines = len(document.lines)
    count = "empty" if not lines else f"{lines:,} line" + ("s" if lines > 1 else "")
    return f"{_begins(snapshot, document)}, {count}:"


def changed_since(
    system: Sequence[str], snapshot: WorkspaceSnapshot, document: Document
) -> bool | None:
    """Whether a document in the prompt has another text now; None if the prompt shows none."""
    block = next((text for text in system if text.startswith(_opening())), "")
    if f"\n{_begins(snapshot, document)}, " not in block:
        return None
    return f"\n{file_text(snapshot, document)}\n" not in block


def _opening() -> str:
    return load_prompt("system/workspace").opening


def _begins(snapshot: WorkspaceSnapshot, document: Document) -> str:
    return f"File {snapshot.relative(document.path)}"


def _why_not(entry: FileEntry) -> str:
    """Why a file is not shown, judging by its name; "" if it may be."""
    if entry.is_link:
        return "a link"
    if is_image(entry.path):
        return "an image"
    if entry.path.endswith(".ipynb"):
        return "a notebook"
    return "generated" if kind_of(entry.relative) is FileKind.GENERATED else ""


def _left_out(files: dict[str, str], denied: int) -> str:
    """What the prompt does not show, in words."""
    named = [f"- {path} ({why})" for path, why in sorted(files.items())]
    if (more := len(named) - _MAX_NAMED_FILES) > 0:
        named[_MAX_NAMED_FILES:] = [f"- and {more:,} more"]
    if denied:
        named.append(f"- {denied:,} that permission rules hide")
    named.append("- all that ignore rules leave out")
    return "\n".join(("Left out:", *named))
