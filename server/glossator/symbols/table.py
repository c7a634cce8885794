"""The names of symbols: searched as an editor's symbol search does, and those near a name.

The worker process keeps the names of each file next to the file's stamp, a few bytes a name; a file
is read again when its stamp changed. Open documents and links, which have no stamp, are read each
time. The details of a match come from the outline of its file.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import cache
from heapq import nsmallest
from itertools import accumulate, chain, islice, pairwise
from time import monotonic
from typing import ClassVar

import re2

from glossator.core.file_kinds import CODE
from glossator.symbols.find import Definition, definitions_of
from glossator.symbols.sources import SLICE, Library, Outlines, outlines, read, read_each
from glossator.symbols.symbol import NearSymbol
from glossator.worker import Job, JobProgress, Slices

FileStamp = tuple[int, int, int, int]  # size, mtime_ns, ctime_ns, inode

_MAX_QUERY = 100  # characters


@dataclass(frozen=True, slots=True)
class ReadNames(Job[None]):
    """Read the names of the changed files; the first time, of all, which may take minutes.

    `listed` has the stamps of the files by path; a later listing has a higher `number`. Not urgent,
    so that building the index goes on meanwhile.
    """

    library: Library
    number: int
    listed: Mapping[str, FileStamp]

    def run(self) -> Slices[None]:
        """Read one file after the other."""
        with outlines(self.library) as kept:
            yield from _TABLE.update(self.number, self.listed, self.library, kept)


@dataclass(frozen=True, slots=True)
class MatchNames(Job[tuple[Definition, ...] | None]):
    """The symbols of code whose names hold the letters of `query` in order, best first.

    None if the worker has not read the names of the listing `number`, or a later one. `unstamped`
    are further paths, of open documents and links.
    """

    urgent: ClassVar[bool] = True

    library: Library
    number: int
    unstamped: tuple[str, ...]
    query: str
    limit: int

    def run(self) -> Slices[tuple[Definition, ...] | None]:
        """Match the known names, and those of unstamped files."""
        return (yield from self.known()) if _TABLE.number >= self.number else None

    def known(self) -> Slices[tuple[Definition, ...]]:
        """Match like `run`, but only the names read so far."""
        with outlines(self.library) as kept:
            names = {path: names for path, (_, names) in _TABLE.files.items()}
            slice_end = monotonic() + SLICE
            for path in self.unstamped:
                names[path] = _names(self.library, path, kept)
                if monotonic() > slice_end:
                    yield None
                    slice_end = monotonic() + SLICE
            best = yield from _best(names, self.query, self.limit)
            found: dict[tuple[str, str], list[Definition]] = {match: [] for match in best}
            wanted: dict[str, set[str]] = {}
            for name, path in best:
                wanted.setdefault(path, set()).add(name)
            for path, named in wanted.items():
                for definition in _definitions(self.library, path, named, kept):
                    found[definition.symbol.name, path].append(definition)
                yield None
            return tuple(islice(chain.from_iterable(found.values()), self.limit))


@dataclass(frozen=True, slots=True)
class MatchKnown(Job[tuple[tuple[Definition, ...], bool]]):
    """Like `match`, for the names read so far; and whether these are all."""

    urgent: ClassVar[bool] = True

    match: MatchNames

    def run(self) -> Slices[tuple[tuple[Definition, ...], bool]]:
        """Match the known names."""
        whole = _TABLE.number >= self.match.number
        return (yield from self.match.known()), whole


@dataclass(slots=True)
class _Table:
    """The distinct names of each file, an LF after each, as it was with a stamp."""

    number: int = -1  # of the newest listing that was read
    files: dict[str, tuple[FileStamp, bytes]] = field(default_factory=dict)

    def update(
        self, number: int, listed: Mapping[str, FileStamp], library: Library, kept: Outlines
    ) -> Slices[None]:
        """Update the table to a listing; the part that was read stays when this is cancelled."""
        if number <= self.number:
            return
        slice_end = monotonic() + SLICE
        for path in self.files.keys() - listed.keys():
            del self.files[path]
        for done, (path, stamp) in enumerate(listed.items()):
            if path not in self.files or self.files[path][0] != stamp:
                self.files[path] = stamp, _names(library, path, kept)
            if monotonic() > slice_end:
                yield JobProgress(done, len(listed))
                slice_end = monotonic() + SLICE
        self.number = max(number, self.number)


_TABLE = _Table()  # a worker process serves one workspace


def _names(library: Library, path: str, kept: Outlines) -> bytes:
    text = read(library, path)
    if text is None or text.language not in CODE:
        return b""
    names = dict.fromkeys(symbol.name for symbol in kept.of(text))
    return "".join(f"{name}\n" for name in names).encode("utf-8", "replace")


def _definitions(
    library: Library, path: str, names: Container[str], kept: Outlines
) -> list[Definition]:
    text = read(library, path)
    if text is None:
        return []
    return definitions_of(text, [each for each in kept.of(text) if each.name in names])


def _best(names: Mapping[str, bytes], query: str, limit: int) -> Slices[list[tuple[str, str]]]:
    """The `limit` best names with the paths they are defined in."""
    wanted = "".join(query.split())[:_MAX_QUERY]
    in_order = "(?m)^.*" + ".*?".join(map(re.escape, wanted)) + ".*$"
    pattern = re2.compile(in_order.encode("utf-8", "replace"), _options())
    matches: list[tuple[tuple[int, int, str, str], str, str]] = []
    slice_end = monotonic() + SLICE
    for path, lines in names.items():
        spans = ((match.start(), match.end()) for match in pattern.finditer(lines))
        found = (lines[start:end].decode("utf-8", "replace") for start, end in spans)
        matches += [(_rank(name, wanted, path), name, path) for name in found if name]
        if monotonic() > slice_end:
            matches = nsmallest(limit, matches)
            yield None
            slice_end = monotonic() + SLICE
    return [(name, path) for _, name, path in nsmallest(limit, matches)]


def _options() -> re2.Options:
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    return options


def _rank(name: str, wanted: str, path: str) -> tuple[int, int, str, str]:
    """Equal names first, then those that begin with the query, then those that contain it."""
    plain, looked_for = name.casefold(), wanted.casefold()
    if name == wanted:
        kind = 0
    elif plain == looked_for:
        kind = 1
    elif plain.startswith(looked_for):
        kind = 2
    else:
        kind = 3 if looked_for in plain else 4
    return kind, len(name), name, path


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W_A-Z]+")
_MIN_RATIO = 0.75  # ratio of `difflib`
_MIN_PART = 4, 1 / 3  # letters of a name within another, and of all letters of that
_MORE_PIECES_AT = (4, 9)  # letters from which on a name has one piece more
_MAX_NAME = 100  # characters


@dataclass(frozen=True, slots=True)
class FindNear(Job[tuple[NearSymbol, ...]]):
    """One symbol of each of the nearest names, nearest first, in the texts at absolute `paths`.

    A name is near if it is equal but for case and underscores, if one contains the other from the
    beginning of a word on, or if most letters are the same. Only texts with a piece of the name are
    parsed: with a slip or two in a name, one of its pieces is still right. As many texts are read
    as possible in so many seconds.
    """

    urgent: ClassVar[bool] = True

    library: Library
    paths: tuple[str, ...]
    name: str
    limit: int
    seconds: float

    def run(self) -> Slices[tuple[NearSymbol, ...]]:
        """Read one text after the other."""
        likeness = cache(_Likeness(self.name))
        holds = re2.compile(pieces(self.name).encode("utf-8", "replace"))
        found: dict[str, NearSymbol] = {}
        with outlines(self.library) as kept:
            for text in read_each(self.library, self.paths, self.seconds):
                if text is None:
                    yield None
                    continue
                if text.language not in CODE or not holds.search(
                    text.text.encode("utf-8", "replace")
                ):
                    continue
                for symbol in kept.of(text):
                    if known := found.get(symbol.name):
                        found[symbol.name] = replace(known, others=known.others + 1)
                    elif likeness(symbol.name):
                        found[symbol.name] = NearSymbol(text.path, symbol)
        nearest = sorted(found, key=lambda name: (-likeness(name), name))
        return tuple(found[name] for name in nearest[: self.limit])


def pieces(name: str) -> str:
    """A pattern, for RE2 and `re`, that texts with a near name match."""
    words = [word.casefold() for word in _WORD.findall(name[:_MAX_NAME])] or [name[:_MAX_NAME]]
    letters = "".join(words)
    ends = set(accumulate(map(len, words)))
    count = 1 + sum(len(letters) >= least for least in _MORE_PIECES_AT)
    cuts = [len(letters) * part // count for part in range(count + 1)]
    parts = (
        "".join(
            re.escape(letters[at]) + ("_?" if at + 1 in ends and at + 1 < end else "")
            for at in range(start, end)
        )
        for start, end in pairwise(cuts)
    )
    return f"(?i:{'|'.join(parts)})"


class _Likeness:
    """How near names are to one: 1 is the same but for case and underscores, 0 is not near."""

    def __init__(self, asked: str) -> None:
        self._words = _words(asked)
        self._plain = "".join(self._words)
        self._matcher = SequenceMatcher(autojunk=False)
        self._matcher.set_seq2(self._plain)

    def __call__(self, name: str) -> float:
        words = _words(name)
        plain = "".join(words)
        if not plain or plain == self._plain:
            return float(bool(plain))
        matcher = self._matcher
        matcher.set_seq1(plain)
        if _is_part(self._plain, words):  # likelier than a slip
            return (1 + matcher.real_quick_ratio()) / 2
        if _is_part(plain, self._words):
            return matcher.real_quick_ratio()
        bounds = (matcher.real_quick_ratio, matcher.quick_ratio)
        if any(bound() < _MIN_RATIO for bound in bounds):
            return 0.0
        ratio = matcher.ratio()
        return ratio if ratio >= _MIN_RATIO else 0.0


def _words(name: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(name[:_MAX_NAME])]


def _is_part(part: str, words: list[str]) -> bool:
    """Whether `part` begins where one of the `words` does, and is much of them."""
    whole = "".join(words)
    least, share = _MIN_PART
    if len(part) < max(least, share * len(whole)):
        return False
    starts = accumulate((len(word) for word in words[:-1]), initial=0)
    return any(whole.startswith(part, start) for start in starts)
