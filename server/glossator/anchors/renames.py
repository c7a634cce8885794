"""Finds renamed files by their texts, so that what cites them follows.

Watchers report only paths: a file that is gone was renamed to the one that appeared at about the
same time with the same text.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile

from glossator.anchors.passages import Read
from glossator.core.document import Document
from glossator.core.fact import Passage

_SECONDS = 10.0  # between the two halves of a renaming, at most
_RECENT = 5_000  # paths that are remembered
_LOOKED_AT = 500  # texts that are compared at once, those with a known name first

Names = Mapping[str, str]  # new paths by old ones; one that ends with a separator is of all below


@dataclass(slots=True)
class RenameTracker:
    """The texts of cited documents when they were seen last, and which paths changed just now."""

    _texts: dict[str, str] = field(default_factory=dict)  # SHA-256 by path
    _lost: dict[str, float] = field(default_factory=dict)  # since when, by path
    _recent: OrderedDict[str, float] = field(default_factory=OrderedDict)  # when, by path
    _has_news: bool = False  # since the last call of `candidates`

    def changed(self, paths: Iterable[str]) -> None:
        """Something happened to these paths."""
        if not self._texts:
            return  # nothing that could have gone to one of them
        now = time.monotonic()
        self._has_news = True
        for path in islice(paths, _RECENT):
            self._recent[path] = now
            self._recent.move_to_end(path)
        while len(self._recent) > _RECENT:
            self._recent.popitem(last=False)

    def saw(self, texts: Mapping[str, str | None]) -> None:
        """Cited documents have these texts; None: they are gone."""
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
        """Whether it is worth looking for what went."""
        return self._has_news and bool(self.lost())

    def lost(self) -> dict[str, str]:
        """The texts of documents that went a moment ago, by path."""
        since = time.monotonic() - _SECONDS
        self._forget([path for path, at in self._lost.items() if at < since])
        return {path: self._texts[path] for path in self._lost}

    def candidates(self) -> list[str]:
        """Paths that changed a moment ago, and are not those of documents that are known."""
        self._has_news = False
        since = time.monotonic() - _SECONDS
        return [
            path for path, at in self._recent.items() if at >= since and path not in self._texts
        ]

    def renamed(self, names: Names) -> None:
        """What has another name now is not looked for."""
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
    for path in likely[:_LOOKED_AT]:
        document = read(path)
        if isinstance(document, Document) and document.sha256 in texts:
            found[document.sha256].append(path)
    names: dict[str, str] = {}
    for old, text in lost.items():
        if alike := found[text]:
            new = max(alike, key=lambda path: _alike(old, path))
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


def _alike(one: str, other: str) -> int:
    """How many of the last parts of two paths are the same."""
    pairs = zip(one.split(os.sep)[::-1], other.split(os.sep)[::-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
