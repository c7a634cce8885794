"""Grep: a regular expression over the workspace, with an account of what was searched."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Generator, Mapping, Sequence, Sized
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, islice
from operator import attrgetter
from time import monotonic
from typing import Any, ClassVar, Literal

from pydantic import Field

from glossator.core.document import MissingReason
from glossator.core.permission import Access
from glossator.core.shown import shown
from glossator.core.tool_result import ToolResult
from glossator.documents import WorkspaceSnapshot
from glossator.files import FileEntry
from glossator.prompts import load_prompt
from glossator.search import Lines, Request, SearchedText, TextSearch, unsearchable
from glossator.tools.account import account
from glossator.tools.base import Cancelled, ToolArgs, ToolContext, searching
from glossator.tools.grep_habits import as_grep
from glossator.tools.grep_lines import (
    MAX_LINE_CHARACTERS,
    Example,
    Kept,
    Line,
    Place,
    size,
    spans,
)
from glossator.tools.selection import Hidden, Selection, select
from glossator.tools.spread import by_folder, examples, in_turn, scattered

HEAD_LIMIT = 250
MAX_BYTES = 20_000

_PAGE_BYTES = MAX_BYTES - 200  # less the advice on how to go on
_LINES_BYTES = MAX_BYTES - 1_500  # less what is said about the rest
_PATHS_BYTES = 4_000  # lines are worth seeing, of paths the first few tell as much
_ENOUGH = 1 / 8  # of the room, to estimate by how much there is
_FAR = 5  # times as much as there is room for, so that an estimate may be wrong by much
_COUNTING = 0.1  # seconds to count what will not be shown
_STRIDES = 16  # so that what is counted in time is of all folders
_NAMED = 3  # files that were not searched
_NARROW = "Narrow by path, glob or type; head_limit and offset go through all in order."

_LINE_END = re.compile(
    r"\[\^\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]"  # a class that leaves some characters out
    r"|\\Q.*?(?:\\E|\Z)"
    r"|(?P<feed>\n|\\(?:n|x0[aA]|x\{0*[aA]\}|012))"
    r"|(?P<carriage>\r|\\(?:r|x0[dD]|x\{0*[dD]\}|015))"
    r"|\\.",
    re.DOTALL,
)
_relative = attrgetter("relative")


class GrepArgs(ToolArgs):
    """Arguments of Grep."""

    pattern: str = Field(max_length=2_000, description="In RE2 syntax.")
    path: str | None = Field(None, description="File or folder; else the workspace.")
    glob: str | None = Field(None, description="Only these files, such as `*.py`.")
    type: str | None = Field(None, description="Only this type, such as `py`.")
    output_mode: Literal["files", "content", "count"] = "files"
    ignore_case: bool = Field(False, alias="-i", description="Ignore case.")
    before: int = Field(0, alias="-B", ge=0, le=100, description="Lines before.")
    after: int = Field(0, alias="-A", ge=0, le=100, description="Lines after.")
    context: int = Field(0, alias="-C", ge=0, le=100, description="Lines around.")
    multiline: bool = Field(False, description="Match across lines.")
    head_limit: int = Field(HEAD_LIMIT, ge=0, description="Most to show; 0 for all.")
    offset: int = Field(0, ge=0, description="How many to skip.")

    habits: ClassVar[Mapping[str, Sequence[str]]] = {
        **dict.fromkeys(("-e", "expression"), ("pattern",)),
        **dict.fromkeys(("case_insensitive", "ignoreCase"), ("ignore_case",)),
        **dict.fromkeys(("context_lines", "-context"), ("context",)),
        **dict.fromkeys(("-U", "multi_line"), ("multiline",)),
        **dict.fromkeys(("-m", "limit"), ("head_limit",)),
        "before_context": ("before",),
        "after_context": ("after",),
        "file_type": ("type",),
        "mode": ("output_mode",),
    }
    values: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "output_mode": dict.fromkeys(("files_with_matches", "files_only", "paths"), "files")
    }
    ignored: ClassVar[frozenset[str]] = frozenset(
        "-n -H line_numbers line_number show_line_numbers with_filename".split()
    )
    ignored_if_true: ClassVar[frozenset[str]] = frozenset("-r -R -E recursive".split())

    @classmethod
    def translated(cls, given: dict[str, Any]) -> dict[str, Any]:
        """The options of grep and ripgrep."""
        return as_grep(given)

    def paths(self) -> tuple[str, ...]:
        """The file or folder, if one is named."""
        return () if self.path is None else (self.path,)

    @property
    def is_page(self) -> bool:
        """Whether it asks for a part of the result, in its order."""
        return self.offset > 0 or "head_limit" in self.model_fields_set


class Grep:
    """Searches the text of files."""

    name: ClassVar[str] = "Grep"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = GrepArgs
    description = load_prompt("tools/grep").render(
        lines=str(HEAD_LIMIT),
        kilobytes=str(MAX_BYTES // 1000),
        characters=str(MAX_LINE_CHARACTERS),
    )

    async def run(self, args: GrepArgs, context: ToolContext) -> ToolResult:
        """Search the selected files."""
        return await searching(_grep, args, context.snapshot, context.hidden)


@dataclass(slots=True)
class _Patience:
    """Whether a search is to end: it was cancelled, or has taken too long."""

    cancelled: Cancelled
    until: float = math.inf

    def is_over(self) -> bool:
        return self.cancelled.is_set() or monotonic() > self.until


def _grep(
    cancelled: Cancelled, args: GrepArgs, snapshot: WorkspaceSnapshot, hides: Hidden | None
) -> ToolResult:
    request = Request(args.pattern, args.ignore_case, args.multiline)
    selection = select(snapshot, args.path, args.glob, args.type, hides)
    patience = _Patience(cancelled)
    most = (args.head_limit or math.inf) if args.is_page else HEAD_LIMIT
    in_part = args.is_page or args.output_mode == "content"
    room = _PAGE_BYTES if args.is_page else _LINES_BYTES if in_part else _PATHS_BYTES
    kept = Kept(most, room)

    def had() -> float:  # of what is wanted; all paths are, if only to be counted
        return kept.share if in_part else 0.0

    search = TextSearch(snapshot, request, patience.is_over, had, selection.alone)
    if args.is_page:
        note = _page(args, search, selection, kept)
    elif args.output_mode == "content":
        note = _lines(args, search, selection, kept, patience)
    else:
        note = _paths(args, search, selection, kept, patience)
    if not kept.lines:
        return _nothing(args, selection, search)
    text = "\n".join(filter(None, (kept.text(), note, _unsearched(search))))
    whole, shortened = spans(kept.lines, snapshot)
    return ToolResult(text, whole, omitted=1 if note else 0, citable=shortened)


def _page(args: GrepArgs, search: TextSearch, selection: Selection, kept: Kept) -> str:
    """A part of the result in its order; says what ended it, if something did."""
    with closing(_results(args, search, selection)) as found:
        for line in islice(found, args.offset, None):
            if not kept.add(line):
                break
        else:
            return ""
    full = len(kept.lines) == args.head_limit
    reached = f"head_limit {args.head_limit}" if full else f"{MAX_BYTES // 1000} KB"
    return (
        f"[cut at {reached}; narrow by path, glob or type, or go on with"
        f" offset={args.offset + len(kept.lines)}]"
    )


def _lines(
    args: GrepArgs, search: TextSearch, selection: Selection, kept: Kept, patience: _Patience
) -> str:
    """All lines; of too many examples from everywhere, and how many there are."""
    with closing(_results(args, search, selection)) as found:
        for line in found:
            if not kept.add(line) or (
                selection.is_all and _is_far_too_much(search, kept.used, kept.room)
            ):
                break
        else:
            return ""
    kept.clear()
    every = list(selection.among(search.by_path()))
    mixed = chain.from_iterable(every[start::_STRIDES] for start in range(_STRIDES))
    counts: dict[FileEntry, int] = {}
    for entry, count in search.counts(mixed):
        patience.until = min(patience.until, monotonic() + _COUNTING)
        counts[entry] = count
    if not counts:  # they were changed meanwhile
        return ""
    more = "more than " if patience.is_over() else ""
    patience.until = math.inf
    total = sum(counts.values())
    groups = by_folder({entry.relative: count for entry, count in counts.items()})
    found_in = _found_in(args, search, counts, examples(groups, HEAD_LIMIT))
    kept.fill(
        in_turn(in_turn(found_in.get(path, ()) for path in group.counts) for group in groups),
        len(groups),
        total,
    )
    return (
        f"[{kept.matches:,} of {more}{total:,} lines in {_files(counts)}; counted by folder:\n"
        + "\n".join(map(str, groups))
        + f"\n{_NARROW}]"
    )


def _found_in(
    args: GrepArgs,
    search: TextSearch,
    counts: Mapping[FileEntry, int],
    shares: Mapping[str, int],
) -> dict[str, list[Example]]:
    """So many examples of files, from all parts of each."""
    found: dict[str, list[Example]] = {}
    chosen = sorted((entry for entry in counts if entry.relative in shares), key=_relative)
    for entry, text, lines, numbers in search.lines(iter(chosen)):
        share = shares[entry.relative]
        spread = islice(numbers, 0, None, max(1, counts[entry] // share))
        place = _place(args, entry, text, lines)
        found[entry.relative] = scattered([Example(place, n) for n in islice(spread, share)])
    return found


def _paths(
    args: GrepArgs, search: TextSearch, selection: Selection, kept: Kept, patience: _Patience
) -> str:
    """All files; of too many the first, and how many there are."""
    counting = args.output_mode == "count"
    counts: dict[str, int] = {}
    with closing(_counts(args, search, selection)) as found:
        for entry, count in found:
            counts[entry.relative] = count
            if patience.until == math.inf and not kept.add(_path(args, entry.relative, count)):
                patience.until = monotonic() + _COUNTING
    if patience.until == math.inf:
        return ""
    more = "more than " if patience.is_over() else ""
    ordered = sorted(counts, key=lambda path: -counts[path]) if counting else list(counts)
    listed = [_path(args, path, counts[path]) for path in ordered]
    kept.clear()
    kept.shrink(sum(size(line.text) for line in listed))
    for line in listed:
        if not kept.add(line):
            break
    order = f"most of {sum(counts.values()):,} lines" if counting else "newest"
    return (
        f"[{len(kept.lines):,} of {more}{_files(counts)}, {order} first:\n"
        + "\n".join(map(str, by_folder(counts)))
        + f"\n{_NARROW}]"
    )


def _files(counts: Sized) -> str:
    return f"{len(counts):,} file{'s' if len(counts) != 1 else ''}"


def _unsearched(search: TextSearch) -> str:
    """Which files may hold more but were not searched."""
    reasons = (MissingReason.TOO_LARGE, MissingReason.UNREADABLE)
    why = {
        entry.relative: reason for entry, reason in search.unsearched.items() if reason in reasons
    }
    named = [f"{shown(path)} ({why[path]})" for path in sorted(why)]
    if len(named) > _NAMED:
        named[_NAMED:] = [f"{len(named) - _NAMED:,} more"]
    return f"[not searched: {', '.join(named)}]" if named else ""


def _is_far_too_much(search: TextSearch, found: int, room: int) -> bool:
    """Whether all there is will hardly be shown, when so many bytes were found."""
    return found > _ENOUGH * room and search.expected(found) > _FAR * room


def _results(
    args: GrepArgs, search: TextSearch, selection: Selection
) -> Generator[Line, None, None]:
    if args.output_mode == "content":
        for entry, text, lines, numbers in search.lines(selection.among(search.by_path())):
            yield from _place(args, entry, text, lines).shown(numbers)
        return
    for entry, count in _counts(args, search, selection):
        yield _path(args, entry.relative, count)


def _counts(
    args: GrepArgs, search: TextSearch, selection: Selection
) -> Generator[tuple[FileEntry, int], None, None]:
    """The files with their matching lines, or 1 where these are not to be counted."""
    if args.output_mode == "count":
        yield from search.counts(selection.among(search.by_path()))
    else:
        for entry in search.files(selection.among(search.newest_first())):
            yield entry, 1


def _place(args: GrepArgs, entry: FileEntry, text: SearchedText, lines: Lines) -> Place:
    before, after = max(args.before, args.context), max(args.after, args.context)
    return Place(entry.relative, text, lines, before, after)


def _path(args: GrepArgs, relative: str, count: int) -> Line:
    return Line(shown(relative) + (f":{count}" if args.output_mode == "count" else ""))


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
    line_ends = {token.lastgroup for token in _LINE_END.finditer(args.pattern)} - {None}
    if line_ends and not args.multiline:
        extra.append("A line end in the pattern matches only with multiline.")
    if "carriage" in line_ends:
        extra.append(r"Every line end is searched as \n, so \r matches nothing.")
    what = f"No match for {args.pattern}" + (
        f" after the first {args.offset}" if args.offset else ""
    )
    return ToolResult(f"{what}.\n{account(snapshot, selection, extra)}")
