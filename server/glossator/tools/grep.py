"""Grep: a regular expression over the workspace, with an account of what was searched."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import accumulate, groupby, islice
from typing import ClassVar, Literal

from pydantic import Field

from glossator.core.document import Document, MissingReason
from glossator.core.shown import shown
from glossator.core.span import Span, whole_and_cut
from glossator.core.tool_result import ToolResult, shorten
from glossator.prompts.loader import load_prompt
from glossator.tools.account import account
from glossator.tools.base import Access, Cancelled, ToolArgs, ToolContext, searching
from glossator.tools.selection import Hidden, Selection, select
from glossator.workspace.scan import Lines
from glossator.workspace.snapshot import WorkspaceSnapshot
from glossator.workspace.text.ripgrep import Request
from glossator.workspace.text.search import TextSearch
from glossator.workspace.text.source import Text, document_of, unsearchable

HEAD_LIMIT = 250
MAX_BYTES = 20_000
MAX_LINE_CHARACTERS = 500

_LINES_BYTES = MAX_BYTES - 200  # less the advice on how to go on
_UNASKED_BYTES = 2_000  # of what is cut, unless the model has said how much it wants
_FAR = 5  # times as much as there is room for, so that an estimate may be wrong by much

_ENCODED = re.compile(r"[A-Za-z0-9+/=_-]{200,}")


class GrepArgs(ToolArgs):
    """Arguments of Grep."""

    pattern: str = Field(max_length=2_000, description="In RE2 syntax.")
    path: str | None = Field(None, description="File or folder; else the workspace.")
    glob: str | None = Field(None, description="Only these files, such as `*.py`.")
    type: str | None = Field(None, description="Only this type, such as `py`.")
    output_mode: Literal["files", "content", "count"] = "files"
    ignore_case: bool = Field(False, alias="-i", description="Ignore case.")
    before: int = Field(0, alias="-B", ge=0, le=100, description="Lines before each match.")
    after: int = Field(0, alias="-A", ge=0, le=100, description="Lines after each match.")
    context: int = Field(0, alias="-C", ge=0, le=100, description="Lines around each match.")
    multiline: bool = Field(False, description="Match across lines.")
    head_limit: int = Field(HEAD_LIMIT, ge=0, description="Most to show; 0 for all.")
    offset: int = Field(0, ge=0, description="How many to skip.")

    def paths(self) -> tuple[str, ...]:
        """The file or folder, if one is named."""
        return () if self.path is None else (self.path,)


class Grep:
    """Searches the text of files."""

    name: ClassVar[str] = "Grep"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = GrepArgs
    description = load_prompt("tools/grep").render(
        lines=str(HEAD_LIMIT),
        kilobytes=str(MAX_BYTES // 1000),
        unasked=str(_UNASKED_BYTES // 1000),
        characters=str(MAX_LINE_CHARACTERS),
    )

    async def run(self, args: GrepArgs, context: ToolContext) -> ToolResult:
        """Search the selected files."""
        return await searching(_grep, args, context.snapshot, context.hidden)


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of the result; `number` is None for lines that show no text of a file."""

    text: str
    source: Text | None = None
    number: int | None = None


def _grep(
    cancelled: Cancelled, args: GrepArgs, snapshot: WorkspaceSnapshot, hides: Hidden | None
) -> ToolResult:
    request = Request(args.pattern, args.ignore_case, args.multiline)
    selection = select(snapshot, args.path, args.glob, args.type, hides)
    kept: list[_Line] = []
    asked, reached = "head_limit" in args.model_fields_set, ""
    # lines are worth seeing as long as they are not too many, of paths the first few tell as much
    limit = _LINES_BYTES if asked or args.output_mode == "content" else _UNASKED_BYTES
    room = limit

    def had() -> float:
        return max(1 - room / limit, len(kept) / (args.head_limit or math.inf))

    search = TextSearch(snapshot, request, cancelled.is_set, had, selection.alone)
    may_guess = selection.is_all and not asked
    with closing(_results(args, search, selection)) as found:
        for line in islice(found, args.offset, None):
            room -= len(line.text.encode("utf-8", "surrogatepass")) + 1  # its line end
            if args.head_limit and len(kept) == args.head_limit:
                reached = f"head_limit {args.head_limit}"
            elif kept and (room < 0 or (may_guess and _is_far_too_much(search, room, limit))):
                reached = f"{math.ceil(limit / 1000)} KB"
            if reached:
                break
            kept.append(line)
    if not kept:
        return _nothing(args, selection, search)
    more = ""
    if reached and not asked:
        beginning = _beginning(kept)
        if len(beginning) < len(kept):
            kept, reached = beginning, f"{_UNASKED_BYTES // 1000} KB"
        more = ", set head_limit for more"
    text = "\n".join(line.text for line in kept)
    if reached:
        text += (
            f"\n[cut at {reached}; narrow by path, glob or type{more}, or go on with"
            f" offset={args.offset + len(kept)}]"
        )
    whole, shortened = _spans(kept, snapshot)
    return ToolResult(text, whole, omitted=1 if reached else 0, vouched=shortened)


def _is_far_too_much(search: TextSearch, room: int, limit: int) -> bool:
    """Whether all there is will hardly be shown, when what was found leaves so much room."""
    found = limit - room
    return found > _UNASKED_BYTES and search.expected(found) > _FAR * limit


def _beginning(lines: list[_Line]) -> list[_Line]:
    """The first lines of a result of which there is more than anybody asked for; one at least."""
    ends = accumulate(len(line.text.encode("utf-8", "surrogatepass")) + 1 for line in lines)
    return lines[: max(1, bisect_right(list(ends), _UNASKED_BYTES))]


def _results(
    args: GrepArgs, search: TextSearch, selection: Selection
) -> Generator[_Line, None, None]:
    if args.output_mode == "files":
        for entry in search.files(selection.among(search.newest_first())):
            yield _Line(shown(entry.relative))
        return
    selected = selection.among(search.by_path())
    if args.output_mode == "count":
        for entry, count in search.counts(selected):
            yield _Line(f"{shown(entry.relative)}:{count}")
        return
    for entry, text, lines, numbers in search.lines(selected):
        yield from _content(args, shown(entry.relative), text, lines, numbers)


def _content(
    args: GrepArgs, name: str, source: Text, lines: Lines, matches: Iterator[int]
) -> Iterator[_Line]:
    """Matching lines with their context; a line "--" between places that do not touch."""
    before = max(args.before, args.context)
    after = max(args.after, args.context)
    printed = 0
    pending_after = 0  # the last line that is still context of the match before, if there is one

    def show(first: int, last: int, mark: str) -> Iterator[_Line]:
        for number in range(first, last + 1):
            text = lines.get(number)
            if text is None:
                return
            if len(text) > MAX_LINE_CHARACTERS:
                text = shorten(text, MAX_LINE_CHARACTERS, _kind(text))
            yield _Line(f"{name}{mark}{number}{mark}{text}", source, number)

    for number in matches:
        last_after = min(pending_after, number - 1)
        yield from show(printed + 1, last_after, "-")
        printed = max(printed, last_after)
        start = max(number - before, printed + 1)
        if printed and start > printed + 1 and (before or after):
            yield _Line("--")
        yield from show(start, number - 1, "-")
        yield from show(number, number, ":")
        printed = number
        pending_after = number + after
    yield from show(printed + 1, pending_after, "-")


def _kind(line: str) -> str:
    return "encoded data" if _ENCODED.search(line) else "minified or generated"


def _spans(
    lines: list[_Line], snapshot: WorkspaceSnapshot
) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Runs of consecutive lines, file by file: those shown in full, and those that were cut."""
    places = [(line.source, line.number) for line in lines if line.source and line.number]
    whole: list[Span] = []
    shortened: list[Span] = []
    for _, group in groupby(places, key=lambda place: place[0].source.path):
        (source, *_), numbers = zip(*group, strict=True)
        document = document_of(snapshot, source)
        if isinstance(document, Document):
            shown_whole, shown_cut = whole_and_cut(document, numbers, MAX_LINE_CHARACTERS)
            whole += shown_whole
            shortened += shown_cut
    return tuple(whole), tuple(shortened)


def _nothing(args: GrepArgs, selection: Selection, search: TextSearch) -> ToolResult:
    snapshot = selection.snapshot
    missing = {**unsearchable(snapshot), **search.unsearched}
    unsearched = list(selection.among(missing))
    reasons = Counter(missing[file] for file in unsearched)
    size = selection.total_bytes - sum(file.size for file in unsearched)
    count = selection.count - len(unsearched)
    extra = [f"Searched {count:,} of them, {size / 1e6:,.1f} MB."]
    if reasons:
        listed = ", ".join(f"{reasons[why]} {why}" for why in MissingReason if reasons[why])
        extra.append(f"Could not be searched: {listed}.")
    if not args.multiline and (r"\n" in args.pattern or "\n" in args.pattern):
        extra.append("A line end in the pattern matches only with multiline.")
    what = f"No match for {args.pattern}" + (
        f" after the first {args.offset}" if args.offset else ""
    )
    return ToolResult(f"{what}.\n{account(snapshot, selection, extra)}")
