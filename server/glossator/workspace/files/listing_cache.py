"""The contents of folders when they were last listed, so that a start need not list them again.

A folder with the same inode and times holds the same names, unless it was racy when it was listed,
or its file system cannot be trusted. Its files are checked nevertheless. What was left out counts
only while the same rules apply (docs/decisions/0023).

The file `folders.z` keeps the folders of one root. Its first line names the format and carries a
checksum of the rest: lines of JSON, compressed. The first of these names the roots and the user,
each other one holds some folders. Only the writer of the root writes the file, in one step.
"""

from __future__ import annotations

import json
import logging
import os
import re
import stat
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from glossator.workspace.files import state_folder
from glossator.workspace.files.entries import divided, ripe_at
from glossator.workspace.files.roots import Roots, is_inside, outermost

if TYPE_CHECKING:
    from glossator.workspace.files.ignore import IgnoreRules

FolderStamp: TypeAlias = tuple[int, int, int]  # of a folder: inode, mtime and ctime in ns
FOLDERS_FILE = "folders.z"
_MAGIC = b"glossator folders 1 "
_HEAD_BYTES = len(_MAGIC) + 9
_FOLDERS_A_LINE = 256  # about 1 ms of work
_MAX_TEXT = 64 << 20  # bytes before compression; where it is more, nothing is remembered
_COMPRESSION = 1  # level: the others save little more and take long

_OF_RULES = "ignore"  # in the name of every file with rules; `.git` is always left out

# these change a folder's times, to the tick, whenever a name in it changes; file systems of
# networks, of user space and of other systems do not always
_TRUSTED = frozenset(
    {"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "tmpfs", "overlay"}
)
_MOUNT = re.compile(r"^mnt_id:\s*(\d+)$", re.MULTILINE)

_log = logging.getLogger(__name__)


class ListedFolder(NamedTuple):
    """A folder as it was listed; `files` and `folders` as `joined`, links among the files.

    `rules`: the fingerprint of those by which names were left out; `left_out`: name -> rule.
    """

    inode: int
    mtime_ns: int
    ctime_ns: int
    rules: str
    files: str
    folders: str
    left_out: dict[str, str]

    @property
    def names(self) -> set[str]:
        """All names in the folder."""
        return {*divided(self.files), *divided(self.folders), *self.left_out}


class Memory:
    """A walk's memory of folders; this one keeps nothing. For one thread at a time."""

    def recall(self, _folder: str, _rules: IgnoreRules, /) -> ListedFolder | None:
        """The current contents of the folder, if they are known."""
        return None

    def stamp(self, _folder: str, /) -> FolderStamp | None:
        """The stamp of a folder that is about to be listed; None: it will not be remembered."""
        return None

    def keep(self, _folder: str, _known: ListedFolder, /) -> None:
        """Note that a folder with this stamp was listed."""


class CorruptFolders(Exception):
    """A file that cannot be used; the message says why."""


class Folders(NamedTuple):
    """The remembered folders by absolute path, useful for the same roots only."""

    roots: tuple[str, ...]
    known: Mapping[str, ListedFolder]


class FolderFile:
    """The file's content for the root `top` of a workspace with these `roots`, while it is made."""

    def __init__(self, top: str, roots: Sequence[str]) -> None:
        self._begin = len(os.path.join(top, ""))
        self._compressor = zlib.compressobj(_COMPRESSION)
        self._parts: list[bytes] = []
        self._text_bytes = 0
        self._some: list[tuple[object, ...]] = []
        self._put({"roots": roots, "user": _user()})

    def add(self, folder: str, known: ListedFolder) -> None:
        """Put a folder in."""
        self._some.append((folder[self._begin :], *known))
        if len(self._some) == _FOLDERS_A_LINE:
            self._put(self._some)
            self._some = []

    def content(self) -> bytes | None:
        """The whole content, once; None if it is too much."""
        self._put(self._some)
        if self._text_bytes > _MAX_TEXT:
            return None
        body = b"".join((*self._parts, self._compressor.flush()))
        return _head(body) + body

    def _put(self, value: object) -> None:
        if self._text_bytes <= _MAX_TEXT:
            line = json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"
            self._parts.append(self._compressor.compress(line))
            self._text_bytes += len(line)


def read_folders(folder: Path, top: str) -> Folders:
    """Read what the file in `folder` says about the root `top`. Raises `CorruptFolders`."""
    content = read_checked(folder)  # its checksum proves that we wrote it
    text = zlib.decompress(content[_HEAD_BYTES:]) if content else b""
    lines: Iterator[Any] = map(json.loads, text.splitlines())
    conditions = next(lines, None)
    if conditions is None or conditions["user"] != _user():
        return Folders((), {})
    below = os.path.join(top, "")
    known = {
        below + name if name else top: ListedFolder._make(facts)
        for some in lines
        for name, *facts in some
    }
    return Folders(tuple(conditions["roots"]), known)


def read_checked(folder: Path) -> bytes:
    """Read and check the file in `folder`, b"" without one. Raises `CorruptFolders`."""
    try:
        with open(folder / FOLDERS_FILE, "rb") as file:
            content = file.read(_MAX_TEXT)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise CorruptFolders(f"{FOLDERS_FILE} cannot be read ({error.strerror})") from error
    if not content.startswith(_head(content[_HEAD_BYTES:])):
        raise CorruptFolders(f"{FOLDERS_FILE} is cut short or damaged, or of another version")
    return content


def _head(body: bytes) -> bytes:
    return _MAGIC + b"%08x\n" % zlib.crc32(body)


def _user() -> int | None:
    """Who listed the folders: another user may read other ones."""
    return os.geteuid() if hasattr(os, "geteuid") else None


def recall(roots: Roots) -> ListingCache | None:
    """The cache for these roots as it is on disk; None if there is nothing of use."""
    known: dict[str, ListedFolder] = {}
    tops = outermost(roots.paths)
    for top in tops:
        try:
            folders = read_folders(state_folder.index_folder(top, roots.reading(top)), top)
        except CorruptFolders as error:  # who writes the next one tells the user
            _log.warning("The folders of %s are listed again: %s", top, error)
            continue
        if folders.roots == roots.paths:
            known.update(folders.known)
    return ListingCache(known, tops) if known else None


class ListingCache(Memory):
    """Folders as an earlier run listed them, by absolute path; each is recalled once."""

    def __init__(self, known: dict[str, ListedFolder], roots: Iterable[str]) -> None:
        self._known = known
        self._devices = trusted_devices(roots)

    def recall(self, folder: str, rules: IgnoreRules, /) -> ListedFolder | None:
        """Like `Memory`'s; rules that the folder holds are read again."""
        known = self._known.pop(folder, None)
        if known is None or _stamp(folder, self._devices) != known[:3]:
            return None
        names: Iterable[str] = known.left_out
        if _OF_RULES in known.files:
            names = chain(names, divided(known.files))
        here = rules.entered(folder, names)
        return None if isinstance(here, str) or here.fingerprint != known.rules else known


class Recording(Memory):
    """Writes what is listed from `now` (ns) on to a file for each of the outermost roots."""

    def __init__(self, roots: Roots, now: int) -> None:
        tops = outermost(roots.paths)
        self.files = {top: FolderFile(top, roots.paths) for top in tops}
        self._now = now
        self._devices = trusted_devices(tops)

    def stamp(self, folder: str, /) -> FolderStamp | None:
        """Like `Memory`'s; a later change must not be able to leave the same stamp."""
        stamp = _stamp(folder, self._devices)
        return None if stamp is None or ripe_at(*stamp[1:]) > self._now else stamp

    def keep(self, folder: str, known: ListedFolder, /) -> None:
        """Like `Memory`'s."""
        for top, file in self.files.items():
            if is_inside(folder, top):
                file.add(folder, known)


def _stamp(folder: str, devices: Collection[int]) -> FolderStamp | None:
    """The stamp of a directory on one of the devices."""
    try:
        status = os.lstat(folder)
    except OSError:
        return None
    if not stat.S_ISDIR(status.st_mode) or status.st_dev not in devices:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_ctime_ns


def trusted_devices(folders: Iterable[str]) -> frozenset[int]:
    """The devices of those of `folders` that can be trusted.

    None where there is no /proc, or where it does not describe their mount, as in a chroot.
    """
    devices = map(_trusted_device, folders)
    return frozenset(device for device in devices if device is not None)


def _trusted_device(folder: str) -> int | None:
    try:
        descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        try:
            device = os.fstat(descriptor).st_dev
            facts = Path(f"/proc/self/fdinfo/{descriptor}").read_text("ascii")
        finally:
            os.close(descriptor)
        mounts = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return None
    mount = _MOUNT.search(facts)
    for fields in map(bytes.split, mounts):
        if mount is not None and fields[0] == mount[1].encode():
            kind = fields[fields.index(b"-") + 1]
            return device if os.fsdecode(kind) in _TRUSTED else None
    return None
