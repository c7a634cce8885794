"""A repository whose lines have numbers, and what happens to it, at random."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from random import Random
from typing import NamedTuple

from glossator.core.uri import to_uri
from glossator.settings.model import WorkspaceSettings
from glossator.worker.client import Worker
from glossator.workspace.documents.host import WorkspaceHost
from glossator.workspace.documents.overlays import (
    Change,
    Closed,
    DiskChanged,
    Edited,
    Opened,
    Saved,
    TextEdit,
)
from tests.workspaces import idle_indexing

_COMMON = ("", "    return x", "    }", "import os", "        pass", "def run(self):", "    try:")
_SHARE = 0.35  # of lines that read like others
_FILES = 100


class Line(NamedTuple):
    number: int
    text: str


Lines = tuple[Line, ...]


class Repository:
    """Files on disk and open documents, by relative path, with what the host is told of them."""

    def __init__(self, root: Path, random: Random) -> None:
        self.root, self.random = root, random
        self.host = WorkspaceHost((str(root),), WorkspaceSettings(), idle_indexing(Worker()))
        self.disk: dict[str, Lines] = {}
        self.open: dict[str, Lines] = {}
        self.before: dict[str, list[Lines]] = {}  # what undo goes back to
        self._numbers, self._versions, self._names = count(), count(1), count()
        for _ in range(_FILES):
            self.write(self.new_path(), self.new_lines(self.random.randint(20, 300)))
        self.host.apply(DiskChanged(frozenset({str(root)})))

    @property
    def paths(self) -> list[str]:
        """Of all documents."""
        return sorted({*self.disk, *self.open})

    def lines(self, path: str) -> Lines:
        """The current ones, as an editor shows them."""
        return self.open.get(path, self.disk.get(path, ()))

    def places(self) -> dict[int, tuple[str, int]]:
        """The path and the line, 1-based, of every line by its number."""
        return {
            line.number: (path, at)
            for path in self.paths
            for at, line in enumerate(self.lines(path), 1)
        }

    def new_path(self) -> str:
        return f"{self.random.choice('abcdef')}/{self.random.choice('xyz')}/{next(self._names)}.py"

    def new_lines(self, number: int) -> Lines:
        return tuple(self._new_line() for _ in range(number))

    def copies(self, lines: Sequence[Line]) -> Lines:
        """Other lines that read the same."""
        return tuple(Line(next(self._numbers), line.text) for line in lines)

    def _new_line(self) -> Line:
        number = next(self._numbers)
        common = self.random.random() < _SHARE
        return Line(number, self.random.choice(_COMMON) if common else f"    v{number} = {number}")

    def full(self, path: str) -> str:
        return str(self.root / path)

    def uri(self, path: str) -> str:
        return to_uri(self.full(path))

    def write(self, path: str, lines: Lines) -> None:
        """To disk; nobody is told."""
        self.disk[path] = lines
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text_of(lines))

    def set(self, path: str, lines: Lines) -> list[Change]:
        """A document gets these lines, in the editor if it is open; gives what is to be told."""
        self.before.setdefault(path, []).append(self.lines(path))
        if path in self.open:
            self.open[path] = lines
            edit = TextEdit(None, text_of(lines))
            return [Edited(self.uri(path), next(self._versions), (edit,))]
        self.write(path, lines)
        return [self.touched(path)]

    def touched(self, *paths: str) -> Change:
        return DiskChanged(frozenset(map(self.full, paths)))

    def opened(self, path: str, lines: Lines) -> Change:
        self.open[path] = lines
        return Opened(self.uri(path), next(self._versions), text_of(lines))

    def move(self, old: str, new: str) -> list[Change]:
        """On disk, and in the editor; gives what the editor tells."""
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)
        told: list[Change] = []
        for path in [path for path in self.paths if path == old or path.startswith(f"{old}/")]:
            now = new + path.removeprefix(old)
            self.disk[now] = self.disk.pop(path)
            if path in self.before:
                self.before[now] = self.before.pop(path)
            if path in self.open:
                lines = self.open.pop(path)
                told += [Closed(self.uri(path)), self.opened(now, lines)]
        return told


Place = tuple[str, int] | None  # a path, and a line, 1-based


def together(lines: Lines, at: Mapping[int, tuple[str, int]]) -> Place:
    """Where lines are by the places `at` of all, if they are still together."""
    first = at.get(lines[0].number)
    if first is None:
        return None
    path, number = first
    whole = all(at.get(line.number) == (path, number + i) for i, line in enumerate(lines))
    return first if whole else None


Told = tuple[list[Change], Mapping[str, str]]  # changes, and names that the editor tells
Event = Callable[[Repository], Told]


def text_of(lines: Sequence[Line]) -> str:
    return "".join(f"{line.text}\n" for line in lines)


# What may happen.


def _edit(repository: Repository) -> Told:
    path, lines, at = _some_line(repository)
    return repository.set(path, (*lines[:at], *repository.new_lines(1), *lines[at + 1 :])), {}


def _insert(repository: Repository) -> Told:
    path, lines, at = _some_line(repository)
    new = repository.new_lines(repository.random.randint(1, 8))
    return repository.set(path, (*lines[:at], *new, *lines[at:])), {}


def _delete(repository: Repository) -> Told:
    path, lines, at = _some_line(repository)
    return repository.set(path, (*lines[:at], *lines[at + repository.random.randint(1, 8) :])), {}


def _move(repository: Repository) -> Told:
    path, lines, at = _some_line(repository)
    end = at + repository.random.randint(1, 30)
    block, rest = lines[at:end], (*lines[:at], *lines[end:])
    to = repository.random.randint(0, len(rest))
    return repository.set(path, (*rest[:to], *block, *rest[to:])), {}


def _copy(repository: Repository) -> Told:
    _, source, at = _some_line(repository)
    path, lines, to = _some_line(repository)
    block = repository.copies(source[at : at + repository.random.randint(1, 30)])
    return repository.set(path, (*lines[:to], *block, *lines[to:])), {}


def _move_to_other(repository: Repository) -> Told:
    path, lines, at = _some_line(repository)
    other, others, to = _some_line(repository)
    if other == path:
        return [], {}
    end = at + repository.random.randint(1, 30)
    changes = repository.set(path, (*lines[:at], *lines[end:]))
    return [*changes, *repository.set(other, (*others[:to], *lines[at:end], *others[to:]))], {}


def _undo(repository: Repository) -> Told:
    paths = [path for path in repository.paths if repository.before.get(path)]
    if not paths:
        return [], {}
    path = repository.random.choice(paths)
    steps = repository.before[path]
    changes = repository.set(path, steps[-1])
    del steps[-2:]
    return changes, {}


def _checkout(repository: Repository) -> Told:
    """Many files change at once, as by git."""
    closed = [path for path in repository.disk if path not in repository.open]
    chosen = repository.random.sample(sorted(closed), min(12, len(closed)))
    for path in chosen:
        lines = repository.disk[path]
        at = repository.random.randrange(len(lines) + 1)
        new = repository.new_lines(repository.random.randint(0, 3))
        end = at + repository.random.randint(0, 3)
        repository.write(path, (*lines[:at], *new, *lines[end:]))
    return [repository.touched(*chosen)], {}


def _open(repository: Repository) -> Told:
    path, lines, _ = _some_line(repository)
    return [] if path in repository.open else [repository.opened(path, lines)], {}


def _close(repository: Repository) -> Told:
    if not repository.open:
        return [], {}
    path = repository.random.choice(sorted(repository.open))
    lines = repository.open.pop(path)
    closed = Closed(repository.uri(path))
    if repository.random.random() < 0.2:
        return [closed], {}
    repository.write(path, lines)
    return [Saved(closed.uri), closed], {}


def _rename_told(repository: Repository) -> Told:
    """By the editor; the watcher tells the rest."""
    old, new = _on_disk(repository), repository.new_path()
    changes = repository.move(old, new)
    if repository.random.random() < 0.3:  # and edited, before anybody looks
        lines = repository.lines(new)
        changes += repository.set(new, (*repository.new_lines(2), *lines))
    return [*changes, repository.touched(old, new)], {old: new}


def _rename_seen(repository: Repository) -> Told:
    """On disk alone: the watcher tells of two paths, in any order."""
    old, new = _on_disk(repository), repository.new_path()
    changes = repository.move(old, new)
    order = repository.random.choice(([[old, new]], [[old], [new]], [[new], [old]]))
    return [*changes, *(repository.touched(*paths) for paths in order)], {}


def _rename_folder(repository: Repository) -> Told:
    old = str(Path(_on_disk(repository)).parent)
    new = str(Path("moved", *Path(repository.new_path()).with_suffix("").parts[2:]))
    changes = repository.move(old, new)
    told = repository.random.random() < 0.5
    return [*changes, repository.touched(old, new)], {old: new} if told else {}


def _remove(repository: Repository) -> Told:
    """A file goes; another one comes, so that there are as many."""
    path, new = _on_disk(repository), repository.new_path()
    (repository.root / path).unlink()
    del repository.disk[path]
    repository.before.pop(path, None)
    closed = [Closed(repository.uri(path))] if repository.open.pop(path, None) is not None else []
    repository.write(new, repository.new_lines(repository.random.randint(20, 300)))
    return [*closed, repository.touched(path, new)], {}


def _some_line(repository: Repository) -> tuple[str, Lines, int]:
    path = repository.random.choice(repository.paths)
    lines = repository.lines(path)
    return path, lines, repository.random.randrange(len(lines) + 1)


def _on_disk(repository: Repository) -> str:
    return repository.random.choice(sorted(repository.disk))


EVENTS: Mapping[str, tuple[int, Event]] = {
    "edit": (30, _edit),
    "insert": (12, _insert),
    "delete": (10, _delete),
    "move": (12, _move),
    "copy": (6, _copy),
    "move to another file": (4, _move_to_other),
    "undo": (10, _undo),
    "checkout": (1, _checkout),
    "open": (6, _open),
    "close": (5, _close),
    "rename, told": (3, _rename_told),
    "rename, seen on disk": (3, _rename_seen),
    "rename a folder": (1, _rename_folder),
    "remove": (2, _remove),
}
