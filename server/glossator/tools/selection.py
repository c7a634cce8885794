"""Which files a search looks at, and an account of what it did not look at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from glossator.core.document import Missing, MissingReason
from glossator.core.errors import UsageError
from glossator.tools.file_types import extensions_of
from glossator.workspace.glob import compile_glob
from glossator.workspace.snapshot import WorkspaceSnapshot
from glossator.workspace.walk import FileEntry

_RULES_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen files, and in words how they were chosen."""

    files: tuple[FileEntry, ...]
    total: int
    filters: str


def select(
    snapshot: WorkspaceSnapshot,
    path: str | None = None,
    glob: str | None = None,
    file_type: str | None = None,
) -> Selection:
    """Files under `path` that fit `glob` and `file_type`.

    Raises `UsageError` for a path outside the workspace or where there is nothing, a bad pattern
    or an unknown type.
    """
    everything = snapshot.files()
    files: Iterable[FileEntry] = everything
    filters: list[str] = []
    prefix = ""
    if path not in (None, "", ".", "./"):
        resolved = snapshot.resolve(path)
        if isinstance(resolved, Missing):
            raise UsageError(resolved.message)
        files, prefix = _under(snapshot, resolved, everything)
        if not files:
            _expect_something(snapshot, path)
        filters.append(f"under {prefix.rstrip('/')}")
    if glob:
        fits = compile_glob(glob)
        files = [file for file in files if fits(file.relative.removeprefix(prefix))]
        filters.append(f"glob {glob}")
    if file_type:
        endings = extensions_of(file_type)
        files = [file for file in files if file.relative.endswith(endings)]
        filters.append(f"type {file_type}")
    return Selection(tuple(files), len(everything), ", ".join(filters))


def account(snapshot: WorkspaceSnapshot, selection: Selection, extra: Sequence[str] = ()) -> str:
    """How much was looked at and what was left out: what makes "nothing found" a proof."""
    if not snapshot.roots:
        return "No folder is open, so there was nothing to look at."
    looked = len(selection.files)
    lines = [
        f"Looked at {looked:,} of {selection.total:,} files"
        + (f" ({selection.filters})." if selection.filters else ".")
    ]
    lines += extra
    rules = sorted(snapshot.skipped, key=lambda skipped: -skipped.count)
    shown = [f"{rule.rule} ({rule.count})" for rule in rules[:_RULES_SHOWN]]
    if len(rules) > _RULES_SHOWN:
        shown.append(f"{len(rules) - _RULES_SHOWN} more rules")
    if shown:
        lines.append(f"Left out by rule: {'; '.join(shown)}.")
    if not snapshot.index_complete:
        lines.append("The first scan of the workspace is still going on: ask again for the rest.")
    return "\n".join(lines)


def _expect_something(snapshot: WorkspaceSnapshot, path: str) -> None:
    """Nothing found in a place that does not exist would prove nothing."""
    there = snapshot.read(path)
    if isinstance(there, Missing) and there.reason is MissingReason.ABSENT:
        raise UsageError(there.message)


def _under(
    snapshot: WorkspaceSnapshot, resolved: str, everything: tuple[FileEntry, ...]
) -> tuple[list[FileEntry], str]:
    relative = snapshot.relative(resolved)
    if exact := [file for file in everything if file.relative == relative]:
        return exact, relative.rpartition("/")[0] + "/" if "/" in relative else ""
    if relative in (".", ""):
        return list(everything), ""
    prefix = f"{relative}/"
    return [file for file in everything if file.relative.startswith(prefix)], prefix
