"""Read: numbered lines of a document, cells of a notebook, or an image."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from glossator.core.document import Document, Missing
from glossator.core.span import Span
from glossator.core.tokens import BYTES_PER_TOKEN
from glossator.core.tool_result import Budget, ToolResult, cut
from glossator.prompts.loader import load_prompt
from glossator.tools.base import Access, Cancelled, ToolArgs, ToolContext, in_thread
from glossator.tools.images import is_image, read_image
from glossator.tools.notebook import NotebookError, notebook_lines

MAX_LINES = 2_000
MAX_TOKENS = 25_000
MAX_BYTES = 256 * 1024  # of a document that is asked for whole
MAX_LINE_CHARACTERS = 2_000


class ReadArgs(ToolArgs):
    """Arguments of Read."""

    path: str = Field(description="The file, relative to the workspace.")
    offset: int = Field(1, ge=1, description="The first line to show, from 1.")
    limit: int | None = Field(None, ge=1, le=MAX_LINES, description="How many lines to show.")


class Read:
    """Shows a document as the editor holds it."""

    name: ClassVar[str] = "Read"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = ReadArgs
    description = load_prompt("tools/read").render(
        lines=f"{MAX_LINES:,}", tokens=f"{MAX_TOKENS:,}", kilobytes=str(MAX_BYTES // 1024)
    )

    async def run(self, args: ReadArgs, context: ToolContext) -> ToolResult:
        """Show the lines asked for, unless the conversation has just them already."""
        if is_image(args.path):
            return await in_thread(read_image, context.snapshot, args.path)
        document = await in_thread(_read, context, args.path)
        if isinstance(document, Missing):
            return ToolResult.failed(document.message)
        return _show(args, document, context)


def _read(_cancelled: Cancelled, context: ToolContext, path: str) -> Document | Missing:
    return context.snapshot.read(path)


def _show(args: ReadArgs, document: Document, context: ToolContext) -> ToolResult:
    relative = context.snapshot.relative(document.path)
    asked = (args.offset, args.limit)
    if context.reads.unchanged(document.path, asked, document.sha256):
        return ToolResult(
            f"{relative} is unchanged since you last read these lines; they stand above."
        )
    paged = "offset" in args.model_fields_set and args.limit is not None
    size = len(document.text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES and not paged:
        return ToolResult.failed(
            f"{relative} has {size // 1024:,} KB in {len(document.lines):,} lines; read a part of"
            " it with offset and limit, or find the place with Grep."
        )
    if document.path.endswith(".ipynb"):
        try:
            return _numbered(args, document, relative, notebook_lines(document.text), context)
        except NotebookError as error:
            return ToolResult.failed(f"{relative} is not a readable notebook: {error}.")
    return _numbered(args, document, relative, document.lines, context)


def _numbered(
    args: ReadArgs, document: Document, relative: str, lines: list[str], context: ToolContext
) -> ToolResult:
    if not lines:
        return ToolResult(f"{relative} is empty.")
    if args.offset > len(lines):
        return ToolResult.failed(
            f"{relative} has {len(lines):,} lines; there is no line {args.offset:,}."
        )
    wanted = lines[args.offset - 1 :][: args.limit]
    numbered = (
        f"{number:6d}\t{_shorten(line)}" for number, line in enumerate(wanted, start=args.offset)
    )
    budget = Budget(items=MAX_LINES, bytes=round(MAX_TOKENS * BYTES_PER_TOKEN))
    shown, _ = cut(numbered, budget)
    last = args.offset + len(shown) - 1
    text = "\n".join(shown)
    if omitted := len(lines) - last:
        text += (
            f"\n[lines {args.offset:,}-{last:,} of {len(lines):,}; go on with offset={last + 1}]"
        )
    context.reads.remember(document.path, (args.offset, args.limit), document.sha256)
    span = Span(document.uri, document.sha256, args.offset, last)
    return ToolResult(text, spans=(span,), omitted=omitted)


def _shorten(line: str) -> str:
    if len(line) <= MAX_LINE_CHARACTERS:
        return line
    return f"{line[:MAX_LINE_CHARACTERS]} [line cut: {len(line):,} characters]"
