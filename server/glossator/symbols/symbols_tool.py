"""The tool Symbols: what a file defines, where a name is defined, and who uses it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from glossator.core.document import Document
from glossator.core.errors import UsageError
from glossator.core.file_kinds import LANGUAGES, language_of
from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.span import Span, runs
from glossator.core.tool_result import Budget, ToolResult, counted, cut
from glossator.symbols import symbol_report
from glossator.symbols.candidates import SearchScope
from glossator.symbols.find import Definition, Name, SymbolHits, Use
from glossator.symbols.finder import ALL_USES, CALLS, SymbolFinder
from glossator.symbols.symbol import NearSymbol, Symbol
from glossator.tools import IsHidden, ToolArgs, ToolContext, in_thread, select, visible
from glossator.worker import JobFailed, WorkerGone
from glossator.workspace import WorkspaceSnapshot

MAX_NEAR = 8

_NEAR_SECONDS = 1.0

_WHAT_OF_MODE = {
    "definitions": symbol_report.DEFINITIONS,
    "references": symbol_report.USES,
    "callers": symbol_report.CALLS,
}
_LANGUAGES = ", ".join(sorted(LANGUAGES))


class SymbolsArgs(ToolArgs):
    """Arguments of Symbols."""

    verb: ClassVar[str] = "Look up symbols in"

    mode: Literal["definitions", "references", "callers", "outline"] = "definitions"
    name: str | None = Field(None, description="Such as `Parser.parse`.")
    path: str | None = Field(None, description="File or folder; outline: the file.")
    body: bool = Field(False, description="Show whole definitions.")

    habits: ClassVar[Mapping[str, Sequence[str]]] = dict.fromkeys(
        ("include_body", "with_body", "show_body"), ("body",)
    )
    values: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "mode": {"definition": "definitions", "reference": "references", "caller": "callers"}
    }

    def paths(self) -> tuple[str, ...]:
        """The file or folder, if one is named."""
        return () if self.path is None else (self.path,)


class Symbols:
    """Finds symbols by parsing."""

    name: ClassVar[str] = "Symbols"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = SymbolsArgs
    description = load_prompt("tools/symbols").render(
        definitions=str(symbol_report.MAX_DEFINITIONS),
        uses=str(symbol_report.MAX_USES),
    )

    async def run(self, args: SymbolsArgs, context: ToolContext) -> ToolResult:
        """Look up a file or a name."""
        try:
            if args.mode == "outline":
                return await _outline(args, context)
            return await _look_up(args, context)
        except (WorkerGone, JobFailed) as failure:
            return ToolResult.failed(f"{failure}\nTry again, or use Grep.")


async def _outline(args: SymbolsArgs, context: ToolContext) -> ToolResult:
    if args.path is None or args.name is not None:
        raise UsageError("An outline is of one file.\nGive path, and no name.")
    snapshot = context.snapshot
    document = await in_thread(visible, snapshot, args.path, context.hidden)
    if isinstance(document, str):
        return ToolResult.failed(document)
    path = snapshot.relative(document.path)
    if language_of(document.path) is None:
        return ToolResult.failed(
            f"{path} is not in a language that is parsed.\nOpen it with Read. Parsed languages:"
            f" {_LANGUAGES}."
        )
    symbols = await context.need(SymbolFinder).outline(snapshot, document)
    if not symbols:
        return ToolResult(f"{path} has no outline: nothing is defined in it, or it is too large.")
    lines, omitted = cut(map(_outline_line, symbols), Budget(bytes=symbol_report.MAX_BYTES))
    text = "\n".join((f"{path}, {len(document.lines):,} lines:", *lines))
    if omitted:
        text += f"\n[{omitted:,} more symbols; look for one by its name]"
    spans = tuple(_shown(document, symbols[: len(lines)]))
    return ToolResult(text, spans, omitted, outcome=counted(len(symbols), "symbols"))


def _outline_line(symbol: Symbol) -> str:
    indent = "  " * len(symbol.container)
    return f"{symbol.first_line}-{symbol.last_line}\t{indent}{symbol.kind}: {symbol.signature}"


def _shown(document: Document, symbols: tuple[Symbol, ...]) -> Iterator[Span]:
    """The lines that an outline shows in full, because a signature repeats them."""
    numbers = {
        symbol.name_line
        for symbol in symbols
        if " ".join(document.lines[symbol.name_line - 1].split()).rstrip(" ;:{=")
        in symbol.signature
    }
    for first, last in runs(sorted(numbers)):
        yield Span(document.uri, document.sha256, first, last)


async def _look_up(args: SymbolsArgs, context: ToolContext) -> ToolResult:
    if args.body and args.mode != "definitions":
        raise UsageError(f"{args.mode} have no body.\nLeave body out, or use mode definitions.")
    if args.name is None:
        raise UsageError(
            f"No name is given.\nGive one whose {args.mode} you want, or mode outline and a path."
        )
    name, snapshot = Name.parse(args.name), context.snapshot
    selection = await in_thread(select, snapshot, args.path, hides=context.hidden)
    within = snapshot.resolve(args.path) if args.path else None
    place = SearchScope(within=within if isinstance(within, str) else None, hides=context.hidden)
    found: SymbolHits[Definition] | SymbolHits[Use]
    bodies: dict[str, Document] | None = None
    if args.mode == "definitions":
        found = defined = await context.need(SymbolFinder).definitions(snapshot, name, place)
        if args.body:
            paths = {hit.line.path for hit in defined.hits[: symbol_report.MAX_DEFINITIONS]}
            bodies = await in_thread(_documents, snapshot, paths, context.hidden)
    else:
        kinds = CALLS if args.mode == "callers" else ALL_USES
        found = await context.need(SymbolFinder).uses(snapshot, name, kinds, place)
    near: tuple[NearSymbol, ...] = ()
    if not found.hits and (args.mode == "definitions" or not found.coverage.holding):
        near = await context.need(SymbolFinder).near(
            snapshot, name, context.hidden, MAX_NEAR, _NEAR_SECONDS
        )
    result = symbol_report.report(
        _WHAT_OF_MODE[args.mode], name, found, snapshot, selection, near=near, bodies=bodies
    )
    if bodies is not None:  # neither Read nor Search show them again
        paths_by_uri = {each.uri: each.path for each in bodies.values()}
        for span in result.spans:
            if path := paths_by_uri.get(span.uri):
                lines = span.first_line, span.last_line - span.first_line + 1
                context.reads.remember(path, lines, span.sha256)
    return result


def _documents(
    snapshot: WorkspaceSnapshot, paths: set[str], hides: IsHidden | None
) -> dict[str, Document]:
    found = {path: visible(snapshot, path, hides) for path in paths}
    return {path: document for path, document in found.items() if isinstance(document, Document)}
