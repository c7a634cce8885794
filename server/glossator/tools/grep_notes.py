"""What Grep says beside lines: what was not searched, or read by a guess, and of no match."""

from __future__ import annotations

import re
from collections import Counter

from glossator.core.document import MissingReason
from glossator.core.shown import shown
from glossator.core.tool_result import ToolResult
from glossator.tools.absence import account
from glossator.tools.grep_args import GrepArgs
from glossator.tools.grep_output import OutputLines
from glossator.tools.selection import Selection
from glossator.workspace import TextSearch, unsearchable

_NAMED = 3  # names of files

_LINE_END = re.compile(
    r"\[\^\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]"  # a class, which may hold escapes
    r"|\\Q.*?(?:\\E|\Z)"
    r"|(?P<feed>\n|\\(?:n|x0[aA]|x\{0*[aA]\}|012))"
    r"|(?P<carriage>\r|\\(?:r|x0[dD]|x\{0*[dD]\}|015))"
    r"|\\.",
    re.DOTALL,
)


def unsearched(search: TextSearch) -> str:
    """Which files could not be searched."""
    reasons = (MissingReason.TOO_LARGE, MissingReason.UNREADABLE)
    why = {
        entry.relative: reason for entry, reason in search.unsearched.items() if reason in reasons
    }
    named = [f"{shown(path)} ({why[path]})" for path in sorted(why)]
    step = "; give a large one as path" * (MissingReason.TOO_LARGE in why.values())
    return f"[not searched: {_some(named)}{step}]" if named else ""


def guessed(search: TextSearch, output: OutputLines) -> str:
    """By which encodings the files of the output were read that are no Unicode."""
    files = {line.file for line in output.lines}
    named = [f"{path} ({codec})" for path, codec in _named(search) if path in files]
    return f"[read as their bytes look like: {_some(named)}]" if named else ""


def nothing_found(args: GrepArgs, selection: Selection, search: TextSearch) -> ToolResult:
    """That nothing was found, and what was searched."""
    snapshot = selection.snapshot
    missing = {**unsearchable(snapshot), **search.unsearched}
    left_out = list(selection.among(missing))
    reasons = Counter(missing[file] for file in left_out)
    size = selection.total_bytes - sum(file.size for file in left_out)
    count = selection.count - len(left_out)
    extra = [f"Searched {count:,} of them, {size / 1e6:,.1f} MB."]
    if reasons:
        listed = ", ".join(f"{reasons[why]} {why}" for why in MissingReason if reasons[why])
        extra.append(f"Could not be searched: {listed}.")
    if search.guessed:
        named = [f"{path} ({codec})" for path, codec in _named(search)]
        extra.append(f"Read as their bytes look like: {_some(named)}.")
    line_ends = {token.lastgroup for token in _LINE_END.finditer(args.pattern)} - {None}
    if line_ends and not args.multiline:
        extra.append("A line end in the pattern matches only with multiline.")
    if "carriage" in line_ends:
        extra.append(r"Every line end is searched as \n, so \r matches nothing.")
    if search.may_miss:
        extra.append(
            r"With \B, or \b beside \A or \z, only ASCII letters make words: near others this"
            " pattern may miss matches."
        )
    what = f"No match for {args.pattern}" + (
        f" after the first {args.offset}" if args.offset else ""
    )
    told = account(snapshot, selection, extra)
    return ToolResult(f"{what}.\n{told}", outcome="no match")


def _named(search: TextSearch) -> list[tuple[str, str]]:
    return [(shown(path), codec) for path, codec in sorted(search.guessed.items())]


def _some(named: list[str]) -> str:
    if len(named) > _NAMED:
        named[_NAMED:] = [f"{len(named) - _NAMED:,} more"]
    return ", ".join(named)
