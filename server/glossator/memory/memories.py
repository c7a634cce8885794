"""The user's memories on disk: one folder for each workspace root, and one for all workspaces.

They are `<user state folder>/memory/<16 hex digits>/` (by the real path of the root) and
`<user state folder>/memory/everywhere/`, for the user alone. The files are the truth: people may
change and delete them, and `MEMORY.md` beside them is made again from them. Nothing in a workspace
is ever read as a memory. Writers take turns by a lock; a file is replaced whole or not at all.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import platformdirs

from glossator.core.atomic import alone, remove_private_leftovers, replace_private
from glossator.core.errors import StoreUnavailable, UsageError
from glossator.core.shown import shown
from glossator.memory.entry import MAX_BYTES, Memory, is_memory_file, parse_memory
from glossator.memory.ranking import likeness
from glossator.memory.texts import INDEX, index_file

MAX_MEMORIES = 1_000  # in one folder

_EVERYWHERE = "everywhere"
_ROOT = "root"  # names the workspace, for people
_SAME_LIKENESS = 0.5  # from which on two memories say the same
_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Kept:
    """All memories that count here, and sentences about files that are none."""

    memories: tuple[Memory, ...] = ()
    problems: tuple[str, ...] = ()

    def find(self, name: str, *, everywhere: bool | None = None) -> Memory:
        """The memory of that name; of two, the one for this workspace. Raises `UsageError`."""
        for memory in self.memories:
            if memory.name == name and everywhere in (None, memory.everywhere):
                return memory
        known = ", ".join(each.name for each in self.memories[:20]) or "none"
        raise UsageError(f"There is no memory {shown(name)}.\nThere are: {known}.")


@dataclass(slots=True)
class _Folder:
    path: Path
    everywhere: bool
    read: dict[str, tuple[_Stamp, Memory | str]] = field(default_factory=dict)  # by name of file


class Memories:
    """The memories of the folders that are open (real paths). Everything here is blocking.

    Raises `StoreUnavailable` where a folder can be neither read nor written.
    """

    def __init__(self, roots: Callable[[], tuple[str, ...]]) -> None:
        self._roots = roots
        self._folders: dict[Path, _Folder] = {}
        self._told: set[str] = set()

    def kept(self) -> Kept:
        """All of this workspace, then all for everywhere, by name."""
        memories: list[Memory] = []
        problems: list[str] = []
        for folder in (*map(self._of_root, self._roots()), self._everywhere()):
            self._look(folder, memories, problems)
        return Kept(tuple(memories), tuple(problems))

    def news(self, kept: Kept) -> tuple[str, ...]:
        """The problems that were not reported before."""
        new = tuple(each for each in kept.problems if each not in self._told)
        self._told.update(new)
        return new

    def place(self, *, everywhere: bool) -> Path:
        """The folder where a new memory goes. Raises `UsageError` without a workspace."""
        return self._target(everywhere=everywhere).path

    def write(self, new: Memory) -> Memory:
        """Keep a new memory, whose file gets its name.

        Raises `UsageError` where another one says the same, there are too many, or it is too long.
        """
        folder = self._target(everywhere=new.everywhere)
        new = replace(new, path=folder.path / f"{new.name}.md")
        with self._writing(folder):
            self.check_new(new)
            replace_private(new.path, _content(new))
        return new

    def check_new(self, new: Memory) -> None:
        """Raises `UsageError` as `write` does."""
        check_size(new)
        kept = self.kept().memories
        if sum(each.everywhere == new.everywhere for each in kept) >= MAX_MEMORIES:
            raise UsageError(
                f"There are {MAX_MEMORIES:,} memories already, which is the maximum.\nForget one"
                " that no longer holds, or update one."
            )
        _refuse_duplicate(new, kept)
        if os.path.lexists(new.path) or not is_memory_file(new.path.name):
            raise UsageError(
                f"A file {new.path.name} already exists, and is not a memory.\nChoose another name,"
                " or tell the user to correct or delete it."
            )

    def update(self, before: Memory, changed: Memory) -> Memory:
        """Replace the memory in the same file.

        Raises `UsageError` if it is too long, or the file does not hold `before` any more.
        """
        with self._writing(self._folders[before.path.parent]):
            self._refuse_other(before)
            check_size(changed)
            replace_private(before.path, _content(changed))
        return changed

    def forget(self, memory: Memory) -> None:
        """Delete its file, which may be gone already.

        Raises `UsageError` if the file holds something else than `memory`.
        """
        with self._writing(self._folders[memory.path.parent]):
            if os.path.lexists(memory.path):
                self._refuse_other(memory)
                memory.path.unlink()

    def _refuse_other(self, memory: Memory) -> None:
        """Raise `UsageError` if the file says something else than the memory."""
        now = self.kept().find(memory.name, everywhere=memory.everywhere)
        if (now.path, now.version) != (memory.path, memory.version):
            raise UsageError(
                f"The memory {shown(memory.name)} changed meanwhile, so it was left as it is now."
                "\nRead it again, and decide then."
            )

    def remove_leftovers(self) -> list[str]:
        """Remove what killed processes were writing; returns the paths."""
        folders = (*map(self._of_root, self._roots()), self._everywhere())
        return [path for folder in folders for path in remove_private_leftovers(folder.path)]

    def tidy(self) -> None:
        """Write each `MEMORY.md` again that does not match the files."""
        for folder in (*map(self._of_root, self._roots()), self._everywhere()):
            if folder.path.is_dir() and not _is_current(folder.path / INDEX, self._listed(folder)):
                with self._writing(folder):
                    pass

    def _of_root(self, root: str) -> _Folder:
        key = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:16]
        path = memory_base() / key
        return self._folders.setdefault(path, _Folder(path, everywhere=False))

    def _everywhere(self) -> _Folder:
        path = memory_base() / _EVERYWHERE
        return self._folders.setdefault(path, _Folder(path, everywhere=True))

    def _target(self, *, everywhere: bool) -> _Folder:
        if everywhere:
            return self._everywhere()
        roots = self._roots()
        if not roots:
            raise UsageError("No folder is open.\nKeep it for all workspaces, or not at all.")
        return self._of_root(roots[0])

    @contextmanager
    def _writing(self, folder: _Folder) -> Iterator[None]:
        """Hold the folder for writing, private and locked; write its index again at the end."""
        try:
            self._prepare(folder)
            with alone(folder.path / INDEX):
                yield
                listed = self._listed(folder)
                if not _is_current(folder.path / INDEX, listed):
                    replace_private(folder.path / INDEX, listed)
        except OSError as error:
            raise StoreUnavailable(
                f"The memories in {shown(str(folder.path))} cannot be written"
                f" ({error.strerror or error}). Check that folder."
            ) from error

    def _prepare(self, folder: _Folder) -> None:
        base = folder.path.parent
        folder.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        for private in (base, folder.path):
            if private.is_symlink():
                raise OSError(f"{private.name} is a link")
            private.chmod(0o700)
        ignore = base / ".gitignore"
        if not ignore.exists():  # a workspace that holds the state folder must not index it
            replace_private(ignore, b"*\n")
        for root in self._roots():
            if self._of_root(root) is folder and not (folder.path / _ROOT).exists():
                replace_private(folder.path / _ROOT, os.fsencode(root) + b"\n")

    def _listed(self, folder: _Folder) -> bytes:
        memories: list[Memory] = []
        self._look(folder, memories, [])
        return index_file(memories).encode("utf-8", "replace")

    def _look(self, folder: _Folder, memories: list[Memory], problems: list[str]) -> None:
        """Add what is in a folder; files that have not changed are not read again."""
        try:
            _check_private(folder.path)
            found = sorted(filter(is_memory_file, os.listdir(folder.path)))
        except FileNotFoundError:
            folder.read.clear()
            return
        except OSError as error:
            problems.append(
                f"The memories in {shown(str(folder.path))} are not used:"
                f" {error.strerror or error}."
            )
            return
        if len(found) > MAX_MEMORIES:
            problems.append(
                f"{shown(str(folder.path))} has {len(found):,} files; only the first"
                f" {MAX_MEMORIES:,} by name are used."
            )
        names: set[str] = set()
        read: dict[str, tuple[_Stamp, Memory | str]] = {}
        for file in found[:MAX_MEMORIES]:
            read[file] = self._read(folder, file)
            memory = read[file][1]
            if isinstance(memory, Memory) and memory.name in names:
                memory = f"has the name {memory.name}, as another file does; change one."
            if isinstance(memory, Memory):
                names.add(memory.name)
                memories.append(memory)
            else:
                problems.append(f"The memory {shown(str(folder.path / file))} {memory}")
        folder.read = read

    def _read(self, folder: _Folder, file: str) -> tuple[_Stamp, Memory | str]:
        path = folder.path / file
        try:
            descriptor = os.open(path, _OPEN)
            try:
                status = os.fstat(descriptor)
                stamp = status.st_ino, status.st_size, status.st_mtime_ns
                known = folder.read.get(file)
                if known is not None and known[0] == stamp:
                    return known
                if not stat.S_ISREG(status.st_mode):
                    return stamp, "is not a regular file; move it away."
                content = os.read(descriptor, MAX_BYTES + 1)
            finally:
                os.close(descriptor)
        except OSError as error:
            return (0, 0, 0), f"cannot be read ({error.strerror})."
        changed = datetime.fromtimestamp(status.st_mtime, UTC)
        return stamp, parse_memory(content, path, changed, everywhere=folder.everywhere)


@dataclass(frozen=True, slots=True)
class SessionMemories:
    """The memories as one conversation uses them.

    `source` names the session and its question. `saw` is called with what the model was shown,
    `has_seen` says whether it still stands in the conversation. `changed` is called when the model
    kept or forgot something. The user turned off what `is_off`.
    """

    memories: Memories
    source: Callable[[], str]
    saw: Callable[[Memory], object]
    has_seen: Callable[[Memory], bool]
    changed: Callable[[], object]
    is_off: Callable[[Memory], bool]


def memory_base() -> Path:
    """The folder with the folders of memories."""
    return Path(platformdirs.user_state_dir("glossator")).absolute() / "memory"


def check_size(memory: Memory) -> None:
    """Raises `UsageError` for a memory whose file would be too large."""
    if (over := len(_content(memory)) - MAX_BYTES) > 0:
        raise UsageError(
            f"The memory is {over:,} bytes too long: its file may have {MAX_BYTES:,}.\nKeep what"
            " will still matter later, or make two of it."
        )


def _content(memory: Memory) -> bytes:
    return memory.file().encode("utf-8", "replace")


def _refuse_duplicate(new: Memory, memories: tuple[Memory, ...]) -> None:
    """Raise `UsageError`, which says what to update, if another memory says the same."""
    for known in memories:
        if known.name == new.name:
            raise UsageError(
                f"There is already a memory {new.name} ({known.where}).\nUpdate it, or choose"
                " another name if this is about something else."
            )
    said = f"{new.description}\n{new.text}"
    for known in memories:
        if likeness(said, f"{known.description}\n{known.text}") >= _SAME_LIKENESS:
            raise UsageError(
                f"The memory {known.name} ({known.where}) says nearly the same:"
                f" {known.description}\nUpdate {known.name} if something is new."
            )


def _check_private(folder: Path) -> None:
    """Raises `OSError` if others could have put files there."""
    status = folder.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise OSError("the folder is a link")
    if sys.platform != "win32" and status.st_uid != os.geteuid():
        raise OSError("the folder belongs to another user")
    if sys.platform != "win32" and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise OSError("other users may write there; run chmod 700 on it")


def _is_current(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except OSError:  # it is not there yet
        return False
