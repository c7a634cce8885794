"""The tool Symbols: what a file defines, where a name is defined, and who uses it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import Field

from glossator.core.code import CodeAnswer, CodeKind, CodeServers
from glossator.core.document import Document
from glossator.core.errors import UsageError
from glossator.core.file_kinds import LANGUAGES, language_of
from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.span import Span, runs
from glossator.core.tool_result import Budget, ToolResult, counted, cut, shorten
from glossator.symbols import symbol_report
from glossator.symbols.candidates import SearchScope
from glossator.symbols.find import Name
from glossator.symbols.finder import ALL_USES, CALLS, SymbolFinder
from glossator.symbols.known_code import SECONDS, NamePlace, place_at, place_of, uses_told
from glossator.symbols.symbol import NearSymbol, Symbol
from glossator.tools import IsHidden, Selection, ToolArgs, ToolContext, in_thread, select, visible
from glossator.worker import JobFailed, WorkerGone
from glossator.workspace import WorkspaceSnapshot

MAX_NEAR = 8

_NEAR_SECONDS = 1.0

_WHAT_OF_MODE = {
    "definitions": symbol_report.DEFINITIONS,
    "references": symbol_report.USES,
    "callers": symbol_report.CALLS,
    "callees": "callees",
    "implementations": "implementations",
}
_MAX_TYPE = 4_000  # characters
_NOBODY = "no language server is there for it"
_HIDDEN = "a server's text may quote files that the user's permission rules hide"
_BY_NAME = "\nUses are matched by name alone."
_BY_SPELLING = frozenset({"references", "callers"})  # what is found without a server, too
_LANGUAGES = ", ".join(sorted(LANGUAGES))


class SymbolsArgs(ToolArgs):
    """Arguments of Symbols."""

    verb: ClassVar[str] = "Look up symbols in"

    mode: Literal[
        "definitions", "references", "callers", "callees", "implementations", "type", "outline"
    ] = "definitions"
    name: str | None = Field(None, description="Such as `Parser.parse`.")
    path: str | None = Field(None, description="File or folder; outline: the file.")
    body: bool = Field(False, description="Show whole definitions.")

    habits: ClassVar[Mapping[str, Sequence[str]]] = dict.fromkeys(
        ("include_body", "with_body", "show_body"), ("body",)
    )
    values: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "mode": {
            "definition": "definitions",
            "reference": "references",
            "caller": "callers",
        }
    }

    def paths(self) -> tuple[str, ...]:
        """The file or folder, if one is named."""
        return () if self.path is None else (self.path,)

    @property
    def place(self) -> tuple[str, int] | None:
        """The file and the 1-based line where the name stands, if they are given."""
        return None


class UnservedArgs(SymbolsArgs):
    """Arguments of Symbols where no language server may answer."""

    mode: Literal["definitions", "references", "callers", "outline"] = "definitions"


class ServedArgs(SymbolsArgs):
    """Arguments of Symbols where language servers may answer."""

    values: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "mode": {
            **SymbolsArgs.values["mode"],
            "callee": "callees",
            "implementation": "implementations",
            "hover": "type",
        }
    }

    line: int | None = Field(None, ge=1, description="Of the file `path`, where the name stands.")

    @property
    def place(self) -> tuple[str, int] | None:
        """See `SymbolsArgs`. Raises `UsageError` for a line of no file."""
        if self.line is None:
            return None
        if self.path is None:
            raise UsageError("A line is of a file.\nGive path, too, or leave line out.")
        return self.path, self.line


class Symbols:
    """Finds symbols: by language servers if they may be there (`served`), else by parsing."""

    name: ClassVar[str] = "Symbols"
    access: ClassVar[Access] = Access.READ

    def __init__(self, *, served: bool = True) -> None:
        self.args: type[ToolArgs] = ServedArgs if served else UnservedArgs
        by = load_prompt("tools/symbols_served").render() if served else _BY_NAME
        self.description = load_prompt("tools/symbols").render(
            definitions=str(symbol_report.MAX_DEFINITIONS),
            uses=str(symbol_report.MAX_USES),
            uses_by=by.rstrip(),
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
    if args.body and (args.mode != "definitions" or args.place is not None):
        raise UsageError(
            f"body goes with mode definitions and no line, not with {args.mode}.\nLeave body out."
        )
    if args.name is None:
        raise UsageError(
            f"No name is given.\nGive one whose {args.mode} you want, or mode outline and a path."
        )
    name = Name.parse(args.name)
    if args.mode == "definitions" and args.place is None:
        return await _defined(args, name, context)
    told = await _told(args, name, context)
    if isinstance(told, ToolResult):
        return told
    if args.mode in _BY_SPELLING:
        found = await _spelled(args, name, context)
        return replace(found, text=f"{found.text}\n[by name alone: {told}]") if told else found
    if args.mode in ("type", "definitions"):
        found = await _defined(args, name, context)
        return replace(found, text=f"{found.text}\n[by name alone: {told or _NOBODY}]")
    raise UsageError(
        f"The {args.mode} of {name.whole} are not known: {told or _NOBODY}.\nUse Grep, or"
        " ask again in a moment if a server is only late."
    )


async def _told(args: SymbolsArgs, name: Name, context: ToolContext) -> ToolResult | str:
    """What a language server tells; else why none does, "" where none is there."""
    servers = context.find(CodeServers)
    if servers is None or not servers.are_there:
        return ""
    place = await _place(args, name, context)
    if isinstance(place, str):
        return place
    if args.mode == "type":
        if context.hidden is not None:
            return _HIDDEN
        answer = await servers.ask(place.question(CodeKind.TYPE), SECONDS)
        return answer if isinstance(answer, str) else _type_told(answer, place, context.snapshot)
    told = await uses_told(servers, place, CodeKind(args.mode), context)
    if isinstance(told, str):
        return told
    _, scope = await _searched(args, context)
    told = told if scope.within is None else told.within(scope.within)
    return symbol_report.told_report(
        _WHAT_OF_MODE[args.mode], name, told, context.snapshot, narrows=args.place is None
    )


async def _place(args: SymbolsArgs, name: Name, context: ToolContext) -> NamePlace | str:
    """Where the name stands: on the line that is given, else where it is defined."""
    if args.place is None:
        finder, (_, scope) = context.need(SymbolFinder), await _searched(args, context)
        everywhere = replace(scope, within=None)
        place = await place_of(finder, context.snapshot, name, everywhere)
        if isinstance(place, str) and scope.within is not None:
            within = await place_of(finder, context.snapshot, name, scope)
            place = place if isinstance(within, str) else within
        return place
    return await place_at(context, *args.place, name)


def _type_told(answer: CodeAnswer, place: NamePlace, snapshot: WorkspaceSnapshot) -> ToolResult:
    """The type and documentation; the line of the name may be cited."""
    document, line = place.document, place.line
    where = f"{snapshot.relative(document.path)}:{line}:{document.lines[line - 1]}"
    shown = shorten(answer.text.strip() or "It has no type.", _MAX_TYPE)
    span = Span(document.uri, document.sha256, line, line)
    return ToolResult(f"{where}\n{shown}\n[by {answer.by}]", (span,), outcome="its type")


async def _defined(args: SymbolsArgs, name: Name, context: ToolContext) -> ToolResult:
    """Where it is defined, by parsing."""
    snapshot, finder = context.snapshot, context.need(SymbolFinder)
    selection, place = await _searched(args, context)
    found = await finder.definitions(snapshot, name, place)
    bodies: dict[str, Document] | None = None
    if args.body:
        paths = {hit.line.path for hit in found.hits[: symbol_report.MAX_DEFINITIONS]}
        bodies = await in_thread(_documents, snapshot, paths, context.hidden)
    near = () if found.hits else await _near(name, context)
    result = symbol_report.report(
        symbol_report.DEFINITIONS, name, found, snapshot, selection, near=near, bodies=bodies
    )
    if bodies is not None:  # neither Read nor Search show them again
        paths_by_uri = {each.uri: each.path for each in bodies.values()}
        for span in result.spans:
            if path := paths_by_uri.get(span.uri):
                lines = span.first_line, span.last_line - span.first_line + 1
                context.reads.remember(path, lines, span.sha256)
    return result


async def _spelled(args: SymbolsArgs, name: Name, context: ToolContext) -> ToolResult:
    """The uses that are spelled as the name, by parsing."""
    selection, place = await _searched(args, context)
    kinds = CALLS if args.mode == "callers" else ALL_USES
    found = await context.need(SymbolFinder).uses(context.snapshot, name, kinds, place)
    near = () if found.hits or found.coverage.holding else await _near(name, context)
    what = _WHAT_OF_MODE[args.mode]
    return symbol_report.report(what, name, found, context.snapshot, selection, near=near)


async def _searched(args: SymbolsArgs, context: ToolContext) -> tuple[Selection, SearchScope]:
    """Where a name is looked for by parsing: below the path, unless that says where it stands."""
    snapshot, path = context.snapshot, args.path if args.place is None else None
    selection = await in_thread(select, snapshot, path, hides=context.hidden)
    within = snapshot.resolve(path) if path else None
    scope = SearchScope(within=within if isinstance(within, str) else None, hides=context.hidden)
    return selection, scope


async def _near(name: Name, context: ToolContext) -> tuple[NearSymbol, ...]:
    finder = context.need(SymbolFinder)
    return await finder.near(context.snapshot, name, context.hidden, MAX_NEAR, _NEAR_SECONDS)


def _documents(
    snapshot: WorkspaceSnapshot, paths: set[str], hides: IsHidden | None
) -> dict[str, Document]:
    found = {path: visible(snapshot, path, hides) for path in paths}
    return {path: document for path, document in found.items() if isinstance(document, Document)}
