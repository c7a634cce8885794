"""Fuzzy finding of paths by typed letters, best first, as in the file finders of editors.

A path matches if it contains the letters in their order. Nine RE2 patterns over all paths joined
rank the matches: the whole name first, then its beginning, then the beginnings of its words, and
last any letters of the path. Within one rank open files come first, then short names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any, TypeVar

import re2

from glossator.workspace.documents.snapshot import WorkspaceSnapshot
from glossator.workspace.files.entries import FileEntry
from glossator.workspace.files.listing import Listing

Hides = Callable[[FileEntry], bool]

_T = TypeVar("_T", FileEntry, str)

_MAX_TYPED = 100  # characters typed that count
_MAX_OF_RANK = 200  # files of one rank, the newest, that are sorted
_HIDDEN_FACTOR = 8  # times as many where rules hide most of them
_MAX_MATCHES = 1_000  # files that match at all, which are sorted
_PATTERNS_ON_ALL = 3  # patterns that are tried on all paths

_IN_NO_PATH = re.compile("[\0\ud800-\udfff]")
_ANY, _NAME = r"[^\x00]", r"[^/\x00]"
_BREAK, _NAME_BREAK = r"[^A-Za-z0-9\x00]", r"[^A-Za-z0-9/\x00]"  # before a word
_FOLDERS = rf"(?:{_ANY}*/)?"


def newest_files(snapshot: WorkspaceSnapshot, limit: int, hides: Hides | None) -> list[FileEntry]:
    """Open files, those changed last first, then the others likewise."""
    overlays = snapshot.overlays
    opened = sorted(
        (*snapshot.open_files, *snapshot.unlisted),
        key=lambda file: overlays[file.path].changed_ns,
        reverse=True,
    )

    def newest(most: int) -> list[FileEntry]:
        listed, _ = snapshot.listing.paths.newest("**", "", most)
        return list({file.path: file for file in (*opened, *listed)}.values())

    return _visible(newest, _MAX_OF_RANK, limit, hides)[:limit]


def best_files(
    snapshot: WorkspaceSnapshot, typed: str, limit: int, hides: Hides | None
) -> list[tuple[int, FileEntry]]:
    """The matching files with their ranks; 0 is the best."""
    opened = {file.path for file in snapshot.open_files}
    paths, unlisted = snapshot.listing.paths, snapshot.unlisted

    def fitting(runs: re2.Pattern[bytes], most: int) -> list[FileEntry]:
        return _visible(partial(paths.fitting, runs, also=unlisted), most, limit, hides)

    def order(file: FileEntry) -> tuple[bool, int, int, int, str]:
        path = file.relative
        length = len(path) - path.rfind("/")
        return file.path not in opened, length, len(path), -file.mtime_ns, path

    return _best(typed, limit, fitting, attrgetter("relative"), order)


class FolderFinder:
    """Finds folders that contain files; the folders of the last listing are cached."""

    def __init__(self) -> None:
        self._names: tuple[Listing, Hides | None, bytes] | None = None

    def best(
        self, listing: Listing, typed: str, limit: int, hides: Hides | None
    ) -> list[tuple[int, str]]:
        """The matching folders with their ranks; folders with hidden files only are left out."""
        names = self._of(listing, hides)

        def fitting(runs: re2.Pattern[bytes], _most: int) -> list[str]:
            return list(_in_runs(runs, names))

        return _best(typed, limit, fitting, str, lambda name: (len(name), name))

    def _of(self, listing: Listing, hides: Hides | None) -> bytes:
        if (known := self._names) and known[0] is listing and known[1] == hides:
            return known[2]
        names: set[str] = set()
        for files in listing.folders.values():
            name = files[0].relative.rpartition("/")[0]
            if hides is None or not all(map(hides, files)):
                while name and name not in names:
                    names.add(name)
                    name = name.rpartition("/")[0]
        joined = _joined(sorted(names))
        self._names = listing, hides, joined
        return joined


def match_rank(name: str, typed: str) -> int | None:
    """The rank of a single name or path; None if it does not match."""
    text = _joined([name])
    return next((rank for rank, runs in enumerate(_patterns(typed)) if runs.fullmatch(text)), None)


def _best(
    typed: str,
    limit: int,
    fitting: Callable[[re2.Pattern[bytes], int], list[_T]],
    name: Callable[[_T], str],
    order: Callable[[_T], Any],
) -> list[tuple[int, _T]]:
    """The matches, rank by rank until there are enough; those of one rank in `order`.

    `fitting` gives the newest matches of a pattern. The later patterns are tried only on the paths
    that match at all, which are mostly few.
    """
    *patterns, anyhow = _patterns(typed)
    found: dict[_T, int] = {}

    def take(rank: int, items: Iterable[_T]) -> bool:
        new = (item for item in items if item not in found)
        found.update(dict.fromkeys(sorted(new, key=order), rank))
        return len(found) >= limit

    if not any(
        take(rank, fitting(runs, _MAX_OF_RANK))
        for rank, runs in enumerate(patterns[:_PATTERNS_ON_ALL])
    ):
        rest = {name(item): item for item in fitting(anyhow, _MAX_MATCHES)}
        names = _joined(rest)
        for rank, runs in enumerate((*patterns[_PATTERNS_ON_ALL:], anyhow), start=_PATTERNS_ON_ALL):
            if take(rank, (rest[each] for each in _in_runs(runs, names) if each in rest)):
                break
    return [(rank, item) for item, rank in found.items()][:limit]


def _joined(names: Iterable[str]) -> bytes:
    """A NUL before each name and at the end."""
    return "\0".join(["", *names, ""]).encode("utf-8", "replace")


def _in_runs(runs: re2.Pattern[bytes], names: bytes) -> Iterator[str]:
    for run in runs.finditer(names):
        text = names[run.start() : run.end()].decode("utf-8", "replace")
        yield from (name for name in text.split("\0") if name)


def _visible(
    newest: Callable[[int], list[FileEntry]], most: int, limit: int, hides: Hides | None
) -> list[FileEntry]:
    """The newest files that are not hidden, of as many as it takes to have `limit`."""
    while True:
        files = newest(most)
        shown = files if hides is None else [file for file in files if not hides(file)]
        if len(shown) >= limit or len(files) < most:
            return shown
        most *= _HIDDEN_FACTOR


@lru_cache(maxsize=16)
def _patterns(typed: str) -> tuple[re2.Pattern[bytes], ...]:
    """The patterns, best first; each finds runs of paths as `glob.compile_listed` does."""
    typed = _IN_NO_PATH.sub("\uffff", typed[:_MAX_TYPED])
    letters = [_either_case(letter) for letter in typed]
    as_typed = "".join(letters)
    name, any_ = rf"{_NAME}*", rf"{_ANY}*"
    spread, far = name.join(letters), any_.join(letters)
    capital = re.escape(typed[:1].upper()) + "".join(letters[1:])  # a word in camel case
    word = rf"(?:{name}{_NAME_BREAK})?{as_typed}|{name}[a-z0-9]{capital}"
    return tuple(
        map(
            _runs,
            (
                rf"{_FOLDERS}{as_typed}(?:\.{name})?",
                rf"{_FOLDERS}{as_typed}{name}",
                rf"{_FOLDERS}(?:{word}){name}",
                rf"{_FOLDERS}{_words(typed, name, _NAME_BREAK)}{name}",
                rf"{_FOLDERS}{name}{as_typed}{name}",
                rf"{_FOLDERS}{name}{spread}{name}",
                rf"{_words(typed, any_, _BREAK)}{any_}",
                rf"{any_}{as_typed}{any_}",
                rf"{any_}{far}{any_}",
            ),
        )
    )


def _words(typed: str, between: str, break_: str) -> str:
    """Each letter begins a word, or follows the letter before it."""
    parts = []
    for number, letter in enumerate(typed):
        patterns = [rf"(?:{between}{break_})?{_either_case(letter)}"]
        if letter.upper() != letter.lower():
            patterns.append(rf"{between}[a-z0-9]{re.escape(letter.upper())}")
        if number:
            patterns.append(_either_case(letter))
        parts.append(f"(?:{'|'.join(patterns)})")
    return "".join(parts)


def _either_case(letter: str) -> str:
    spellings = dict.fromkeys((letter, letter.lower(), letter.upper()))
    return f"(?:{'|'.join(map(re.escape, spellings))})" if len(spellings) > 1 else re.escape(letter)


def _runs(path: str) -> re2.Pattern[bytes]:
    options = re2.Options()
    options.log_errors = False
    return re2.compile(rf"(?s)(?:\x00(?:{path}))+\x00".encode("utf-8", "replace"), options)
