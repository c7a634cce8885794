"""Grep: lines or files that match a regular expression; without a match, what was searched."""

from __future__ import annotations

import math
import re
from collections.abc import Generator, Iterator, Mapping, Sequence, Sized
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain, islice
from operator import attrgetter
from time import monotonic
from typing import Any, ClassVar, Literal

from pydantic import Field

from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.shown import shown
from glossator.core.tool_result import ToolResult, counted
from glossator.tools.base import Cancellation, IsHidden, ToolArgs, ToolContext, searching
from glossator.tools.grep_output import (
    MAX_LINE_CHARACTERS,
    Example,
    FileContext,
    OutputLine,
    OutputLines,
    by_folder,
    examples,
    guessed,
    interleave,
    nothing_found,
    scattered,
    size,
    spans,
    unsearched,
)
from glossator.tools.selection import Selection, including_ignored, place_of, select
from glossator.workspace import (
    FileEntry,
    Lines,
    Request,
    SearchedText,
    TextSearch,
    WorkspaceSnapshot,
)

HEAD_LIMIT = 250
MAX_BYTES = 20_000

_PAGE_BYTES = MAX_BYTES - 200  # less the note on how to continue
_LINES_BYTES = MAX_BYTES - 1_500  # less the counts by folder
_PATHS_BYTES = 4_000  # the first few paths say as much as all
_ESTIMATE_FROM = 1 / 8  # share of the budget that must be full before the rest is estimated
_FAR_TOO_MANY = 5  # times the budget, since the estimate is rough
_COUNTING_SECONDS = 0.015  # seconds to count matches that are not shown
_STRIDES = 16  # mixes the files, so that a partial count covers all folders
_NARROW = "Narrow by path, glob or type, or page through all with head_limit and offset."

_MODE_OF_OPTION = {"-l": "files", "-c": "count", "-o": "content"}  # -o: whole lines tell more
_LITERAL_OPTIONS = ("-F", "fixed_strings", "fixed_string")
_WORD_OPTIONS = ("-w", "word_regexp", "whole_word")
_OPERATOR = re.compile(r"[\\.+*?()|\[\]{}^$]")
_SAFE_IN_BRACES = re.compile(r"(?!!)(?:[^{},]|\{[^{}]*\})+(?<!/)")
_NAMES_FILES = re.compile(r"[*?.]")  # else it may be a folder's name

_relative = attrgetter("relative")


class GrepArgs(ToolArgs):
    """Arguments of Grep."""

    verb: ClassVar[str] = "Search in"

    pattern: str = Field(max_length=2_000, description="RE2.")
    path: str | None = Field(None, description="File or folder.")
    glob: str | None = Field(None, description="Such as `*.py`.")
    type: str | None = Field(None, description="Such as `py`.")
    output_mode: Literal["files", "content", "count"] = "files"
    ignore_case: bool = Field(False, alias="-i", description="Ignore case.")
    before: int = Field(0, alias="-B", ge=0, le=100, description="Lines before.")
    after: int = Field(0, alias="-A", ge=0, le=100, description="Lines after.")
    context: int = Field(0, alias="-C", ge=0, le=100, description="Lines around.")
    multiline: bool = Field(False, description="Match across lines.")
    head_limit: int = Field(HEAD_LIMIT, ge=0, description="Maximum; 0 for all.")
    offset: int = Field(0, ge=0, description="How many to skip.")
    include_ignored: bool = Field(False, description="Ignored too.")

    habits: ClassVar[Mapping[str, Sequence[str]]] = {
        **dict.fromkeys(("-e", "expression"), ("pattern",)),
        **dict.fromkeys(("case_insensitive", "ignoreCase"), ("ignore_case",)),
        **dict.fromkeys(("context_lines", "-context"), ("context",)),
        **dict.fromkeys(("-U", "multi_line"), ("multiline",)),
        **dict.fromkeys(("-m", "limit"), ("head_limit",)),
        **dict.fromkeys(("no_ignore", "--no-ignore"), ("include_ignored",)),
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
        """Translate the options of grep and ripgrep."""
        meant = dict(given)
        if isinstance(sensitive := meant.get("case_sensitive"), bool) and not (
            {"-i", "ignore_case"} & meant.keys()
        ):
            del meant["case_sensitive"]
            meant["ignore_case"] = not sensitive
        for flag, mode in _MODE_OF_OPTION.items():
            if meant.get(flag) is False or (
                meant.get(flag) is True and meant.setdefault("output_mode", mode) == mode
            ):
                del meant[flag]
        if isinstance(pattern := meant.get("pattern"), str):
            if _pop_flags(meant, _LITERAL_OPTIONS):
                pattern = _OPERATOR.sub(r"\\\g<0>", pattern)
            if _pop_flags(meant, _WORD_OPTIONS):
                pattern = rf"\b(?:{pattern})\b"
            meant["pattern"] = pattern
        _narrow(meant)
        return meant

    def paths(self) -> tuple[str, ...]:
        """The file or folder, if one is named."""
        return () if self.path is None else (self.path,)

    @property
    def is_page(self) -> bool:
        """Whether the call asks for one page of the result."""
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
class _Deadline:
    """Ends a search that is cancelled or takes too long."""

    cancelled: Cancellation
    until: float = math.inf

    def is_over(self) -> bool:
        return self.cancelled.is_set() or monotonic() > self.until


def _grep(
    cancelled: Cancellation, args: GrepArgs, snapshot: WorkspaceSnapshot, hides: IsHidden | None
) -> ToolResult:
    request = Request(args.pattern, args.ignore_case, args.multiline)
    ignored = ""
    if args.include_ignored:
        place = place_of(snapshot, args.path)
        snapshot, ignored = including_ignored(snapshot, place, cancelled)
    selection = select(snapshot, args.path, args.glob, args.type, hides)
    deadline = _Deadline(cancelled)
    most = (args.head_limit or math.inf) if args.is_page else HEAD_LIMIT
    in_part = args.is_page or args.output_mode == "content"
    room = _PAGE_BYTES if args.is_page else _LINES_BYTES if in_part else _PATHS_BYTES
    output = OutputLines(most, room)

    def progress() -> float:  # all paths are needed for the counts
        return output.share if in_part else 0.0

    search = TextSearch(snapshot, request, deadline.is_over, progress, selection.alone)
    if args.is_page or _is_long(selection):
        note = _page(args, search, selection, output)
    elif args.output_mode == "content":
        note = _lines(args, search, selection, output, deadline)
    else:
        note = _paths(args, search, selection, output, deadline)
    if not output.lines:
        nothing = nothing_found(
            args.pattern, selection, search, offset=args.offset, multiline=args.multiline
        )
        return replace(nothing, text=nothing.text + ignored)
    notes = (note, guessed(search, output), unsearched(search), ignored.strip())
    text = "\n".join(filter(None, (output.text(), *notes)))
    whole, shortened = spans(output.lines, snapshot)
    outcome = _outcome(args, output) + ", and there are more" * bool(note)
    return ToolResult(text, whole, omitted=1 if note else 0, citable=shortened, outcome=outcome)


def _outcome(args: GrepArgs, output: OutputLines) -> str:
    """How much is shown, for people."""
    if args.output_mode != "content":
        return counted(len(output.lines), "files")
    files = {line.file for line in output.lines if line.is_match}
    return f"{counted(output.matches, 'matches')} in {counted(len(files), 'files')}"


def _page(args: GrepArgs, search: TextSearch, selection: Selection, output: OutputLines) -> str:
    """A page of the result, with a note if it does not reach the end."""
    with closing(_results(args, search, selection)) as found:
        for line in islice(found, args.offset, None):
            if not output.add(line):
                break
        else:
            return ""
    full = len(output.lines) == args.head_limit
    reached = f"head_limit {args.head_limit}" if full else f"{MAX_BYTES // 1000} KB"
    return (
        f"[cut at {reached}; narrow by path, glob or type, or go on with"
        f" offset={args.offset + len(output.lines)}]"
    )


def _lines(
    args: GrepArgs,
    search: TextSearch,
    selection: Selection,
    output: OutputLines,
    deadline: _Deadline,
) -> str:
    """All lines; if there are too many, examples from all folders and a note with counts."""
    with closing(_results(args, search, selection)) as found:
        for line in found:
            if not output.add(line) or (
                selection.is_all and _is_far_too_much(search, output.used, output.room)
            ):
                break
        else:
            return ""
    output.clear()
    every = list(selection.among(search.by_path()))
    mixed = chain.from_iterable(every[start::_STRIDES] for start in range(_STRIDES))
    counts: dict[FileEntry, int] = {}
    for entry, count in search.counts(mixed):
        deadline.until = min(deadline.until, monotonic() + _COUNTING_SECONDS)
        counts[entry] = count
    if not counts:  # the files changed meanwhile
        return ""
    more = "at least " if deadline.is_over() else ""
    deadline.until = math.inf
    total = sum(counts.values())
    groups = by_folder({entry.relative: count for entry, count in counts.items()})
    chosen = _examples(args, search, counts, examples(groups, HEAD_LIMIT))
    output.fill(
        interleave(interleave(chosen.get(path, ()) for path in group.counts) for group in groups),
        len(groups),
        total,
    )
    return (
        f"[{output.matches:,} of {more}{total:,} lines in {_files(counts)}; counted by folder:\n"
        + "\n".join(map(str, groups))
        + f"\n{_NARROW}]"
    )


def _examples(
    args: GrepArgs,
    search: TextSearch,
    counts: Mapping[FileEntry, int],
    shares: Mapping[str, int],
) -> dict[str, list[Example]]:
    """Examples from all parts of each file, as many as `shares` says."""
    found: dict[str, list[Example]] = {}
    chosen = sorted((entry for entry in counts if entry.relative in shares), key=_relative)
    for entry, text, lines, numbers in search.lines(iter(chosen)):
        share = shares[entry.relative]
        spread = islice(numbers, 0, None, max(1, counts[entry] // share))
        place = _place(args, entry, text, lines, search)
        found[entry.relative] = scattered([Example(place, n) for n in islice(spread, share)])
    return found


def _paths(
    args: GrepArgs,
    search: TextSearch,
    selection: Selection,
    output: OutputLines,
    deadline: _Deadline,
) -> str:
    """All files; if there are too many, the first ones and a note with counts."""
    counting = args.output_mode == "count"
    counts: dict[str, int] = {}
    with closing(_counts(args, search, selection)) as found:
        for entry, count in found:
            counts[entry.relative] = count
            if deadline.until == math.inf and not output.add(_path(args, entry.relative, count)):
                deadline.until = monotonic() + _COUNTING_SECONDS
    if deadline.until == math.inf:
        return ""
    more = "at least " if deadline.is_over() else ""
    ordered = sorted(counts, key=lambda path: -counts[path]) if counting else list(counts)
    listed = [_path(args, path, counts[path]) for path in ordered]
    output.clear()
    output.shrink(sum(size(line.text) for line in listed))
    for line in listed:
        if not output.add(line):
            break
    order = f"most of {sum(counts.values()):,} lines" if counting else "newest"
    return (
        f"[{len(output.lines):,} of {more}{_files(counts)}, {order} first:\n"
        + "\n".join(map(str, by_folder(counts)))
        + f"\n{_NARROW}]"
    )


def _files(counts: Sized) -> str:
    return f"{len(counts):,} file{'s' if len(counts) != 1 else ''}"


def _is_far_too_much(search: TextSearch, found: int, room: int) -> bool:
    """Whether far more is expected than fits, with `found` bytes so far."""
    return found > _ESTIMATE_FROM * room and search.expected(found) > _FAR_TOO_MANY * room


def _results(
    args: GrepArgs, search: TextSearch, selection: Selection
) -> Generator[OutputLine, None, None]:
    if (large := selection.alone) and _is_long(selection):
        yield from _of_long(args, search, large)
    elif args.output_mode == "content":
        for entry, text, lines, numbers in search.lines(selection.among(search.by_path())):
            yield from _place(args, entry, text, lines, search).shown(numbers)
    else:
        for entry, count in _counts(args, search, selection):
            yield _path(args, entry.relative, count)


def _is_long(selection: Selection) -> bool:
    """Whether only one file is searched, and it is too large to be read whole."""
    snapshot, file = selection.snapshot, selection.alone
    is_open = file is not None and file.path in snapshot.overlays
    return file is not None and not is_open and file.size > snapshot.cache.max_file_bytes


def _of_long(args: GrepArgs, search: TextSearch, entry: FileEntry) -> Iterator[OutputLine]:
    """The hits in a long file; context does not reach beyond the few MB searched at once."""
    count = 0
    for first, lines, numbers in search.windows(entry):
        if args.output_mode == "content":
            place = _place(args, entry, None, lines, search, first - 1)
            yield from place.shown(first - 1 + number for number in numbers)
        else:
            count += sum(1 for _ in numbers)
            if count and args.output_mode == "files":
                break
    if count:
        yield _path(args, entry.relative, count)


def _counts(
    args: GrepArgs, search: TextSearch, selection: Selection
) -> Generator[tuple[FileEntry, int], None, None]:
    """Files with the number of matching lines, or 1 if these are not counted."""
    if args.output_mode == "count":
        yield from search.counts(selection.among(search.by_path()))
    else:
        for entry in search.files(selection.among(search.newest_first())):
            yield entry, 1


def _place(
    args: GrepArgs,
    entry: FileEntry,
    text: SearchedText | None,
    lines: Lines,
    search: TextSearch,
    passed: int = 0,
) -> FileContext:
    before, after = max(args.before, args.context), max(args.after, args.context)
    return FileContext(entry.relative, text, lines, search.column, before, after, passed)


def _path(args: GrepArgs, relative: str, count: int) -> OutputLine:
    return OutputLine(shown(relative) + (f":{count}" if args.output_mode == "count" else ""))


def _pop_flags(meant: dict[str, Any], flags: tuple[str, ...]) -> bool:
    """Remove the flags; whether one of them was set."""
    values = [meant.pop(flag) for flag in flags if isinstance(meant.get(flag), bool)]
    return any(values)


def _narrow(meant: dict[str, Any]) -> None:
    if isinstance(paths := meant.get("path"), list) and paths:
        raise ValueError(
            "path is one file or folder; call Grep for each, or narrow by glob, such as {a,b}/**"
        )
    if "glob" in meant:
        meant["glob"] = _as_one(meant["glob"])
    elif isinstance(left_out := _as_one(meant.get("exclude")), str):
        del meant["exclude"]
        meant["glob"] = f"!{left_out}"


def _as_one(globs: object) -> object:
    """Several globs joined into one, if all are plain enough to stand in braces."""
    if not isinstance(globs, list) or not all(isinstance(each, str) for each in globs):
        return globs
    if len(globs) == 1:
        return globs[0]
    fit = all(_SAFE_IN_BRACES.fullmatch(each) and _NAMES_FILES.search(each) for each in globs)
    return "{" + ",".join(globs) + "}" if globs and fit else globs
