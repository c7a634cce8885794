"""Read: numbered lines of a document, cells of a notebook, or an image."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any, ClassVar

from pydantic import Field, ValidationError

from glossator.core.document import Document, Missing, MissingReason, text_hash
from glossator.core.encoding import codec_of, is_declared, is_guessed
from glossator.core.images import MAX_SCALED_BYTES as MAX_IMAGE_BYTES
from glossator.core.images import image_of, is_image
from glossator.core.notebook import NotebookError, NumberedLine, notebook_lines
from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.span import Span, runs
from glossator.core.tokens import BYTES_PER_TOKEN
from glossator.core.tool_result import Budget, ToolResult, counted, cut, shorten, unchanged
from glossator.tools.base import Cancellation, ToolArgs, ToolContext, cancellable, in_thread
from glossator.tools.selection import refusal, visible
from glossator.workspace import LinePart, LongLines, WorkspaceSnapshot

MAX_LINES = 2_000
MAX_TOKENS = 25_000
MAX_BYTES = 256 * 1024  # of a document that is asked for whole
MAX_LINE_CHARACTERS = 2_000
MAX_PART_CHARACTERS = 10_000  # of one line

_LONG_FILE_NOTE = "\n[the file is too large for its lines to be cited or edited]"
_PATH_WITH_LINES = re.compile(r"(.+):(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)
_PAGE_BYTES = round(MAX_TOKENS * BYTES_PER_TOKEN) - 500  # less the note on how to continue


class ReadArgs(ToolArgs):
    """Arguments of Read."""

    verb: ClassVar[str] = "Read"

    path: str = Field(description="Relative to the workspace.")
    offset: int = Field(1, ge=1, description="First line, from 1.")
    limit: int | None = Field(None, ge=1, le=MAX_LINES, description="How many lines.")
    column: int | None = Field(None, ge=1, description="In a long line.")

    habits: ClassVar[Mapping[str, Sequence[str]]] = dict.fromkeys(
        ("start_line", "line_start", "start"), ("offset",)
    )

    @classmethod
    def translated(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Accept the last line instead of the number of lines."""
        first = given.get("offset", 1)
        for name in ("end_line", "line_end", "end"):
            last = given.get(name)
            if isinstance(first, int) and isinstance(last, int) and first <= last:
                if "limit" in given:
                    break
                del given[name]
                given["limit"] = min(last - first + 1, MAX_LINES)
        return given

    def paths(self) -> tuple[str, ...]:
        """The file; the second path counts if the first does not exist."""
        lines = self.lines()
        return (self.path,) if lines is None else (self.path, lines.path)

    @property
    def is_page(self) -> bool:
        """Whether certain lines are asked for."""
        return "offset" in self.model_fields_set and self.limit is not None

    def lines(self) -> ReadArgs | None:
        """The arguments that a path ending in line numbers means, as in `a.py:2-4`."""
        match = _PATH_WITH_LINES.fullmatch(self.path)
        if match is None or {"offset", "limit"} & self.model_fields_set:
            return None
        path, first, last = match.groups()
        try:
            return ReadArgs.model_validate(
                {"path": path, "start": int(first)} | ({"end": int(last)} if last else {})
            )
        except ValidationError:
            return None


class Read:
    """Shows a document as the editor holds it."""

    name: ClassVar[str] = "Read"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = ReadArgs
    description = load_prompt("tools/read").render(
        lines=f"{MAX_LINES:,}", tokens=f"{MAX_TOKENS:,}", kilobytes=str(MAX_BYTES // 1024)
    )

    async def run(self, args: ReadArgs, context: ToolContext) -> ToolResult:
        """Show the lines, unless the conversation holds them already."""
        if lines := args.lines():
            args = await in_thread(_meant, args, lines, context.snapshot)
        if is_image(args.path):
            return _once(args, await in_thread(_image, context, args.path), context)
        document = await in_thread(visible, context.snapshot, args.path, context.hidden)
        if isinstance(document, str):
            part = await cancellable(_of_long, args, context)
            return part or ToolResult.failed(document)
        return _show(args, document, context)


def _meant(args: ReadArgs, lines: ReadArgs, snapshot: WorkspaceSnapshot) -> ReadArgs:
    there = snapshot.read(args.path)
    is_absent = isinstance(there, Missing) and there.reason is MissingReason.ABSENT
    return lines if is_absent else args


def _once(args: ReadArgs, result: ToolResult, context: ToolContext) -> ToolResult:
    """The image, or a note if the conversation holds it already."""
    if not result.images:
        return result
    sha256, asked = text_hash(result.images[0].data), (1, None)
    if context.reads.unchanged(args.path, asked, sha256):
        return unchanged(args.path)
    context.reads.remember(args.path, asked, sha256)
    return result


def _image(context: ToolContext, path: str) -> ToolResult:
    if (reason := refusal(context.snapshot, path, context.hidden)) is not None:
        return ToolResult.failed(reason)
    image = read_image(context.snapshot, path)
    # a link may have changed meanwhile
    reason = refusal(context.snapshot, path, context.hidden)
    return image if reason is None else ToolResult.failed(reason)


def _show(args: ReadArgs, document: Document, context: ToolContext) -> ToolResult:
    relative = context.snapshot.relative(document.path)
    total = len(document.lines)
    if not total:
        context.reads.saw(document)
        return ToolResult(f"{relative} is empty.")
    if args.offset <= total and args.column is not None:
        line = document.lines[args.offset - 1]
        text = line[args.column - 1 :][:MAX_PART_CHARACTERS]
        part = _part(args.offset, args.column, text, len(line), relative)
        span = Span(document.uri, document.sha256, args.offset, args.offset)
        return part if part.error else replace(part, citable=(span,))
    if args.offset > total:
        return _no_line(args.offset, total, relative)
    size = len(document.text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES and not args.is_page:
        return _too_much(size, total, relative)
    end = min(args.offset + min(args.limit or MAX_LINES, MAX_LINES), total + 1)
    lines, note = _lines(document, args.offset, end)
    page = _page(lines, end, total)
    context.reads.saw(document)
    shown = (args.offset, (page.next or end) - args.offset)
    if context.reads.unchanged(document.path, shown, document.sha256):
        last = (page.next or end) - 1
        which = f"L{args.offset}-L{last}" if last > args.offset else f"L{last}"
        return unchanged(f"{relative}, {which}")
    context.reads.remember(document.path, shown, document.sha256)
    text = "\n".join(page.shown) or "[no cell on these lines]"
    if page.next:
        limit = f" and limit={args.limit}" if args.limit else ""
        text += (
            f"\n[L{args.offset}-L{page.next - 1} of {total}; go on with offset={page.next}{limit}]"
        )
    spans = tuple(
        Span(document.uri, document.sha256, first, last) for first, last in runs(page.numbers)
    )
    omitted = total + 1 - page.next if page.next else 0
    outcome = _outcome(args.offset, (page.next or end) - 1, total)
    if not document.text.isascii():
        note += _read_as(document.encoding, context.snapshot.folders.encoding(document.path))
    return ToolResult(text + note, spans, omitted=omitted, outcome=outcome)


def _of_long(cancelled: Cancellation, args: ReadArgs, context: ToolContext) -> ToolResult | None:
    """Lines of a file too large to be a document, or part of one; None for other files."""
    snapshot = context.snapshot
    there, relative = snapshot.read(args.path), snapshot.relative(args.path)
    if (
        not isinstance(there, Missing)
        or there.reason is not MissingReason.TOO_LARGE
        or any(refusal(snapshot, path, context.hidden) for path in (args.path, there.path))
    ):
        return None
    long, place = snapshot.long_files, (snapshot.folders, there.path)
    found: LinePart | LongLines | Missing
    if args.column is not None:
        found = long.part(*place, args.offset, args.column, MAX_PART_CHARACTERS, cancelled.is_set)
    else:
        count = min(args.limit or 1, MAX_LINES)
        found = long.lines(*place, args.offset, count, MAX_LINE_CHARACTERS, cancelled.is_set)
    if isinstance(found, Missing):
        return ToolResult.failed(found.model_message)
    if isinstance(found, LongLines) or args.offset > found.total:
        return _long_lines(args, found, relative, snapshot.folders.encoding(there.path))
    part = _part(args.offset, args.column or 1, found.text, found.length, relative)
    return part if part.error else replace(part, text=part.text + _LONG_FILE_NOTE)


def _long_lines(
    args: ReadArgs, found: LongLines | LinePart, relative: str, known: str
) -> ToolResult:
    if args.offset > found.total or isinstance(found, LinePart):
        return _no_line(args.offset, found.total, relative)
    if not args.is_page:
        return _too_much(found.size, found.total, relative)
    shown: list[str] = []
    room = _PAGE_BYTES
    for number, (text, length) in enumerate(found.lines, args.offset):
        on = f"go on with offset={number} and column={len(text) + 1}"
        line = f"{number}\t{text}" + f" [cut; {length:,} bytes in all, {on}]" * bool(length)
        room -= len(line.encode()) + 1
        if shown and room < 0:
            break
        shown.append(line)
    last = args.offset + len(shown) - 1
    more = f"; go on with offset={last + 1} and limit={args.limit}" if last < found.total else ""
    note = f"\n[L{args.offset}-L{last} of {found.total}{more}]"
    note += _read_as(found.encoding, known) + _LONG_FILE_NOTE
    outcome = _outcome(args.offset, last, found.total)
    return ToolResult("\n".join(shown) + note, omitted=found.total - last, outcome=outcome)


def _read_as(encoding: str, known: str) -> str:
    """How a text that is no Unicode was read; `known` is the encoding declared for the file."""
    if is_declared(encoding):
        return f"\n[read as {codec_of(encoding)}, as declared for it]"
    if not is_guessed(encoding):
        return ""
    lossy = f"; in {codec_of(known)}, which is declared for it, some bytes would be lost"
    return f"\n[read as {encoding}, guessed from its bytes{lossy * bool(known)}]"


def _no_line(number: int, total: int, relative: str) -> ToolResult:
    return ToolResult.failed(
        f"{relative} has {total:,} lines; there is no line {number:,}.\nGive an offset up to"
        f" {total}."
    )


def _too_much(size: int, total: int, relative: str) -> ToolResult:
    return ToolResult.failed(
        f"{relative} has {size // 1024:,} KB in {total:,} lines, too much to read at once."
        "\nRead part of it with offset and limit, or find the place with Grep."
    )


def _part(number: int, column: int, part: str, length: int, relative: str) -> ToolResult:
    """Part of a line: so many characters, from a 1-based character on."""
    if column > max(length, 1):
        return ToolResult.failed(
            f"Line {number:,} of {relative} has {length:,} characters; there is no column"
            f" {column:,}.\nGive a column up to {max(length, 1)}."
        )
    last = column - 1 + len(part)
    more = f"; go on with offset={number} and column={last + 1}" if last < length else ""
    return ToolResult(
        f"{number}\t{part}\n[characters {column:,}-{last:,} of {length:,}{more}]",
        outcome=f"characters {column:,}-{last:,} of line {number:,}",
    )


def _outcome(first: int, last: int, total: int) -> str:
    """The range of lines shown, for people."""
    if (first, last) == (1, total):
        return counted(total, "lines")
    which = f"line {first:,}" if first == last else f"lines {first:,}-{last:,}"
    return f"{which} of {total:,}"


def _lines(document: Document, first: int, end: int) -> tuple[list[NumberedLine], str]:
    """What to show of lines `first` to `end` (exclusive), and a note for the model."""
    note = ""
    if document.path.endswith(".ipynb"):
        try:
            lines = notebook_lines(document.text)
        except NotebookError as error:
            note = f"\n[shown as plain text, since it is not a readable notebook: {error}]"
        else:
            return [line for line in lines if first <= line[0] < end], note
    return list(enumerate(document.lines[first - 1 : end - 1], start=first)), note


@dataclass(frozen=True, slots=True)
class _Page:
    """Lines as shown, their numbers in the file, and the next line to read (0: none)."""

    shown: list[str]
    numbers: list[int]
    next: int


def _page(lines: list[NumberedLine], end: int, total: int) -> _Page:
    """As many `lines` as the budget allows; lines of one number stay together."""
    shown: list[str] = []
    numbers: list[int] = []
    room = _PAGE_BYTES
    for number, group in groupby(lines, key=itemgetter(0)):
        on = f"go on with offset={number} and column={MAX_LINE_CHARACTERS + 1}"
        texts = [f"{number}\t{shorten(text, MAX_LINE_CHARACTERS, on)}" for _, text in group]
        fitting, left_out = cut(texts, Budget(bytes=room))
        if left_out and numbers:
            return _Page(shown, numbers, number)
        shown += fitting
        numbers.append(number)
        if left_out:  # a single line of the file is more than a page
            shown.append(f"[line {number:,} goes on for {left_out:,} more lines of its cells]")
            return _Page(shown, numbers, number + 1 if number < total else 0)
        room -= sum(len(text.encode("utf-8", "surrogatepass")) + 1 for text in texts)
    return _Page(shown, numbers, end if end <= total else 0)


def read_image(snapshot: WorkspaceSnapshot, path: str) -> ToolResult:
    """The image, or why it cannot be shown."""
    content = snapshot.read_bytes(path, MAX_IMAGE_BYTES)
    if isinstance(content, Missing):
        return ToolResult.failed(content.model_message)
    image = image_of(content)
    if isinstance(image, str):
        return ToolResult.failed(
            f"{path} {image}.\nIf there is text in it, use Grep to look for that."
        )
    return ToolResult(image.described(path, len(content)), images=(image,))
