"""The index of cited lines: what cites which document, and whether the lines are as cited.

Whatever cites lines (a gloss, a fact) adds its passages under a key of its own. When a document
changes, the keys that cite it are in doubt at once; a thread compares them with the current texts.

Passages are never searched in other files, but renamed files are followed. Watchers report only
paths: a file that is gone was renamed to the one that appeared at about the same time with the
same text.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice, takewhile
from typing import TypeVar

from glossator.anchors.passages import Freshness, HashedTexts, Heads, Read, freshness_of
from glossator.core.document import Document
from glossator.core.fact import Passage
from glossator.workspace import WorkspaceHost

T = TypeVar("T")
Key = Hashable  # of what cites: a value whose type tells glosses from facts
Listener = Callable[[frozenset[Key]], None]
Names = Mapping[str, str]  # new paths by old ones; one that ends with a separator is of all below
Follower = Callable[[Names], Awaitable[None]]

_SETTLE_SECONDS = 0.3  # seconds in which a program that saves may bring back what it moved aside
_RENAMING_SECONDS = 10.0  # between the two halves of a renaming, at most
_MAX_RECENT = 5_000  # paths that are remembered
_MAX_COMPARED = 500  # texts that are compared at once, those with a known name first


@dataclass(slots=True, eq=False)
class _Cited:
    """The lines that a key cites, the paths whose renaming matters for it, and the last verdict."""

    passages: tuple[Passage | None, ...]
    heads: tuple[Heads, ...]
    paths: frozenset[str]
    freshness: Freshness | None


_Found = tuple[Key, _Cited, Freshness]


class AnchorIndex:
    """Follows cited lines; for the event loop. A thread of its own reads and compares the texts."""

    def __init__(self, host: WorkspaceHost) -> None:
        self._host = host
        self._thread = ThreadPoolExecutor(1, "glossator-anchors")
        self._cited: dict[Key, _Cited] = {}
        self._citing: defaultdict[str, set[Key]] = defaultdict(set)  # by path
        self._doubtful: set[Key] = set()
        self._in_hand: set[Key] = set()  # those that are being judged
        self._renames = RenameTracker()
        self._names: dict[str, str] = {}  # that files have now, and are to be followed
        self._judging: asyncio.Task[None] | None = None
        self._closed = False
        self._listeners: list[Listener] = []
        self._followers: list[Follower] = []
        self._unsubscribe = host.subscribe(self._changed)

    def add(
        self,
        key: Key,
        passages: Sequence[Passage | None],
        about: Iterable[str] = (),
        freshness: Freshness | None = None,
        heads: Iterable[Heads] = (),
    ) -> None:
        """Watch these passages, in place of others that the key may have.

        `about` are paths that it does not cite, but whose renaming concerns it. `freshness` is what
        is told of it until it is judged. `heads` are for each passage the first lines of the
        definitions around it, the outermost first, which must stay around it.
        """
        self.remove(key)
        paths = frozenset((*(each.path for each in passages if each), *about))
        self._cited[key] = _Cited(tuple(passages), tuple(heads), paths, freshness)
        for path in paths:
            self._citing[path].add(key)
        self._doubt((key,))

    def remove(self, key: Key) -> None:
        """Stop watching the passages of a key."""
        known = self._cited.pop(key, None)
        for path in known.paths if known else ():
            self._citing[path].discard(key)
            if not self._citing[path]:
                del self._citing[path]
        self._doubtful.discard(key)

    def freshness(self, key: Key) -> Freshness | None:
        """How the lines stood when they were last compared; None if they never were."""
        known = self._cited.get(key)
        return known.freshness if known else None

    def is_fresh(self, key: Key) -> bool:
        """Whether its lines are as cited, and no document of them has changed since."""
        known = self.freshness(key)
        in_doubt = key in self._doubtful or key in self._in_hand
        return known is not None and known.is_fresh and not in_doubt

    def renamed(self, names: Names) -> None:
        """Follow files, or folders with all below them, to their new names."""
        self._names |= names
        self._names |= {old + os.sep: new + os.sep for old, new in names.items()}
        self._doubt_citing(path for path in self._citing if new_path(path, self._names) != path)

    async def settled(self) -> None:
        """Wait until every key is compared with the current texts."""
        while self._judging is not None:
            await asyncio.shield(self._judging)

    def subscribe(self, listener: Listener) -> None:
        """Call `listener` with keys whose places or freshness changed. It must not raise."""
        self._listeners.append(listener)

    def follow(self, follower: Follower) -> None:
        """Have `follower` add its passages again when the paths of some may have other names."""
        self._followers.append(follower)

    async def close(self) -> None:
        """End judging."""
        self._closed = True
        self._unsubscribe()
        if self._judging is not None:
            self._judging.cancel()
            await asyncio.wait({self._judging})
        self._thread.shutdown(wait=False)

    def _changed(self, paths: AbstractSet[str]) -> None:
        """Put in doubt what cites these documents, since they changed."""
        if self._cited:
            self._renames.changed(paths)
            self._doubt_citing(self._citing.keys() & paths)

    def _doubt_citing(self, paths: Iterable[str]) -> None:
        self._doubt(set().union(*(self._citing[path] for path in paths)))

    def _doubt(self, keys: Iterable[Key]) -> None:
        self._doubtful.update(keys)
        if self._judging is None and self._has_work and not self._closed:
            self._judging = asyncio.create_task(self._judge())

    @property
    def _has_work(self) -> bool:
        return bool(self._doubtful or self._names or self._renames.is_warm)

    async def _judge(self) -> None:
        """Compare texts until nothing is in doubt; each text is read once for all that cite it."""
        try:
            while self._has_work:
                if self._names:
                    names, self._names = self._names, {}
                    self._renames.renamed(names)
                    for follower in self._followers:
                        await follower(names)
                self._in_hand, self._doubtful = self._doubtful, set()
                cited = [(key, self._cited[key]) for key in self._in_hand if key in self._cited]
                read = self._host.snapshot().read
                found, texts = await self._in_thread(_judged, cited, read)
                self._renames.saw(texts)
                self._take(found)
                if lost := self._renames.lost():
                    candidates = self._renames.candidates()
                    if names := await self._in_thread(found_again, lost, candidates, read):
                        # A program may move a file aside, write a new one and delete the old
                        # (docs/decisions/0029): only what is still so then was renamed.
                        await asyncio.sleep(_SETTLE_SECONDS)
                        self._names |= await self._in_thread(still_so, names)
        finally:
            self._doubtful |= self._in_hand  # those of a round that did not end
            self._judging = None

    def _take(self, found: Iterable[_Found]) -> None:
        """Keep the findings on keys that still cite the same, and tell them."""
        changed = set()
        for key, cited, freshness in found:
            if self._cited.get(key) is cited:
                cited.freshness = freshness
                changed.add(key)
        self._in_hand = set()
        for listener in self._listeners if changed else ():
            listener(frozenset(changed))

    async def _in_thread(self, work: Callable[..., T], *arguments: object) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, partial(work, *arguments))


def _judged(
    all_cited: Iterable[tuple[Key, _Cited]], read: Read
) -> tuple[list[_Found], dict[str, str | None]]:
    """How those stand that stand otherwise than before, and the hashes of all their texts.

    None is of no file; an editor may still show the text of a deleted one.
    """
    texts, found = HashedTexts(read), []
    for key, cited in all_cited:
        freshness = freshness_of(cited.passages, texts, cited.heads)
        if freshness != cited.freshness:
            found.append((key, cited, freshness))
        for path in cited.paths:
            texts.of(path)
    gone = [path for path, text in texts.seen.items() if text and not os.path.lexists(path)]
    return found, texts.seen | dict.fromkeys(gone)


@dataclass(slots=True)
class RenameTracker:
    """The texts of cited documents when they were seen last, and which paths changed just now."""

    _texts: dict[str, str] = field(default_factory=dict)  # SHA-256 by path
    _lost: dict[str, float] = field(default_factory=dict)  # since when, by path
    _recent: OrderedDict[str, float] = field(default_factory=OrderedDict)  # when, by path
    _has_news: bool = False  # since the last call of `candidates`

    def changed(self, paths: Iterable[str]) -> None:
        """Note that something happened to these paths."""
        if not self._texts:
            return  # nothing that could have gone to one of them
        now = time.monotonic()
        self._has_news = True
        for path in islice(paths, _MAX_RECENT):
            self._recent[path] = now
            self._recent.move_to_end(path)
        while len(self._recent) > _MAX_RECENT:
            self._recent.popitem(last=False)

    def saw(self, texts: Mapping[str, str | None]) -> None:
        """Note that cited documents have these texts; None: they are gone."""
        now = time.monotonic()
        for path, text in texts.items():
            if text is not None:
                self._texts[path] = text
                self._lost.pop(path, None)
            elif path in self._texts and path not in self._lost:
                self._lost[path] = now
                self._has_news = True

    @property
    def is_warm(self) -> bool:
        """Whether it is worth looking for vanished files."""
        return self._has_news and bool(self.lost())

    def lost(self) -> dict[str, str]:
        """The texts of documents that went a moment ago, by path."""
        since = time.monotonic() - _RENAMING_SECONDS
        self._forget([path for path, at in self._lost.items() if at < since])
        return {path: self._texts[path] for path in self._lost}

    def candidates(self) -> list[str]:
        """Paths that changed a moment ago, and are not those of documents that are known."""
        self._has_news = False
        since = time.monotonic() - _RENAMING_SECONDS
        return [
            path for path, at in self._recent.items() if at >= since and path not in self._texts
        ]

    def renamed(self, names: Names) -> None:
        """Stop looking for files that were found under a new name."""
        self._forget([path for path in self._texts if new_path(path, names) != path])

    def _forget(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._texts.pop(path, None)
            self._lost.pop(path, None)


def found_again(lost: Mapping[str, str], candidates: Sequence[str], read: Read) -> dict[str, str]:
    """The new names of lost documents, and of folders that went with them; blocking."""
    known = {os.path.basename(path) for path in lost}
    likely = sorted(candidates, key=lambda path: os.path.basename(path) not in known)
    texts = set(lost.values())
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in likely[:_MAX_COMPARED]:
        document = read(path)
        if isinstance(document, Document) and document.sha256 in texts:
            found[document.sha256].append(path)
    names: dict[str, str] = {}
    for old, text in lost.items():
        if alike := found[text]:
            new = max(alike, key=lambda path: _common_end(old, path))
            alike.remove(new)
            names[old] = new
    for old, new in list(names.items()):
        names |= _folders(old, new)
    return names


def still_so(names: Names) -> dict[str, str]:
    """The renames whose old path is still gone and whose new one exists; blocking."""
    return {
        old: new
        for old, new in names.items()
        if not os.path.lexists(old.rstrip(os.sep)) and os.path.lexists(new.rstrip(os.sep))
    }


def _folders(old: str, new: str) -> dict[str, str]:
    """The folders of a document that went with it: those that are gone, by the same last names."""
    names: dict[str, str] = {}
    while os.path.basename(old) == os.path.basename(new):
        old, new = os.path.dirname(old), os.path.dirname(new)
        if os.path.lexists(old) or not os.path.isdir(new):
            break
        names |= {old: new, old + os.sep: new + os.sep}
    return names


def new_path(path: str, names: Names) -> str:
    """What a path is called now."""
    if path in names:
        return names[path]
    folder = path
    while (end := folder.rstrip(os.sep).rfind(os.sep)) >= 0:
        folder = path[: end + 1]
        if folder in names:
            return names[folder] + path[len(folder) :]
        if not end:
            break
    return path


def renamed_passages(
    passages: Iterable[Passage | None], names: Names
) -> tuple[Passage | None, ...]:
    """The passages with what their documents are called now."""
    return tuple(each and replace(each, path=new_path(each.path, names)) for each in passages)


def _common_end(one: str, other: str) -> int:
    """How many of the last parts of two paths are the same."""
    pairs = zip(one.split(os.sep)[::-1], other.split(os.sep)[::-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
