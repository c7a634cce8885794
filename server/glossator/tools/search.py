"""Search: the chunks that bear on a question, best first."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from glossator.core.span import Span
from glossator.core.tokens import BYTES_PER_TOKEN
from glossator.core.tool_result import Budget, ToolResult, cut, shorten
from glossator.prompts.loader import load_prompt
from glossator.retrieval.lexical import Found, Hit, search
from glossator.tools.base import Access, Cancelled, ToolArgs, ToolContext, in_thread
from glossator.tools.selection import Selection, account, select
from glossator.workspace.snapshot import WorkspaceSnapshot

MAX_CHUNKS = 20
MAX_TOKENS = 25_000
MAX_LINE_CHARACTERS = 300


class SearchArgs(ToolArgs):
    """Arguments of Search."""

    query: str = Field(max_length=2_000, description="A question, or terms to look for.")
    path: str | None = Field(None, description="Folder to look in; the workspace if left out.")
    glob: str | None = Field(None, description="Only files whose name fits, such as `*.py`.")
    limit: int = Field(MAX_CHUNKS, ge=1, le=MAX_CHUNKS, description="How many chunks.")


class Search:
    """Finds chunks by the words of a question."""

    name: ClassVar[str] = "Search"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = SearchArgs
    description = load_prompt("tools/search").render(chunks=str(MAX_CHUNKS))

    async def run(self, args: SearchArgs, context: ToolContext) -> ToolResult:
        """List the best chunks with their lines."""
        return await in_thread(_search, args, context.snapshot)


def _search(cancelled: Cancelled, args: SearchArgs, snapshot: WorkspaceSnapshot) -> ToolResult:
    selection = select(snapshot, args.path, args.glob)
    found = search(snapshot, selection.files, args.query, args.limit, cancelled)
    if not found.hits:
        return ToolResult(nothing_found(snapshot, selection, found))
    blocks = [_block(number, hit, snapshot) for number, hit in enumerate(found.hits, 1)]
    kept, omitted = cut(blocks, Budget(bytes=round(MAX_TOKENS * BYTES_PER_TOKEN) - 100))
    text = "\n\n".join(kept)
    if omitted:
        text += f"\n\n[{omitted} more chunks; narrow by path or glob, or ask more precisely]"
    return ToolResult(text, tuple(_span(hit) for hit in found.hits[: len(kept)]), omitted)


def nothing_found(snapshot: WorkspaceSnapshot, selection: Selection, found: Found) -> str:
    """Why there are no hits, with an account of what was searched."""
    if not found.terms:
        return "The query holds no word to look for; name what you are looking for."
    return (
        f"Nothing shares a word with the query (looked for {', '.join(found.terms)}).\n"
        f"{account(snapshot, selection)}"
    )


def _block(number: int, hit: Hit, snapshot: WorkspaceSnapshot) -> str:
    chunk = hit.chunk
    place = f"{snapshot.relative(chunk.document.path)}:{chunk.first_line}-{chunk.last_line}"
    head = f"{number}. {place}" + (f" ({chunk.context})" if chunk.context else "")
    lines = chunk.document.lines[chunk.first_line - 1 : chunk.last_line]
    shown = (shorten(line, MAX_LINE_CHARACTERS) for line in lines)
    numbered = (f"{number:6d}\t{line}" for number, line in enumerate(shown, chunk.first_line))
    return "\n".join((head, *numbered))


def _span(hit: Hit) -> Span:
    chunk = hit.chunk
    document = chunk.document
    return Span(document.uri, document.sha256, chunk.first_line, chunk.last_line)
