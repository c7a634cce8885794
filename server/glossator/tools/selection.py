"""What of the workspace a tool may show: the files a search looks at, and a document at a path.

It also says why there is nothing: what a search left out, or files of similar names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

from glossator.core.document import Document, Missing, MissingReason
from glossator.core.errors import UsageError
from glossator.core.glob import compile_glob
from glossator.core.shown import shown
from glossator.tools.base import Cancellation, IsHidden
from glossator.workspace import (
    MAX_IGNORED,
    SPECIAL,
    UNREADABLE,
    FileEntry,
    WorkspaceSnapshot,
    best_files,
    is_inside,
    with_ignored,
)

_SIMILAR_NAMED = 5  # similar files
_MAX_CANDIDATES = 50
_MAX_COMPARED = 1_000  # files of the same folder to compare, 20 ms
_LAST_RANK = 5  # the last rank of `best_files` that has all letters in the name
_MIN_LETTERS = 3  # letters of a name; fewer fit too many
_SIMILARITY = 0.75  # at least, as `difflib` measures it


def refusal(snapshot: WorkspaceSnapshot, path: str, hides: IsHidden | None) -> str | None:
    """Why permission rules hide the file at `path`, for the model; None if they do not."""
    located = snapshot.folders.locate(path)
    if hides is None or isinstance(located, Missing) or not hides(located):
        return None
    return (
        f"The user's permission rules keep {shown(path)} from being read.\nDo not try to read it"
        " another way; go on without it, or tell the user."
    )


def visible(snapshot: WorkspaceSnapshot, path: str, hides: IsHidden | None) -> Document | str:
    """The document at `path`, or why it is not shown, for the model."""
    if (reason := refusal(snapshot, path, hides)) is not None:
        return reason
    document = snapshot.read(path)
    if isinstance(document, Missing):
        names = near(snapshot, path, hides) if document.reason is MissingReason.ABSENT else []
        if names:
            return f"{document.message}\nSimilar names: {', '.join(names)}."
        return document.model_message
    # a link may have changed meanwhile
    return refusal(snapshot, document.path, hides) or document


def near(snapshot: WorkspaceSnapshot, path: str, hides: IsHidden | None) -> list[str]:
    """Files whose names are similar to that of a missing `path`, best first.

    They have the same name in another folder, a longer name, another extension, or a similar
    spelling in the same folder.
    """
    folder, name = os.path.split(snapshot.folders.relative(path) if os.path.isabs(path) else path)

    def hidden(file: FileEntry) -> bool:
        return hides is not None and hides(file.path)

    def steps(file: FileEntry) -> int:
        return -len({*folder.split("/")}.intersection(file.relative.split("/")[:-1]))

    found: dict[str, FileEntry] = {}
    for typed in dict.fromkeys((name, os.path.splitext(name)[0])):
        if len(typed) < _MIN_LETTERS:
            continue
        ranked = best_files(snapshot, typed, _MAX_CANDIDATES, hidden)
        ranked = [each for each in ranked if each[0] <= _LAST_RANK]
        ranked.sort(key=lambda each: (each[0], steps(each[1])))
        found |= {file.relative: file for _, file in ranked if file.relative not in found}
    located = snapshot.folders.locate(path)
    if isinstance(located, str):
        beside = snapshot.listing.folders.get(os.path.dirname(located), ())[:_MAX_COMPARED]
        names = {os.path.basename(file.path): file for file in beside if not hidden(file)}
        alike = (
            names[each] for each in get_close_matches(name, names, _SIMILAR_NAMED, _SIMILARITY)
        )
        found = {file.relative: file for file in alike} | found
    if not found and len(name) > _MIN_LETTERS:
        begins = os.path.splitext(name)[0][: max(_MIN_LETTERS, len(name) // 2)]
        files = [file for _, file in best_files(snapshot, begins, _MAX_CANDIDATES, hidden)]
        names = {os.path.basename(file.path): file for file in reversed(files)}
        alike = (
            names[each] for each in get_close_matches(name, names, _SIMILAR_NAMED, _SIMILARITY)
        )
        found = {file.relative: file for file in alike}
    return [shown(relative) for relative in list(found)[:_SIMILAR_NAMED]]


_RULES_SHOWN = 5
_SPECIAL_CHARACTER = re.compile(r"[*?\[{\\]")  # in a file-name pattern

_TYPES: dict[str, tuple[str, ...]] = {
    "c": (".c", ".h"),
    "cpp": (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".h", ".inl"),
    "cs": (".cs",),
    "css": (".css", ".scss", ".sass", ".less"),
    "dart": (".dart",),
    "elixir": (".ex", ".exs"),
    "go": (".go",),
    "haskell": (".hs",),
    "html": (".html", ".htm"),
    "java": (".java",),
    "js": (".js", ".jsx", ".mjs", ".cjs"),
    "json": (".json", ".jsonl", ".jsonc"),
    "kotlin": (".kt", ".kts"),
    "lua": (".lua",),
    "make": ("Makefile", "makefile", ".mk"),
    "md": (".md", ".markdown", ".mdx"),
    "php": (".php",),
    "py": (".py", ".pyi"),
    "r": (".r", ".R"),
    "ruby": (".rb", ".rake", "Gemfile", "Rakefile"),
    "rust": (".rs",),
    "scala": (".scala",),
    "sh": (".sh", ".bash", ".zsh"),
    "sql": (".sql",),
    "swift": (".swift",),
    "toml": (".toml",),
    "ts": (".ts", ".tsx", ".mts", ".cts"),
    "txt": (".txt", ".rst"),
    "vue": (".vue",),
    "xml": (".xml", ".xsd", ".svg"),
    "yaml": (".yaml", ".yml"),
    "zig": (".zig",),
}
_ALIASES = {
    "bash": "sh",
    "c++": "cpp",
    "csharp": "cs",
    "javascript": "js",
    "markdown": "md",
    "python": "py",
    "rb": "ruby",
    "rs": "rust",
    "shell": "sh",
    "tsx": "ts",
    "typescript": "ts",
    "yml": "yaml",
}


@dataclass(frozen=True)
class Selection:
    """The selected files, and the `filters` in words.

    `fits` tests one file; `files` tests all of them. `named` is `fits` without the permission
    rules. `place` is the relative path of the folder or file to search, `pattern` the glob for
    names below it, `alone` the file at `place` if it is one.
    """

    snapshot: WorkspaceSnapshot
    named: Callable[[FileEntry], bool]
    filters: str
    place: str | None
    pattern: str | None
    hides: IsHidden | None = None
    alone: FileEntry | None = None

    def fits(self, file: FileEntry) -> bool:
        """Whether a file is selected."""
        return self.named(file) and (self.hides is None or not self.hides(file.path))

    def among(self, files: Iterable[FileEntry]) -> Iterator[FileEntry]:
        """Those of `files` that are selected."""
        return iter(files) if self.is_all else filter(self.fits, files)

    @cached_property
    def files(self) -> tuple[FileEntry, ...]:
        """The selected files, by relative path."""
        hides = self.hides
        if hides is None:
            return self._named
        return tuple(file for file in self._named if not hides(file.path))

    @property
    def count(self) -> int:
        """How many files are selected."""
        return self.total if self.is_all else len(self.files)

    @property
    def total_bytes(self) -> int:
        """The size of the selected files."""
        return self.snapshot.total_bytes if self.is_all else sum(file.size for file in self.files)

    @property
    def hidden(self) -> int:
        """How many more files would be selected if permission rules did not hide them."""
        return 0 if self.hides is None else len(self._named) - len(self.files)

    @property
    def total(self) -> int:
        """The number of all files."""
        return self.snapshot.file_count

    @property
    def is_all(self) -> bool:
        """Whether all files are selected."""
        return not self.filters and self.hides is None

    @cached_property
    def _named(self) -> tuple[FileEntry, ...]:
        everything = self.snapshot.files() if self.alone is None else (self.alone,)
        return tuple(filter(self.named, everything)) if self.filters else everything


def select(
    snapshot: WorkspaceSnapshot,
    path: str | None = None,
    glob: str | None = None,
    file_type: str | None = None,
    hides: IsHidden | None = None,
) -> Selection:
    """Files under `path` that match `glob` and `file_type` and are not hidden.

    Raises `UsageError` for a path outside the workspace or without files, for a bad pattern and for
    an unknown type.
    """
    filters: list[str] = []
    place, alone = place_of(snapshot, path), None
    if place is not None:
        filters.append(f"under {shown(place)}")
        located = snapshot.folders.locate(place)
        if isinstance(located, str):
            unlisted = (file for file in snapshot.unlisted if file.path == located)
            alone = snapshot.listing.get(located) or next(unlisted, None)
    pattern = pattern_of(snapshot, glob, place) if glob else None
    fits_glob = compile_glob(pattern) if pattern else None
    if glob:
        filters.append(f"glob {glob}")
    endings = extensions_of(file_type) if file_type else None
    if file_type:
        filters.append(f"type {file_type}")

    def named(file: FileEntry) -> bool:
        name: str | None = file.relative
        if place is not None:
            name = _name_below(place, file.relative)
        return (
            name is not None
            and (endings is None or name.endswith(endings))
            and (fits_glob is None or fits_glob(name))
        )

    selection = Selection(snapshot, named, ", ".join(filters), place, pattern, hides, alone)
    if place is not None and alone is None:
        _expect_something(selection, place)
    return selection


def place_of(snapshot: WorkspaceSnapshot, path: str | None) -> str | None:
    """The unescaped relative path of a file or folder; None for the whole workspace.

    Raises `UsageError` for a path outside the workspace.
    """
    if path in (None, "", ".", "./"):
        return None
    resolved = snapshot.resolve(path)
    if isinstance(resolved, Missing):
        raise UsageError(resolved.model_message)
    relative = snapshot.folders.relative(resolved)
    return None if relative == "." else relative


def including_ignored(
    snapshot: WorkspaceSnapshot, place: str | None, cancelled: Cancellation
) -> tuple[WorkspaceSnapshot, str]:
    """The files with the ignored ones; a note, on its own line, if some are missing."""
    snapshot, is_all = with_ignored(snapshot, place, cancelled.is_set)
    first = f"only the first {MAX_IGNORED:,} ignored files, or those found in 5 s, were looked at"
    return snapshot, "" if is_all else f"\n[{first}; give a path for the others]"


def pattern_of(snapshot: WorkspaceSnapshot, asked: str, place: str | None) -> str:
    """The glob for paths below `place` that the model means by the pattern `asked`.

    An absolute pattern may lead into the workspace. A folder (it ends in "/", or no file has that
    name) means all files in it. Raises `UsageError`.
    """
    sign = "!" if asked.startswith("!") else ""
    pattern = _from_place(snapshot, asked.removeprefix("!"), place)
    name = pattern.rstrip("/")
    if name in ("", "."):
        return f"{sign}**"
    everything_in = f"{name}/**" if "/" in name else f"**/{name}/**"
    if pattern.endswith("/"):
        return sign + everything_in
    if not sign and _SPECIAL_CHARACTER.search(pattern) is None:
        under = "" if place is None else f"{place}/"
        for reading in (pattern, everything_in):
            if snapshot.listing.paths.newest(reading, under, 1, snapshot.unlisted)[1]:
                return reading
    return sign + pattern


def _from_place(snapshot: WorkspaceSnapshot, pattern: str, place: str | None) -> str:
    """`pattern` relative to `place`, also if it begins with the path of a root."""
    for root in sorted(snapshot.roots, key=len, reverse=True):
        if is_inside(pattern.rstrip("/"), root):
            relative = snapshot.folders.relative(root)
            above = "" if relative == "." else relative
            inner = pattern[len(root) :].lstrip("/")
            below = "/".join(filter(None, (above, inner)))
            if place is None:
                return f"/{below}"
            if not is_inside(below.rstrip("/"), place):
                raise UsageError(f"{pattern} is not inside {shown(place)}.\nGive only one of them.")
            return below[len(place) :] or "/"
    return pattern


def _name_below(place: str, relative: str) -> str | None:
    """`relative` without the folder `place`, or the name of the file `place`; None if outside."""
    if not relative.startswith(place):
        return None
    rest = relative[len(place) :]
    if not rest:
        return place.rpartition("/")[2]
    return rest[1:] if rest[0] == "/" else None


def _expect_something(selection: Selection, place: str) -> None:
    """Raise `UsageError` if the place does not exist: an empty result would prove nothing."""
    resolved = selection.snapshot.resolve(place)
    if (
        isinstance(resolved, str)
        and not os.path.lexists(resolved)
        and not selection.files
        and not selection.hidden
    ):
        there = selection.snapshot.read(place)
        if isinstance(there, Missing) and there.reason is MissingReason.ABSENT:
            raise UsageError(there.model_message)


def extensions_of(file_type: str) -> tuple[str, ...]:
    """The file-name endings of a type. Raises `UsageError` for an unknown type."""
    name = file_type.lower().lstrip(".")
    try:
        return _TYPES[_ALIASES.get(name, name)]
    except KeyError:
        raise UsageError(
            f"Unknown file type {file_type!r}.\nUse glob instead, or one of {', '.join(_TYPES)}."
        ) from None


def account(snapshot: WorkspaceSnapshot, selection: Selection, extra: Sequence[str] = ()) -> str:
    """How much was searched and what was left out, so that "nothing found" is convincing."""
    if not snapshot.roots:
        return "No folder is open, so there was nothing to look at. Open one, or name it with -C."
    looked, place = selection.count, selection.place
    left_out = [] if place is None else _left_out(snapshot, place)
    lines = [
        *left_out,
        f"Looked at {looked:,} of {selection.total:,} files"
        + (f" ({selection.filters})." if selection.filters else "."),
        *extra,
    ]
    if selection.hidden:
        lines.append(f"Hidden by the user's permission rules: {selection.hidden:,}.")
    if not left_out:
        if selection.pattern and not looked:
            lines += hints(snapshot, selection.pattern, place)
        lines += _rules(snapshot, place)
    if not snapshot.index_complete:
        lines.append("The first scan of the workspace is still running: ask again for the rest.")
    return "\n".join(lines)


def hints(snapshot: WorkspaceSnapshot, pattern: str, place: str | None) -> list[str]:
    """Possible mistakes in a pattern that matches nothing."""
    found = []
    if "[" in pattern:
        found.append("[…] matches one character of a set; write \\[ for a literal bracket.")
    named = pattern.removeprefix("**/")
    special = _SPECIAL_CHARACTER.search(named)
    folder = named[: special.start()].rpartition("/")[0] if special else named
    if folder := folder.strip("/"):
        found += _left_out(snapshot, folder if place is None else f"{place}/{folder}")
    return found


def _left_out(snapshot: WorkspaceSnapshot, relative: str) -> list[str]:
    """A sentence about a file or folder that a rule ignores, if one does."""
    path = snapshot.resolve(relative)
    if isinstance(path, Missing) or (rule := snapshot.listing.left_out(path)) is None:
        return []
    what = "the files in it" if os.path.isdir(path) else "it"
    step = "" if rule in (SPECIAL, UNREADABLE) else f"; Read still opens {what}"
    return [f"{shown(relative)} is left out by rule: {shown(rule)}{step}."]


def _rules(snapshot: WorkspaceSnapshot, place: str | None) -> list[str]:
    """A line about the rules that ignore paths at or below `place`, if there are any."""
    skipped, where = snapshot.skipped, ""
    if place is not None:
        path = snapshot.resolve(place)
        within = path if isinstance(path, str) else None
        skipped = snapshot.listing.summarise_skipped(snapshot.folders, within)
        where = f" under {shown(place)}"
    listed = [f"{shown(each.rule)} ({each.count:,})" for each in skipped[:_RULES_SHOWN]]
    if len(skipped) > _RULES_SHOWN:
        listed.append(f"{len(skipped) - _RULES_SHOWN} more rules")
    return [f"Left out{where} by rule: {'; '.join(listed)}."] if listed else []
