"""The segments of one root on disk: `manifest.json`, the files it names, and damaged files.

Any process may read while one writes: the manifest and the segments appear whole or not at all. A
reader that misses a file reads the manifest again, because the file was replaced. A process that is
killed leaves files that no manifest names; the next writer removes them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from glossator.workspace.files import listing_cache
from glossator.workspace.index.segment import CorruptSegment, Segment

SUFFIX = ".seg"
_FORMAT = 1
_OURS = re.compile(r"[0-9a-f]{16}\.seg(\.tmp)?")
_KEPT_DAMAGED = 4  # files in quarantine
_MAX_TRIES = 8
_NO_SEGMENTS: Mapping[str, Segment] = MappingProxyType({})

ManifestStamp: TypeAlias = tuple[int, int]  # of the manifest: inode and time of change in ns


@dataclass(frozen=True, slots=True)
class SegmentInfo:
    """A written segment as the manifest names it."""

    name: str
    bytes: int
    checksum: int
    documents: int


class CorruptManifest(Exception):
    """A manifest that cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The published segments; `generation` grows with every change."""

    generation: int = 0
    segments: tuple[SegmentInfo, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenedSegments:
    """The segments that can be used, and what is wrong with each of the others."""

    generation: int
    segments: tuple[Segment, ...]
    damage: tuple[str, ...]


class IndexFolder:
    """The folder of one root's index. Only the process that holds its lock may change it."""

    def __init__(self, folder: Path) -> None:
        self.segments = folder / "segments"
        self._manifest = folder / "manifest.json"
        self._folder = folder
        self._quarantine = folder / "quarantine"

    def stamp(self) -> ManifestStamp | None:
        """Changes with every publication; None before the first."""
        try:
            status = self._manifest.stat()
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns

    def read(self) -> Manifest:
        """The current manifest. Raises `CorruptManifest`."""
        try:
            content = self._manifest.read_bytes()
        except FileNotFoundError:
            return Manifest()
        except OSError as error:
            raise CorruptManifest(f"the manifest cannot be read ({error.strerror})") from error
        return _parse(content)

    def open(self, known: Mapping[str, Segment] = _NO_SEGMENTS) -> OpenedSegments:
        """Open the published segments; `known` ones, by name, are open already."""
        manifest, opened = Manifest(), OpenedSegments(0, (), ())
        for _ in range(_MAX_TRIES):
            before = manifest.generation
            try:
                manifest = self.read()
            except CorruptManifest as error:
                return OpenedSegments(0, (), (str(error),))
            if opened.damage and manifest.generation == before:
                break  # what is missing was not replaced
            opened = self._open_all(manifest, known)
            if not opened.damage:
                break
        return opened

    def publish(self, added: Iterable[SegmentInfo], removed: Collection[str]) -> Manifest:
        """Add and remove segments in one step. Raises `OSError`."""
        current = self._read_or_reset()
        manifest = Manifest(
            current.generation + 1,
            (*(info for info in current.segments if info.name not in removed), *added),
        )
        self._write(manifest)
        self._remove_unnamed(manifest)
        return manifest

    def tidy(self) -> tuple[str, ...]:
        """Prepare the folder for writing; returns the damage, which is now in quarantine.

        Raises `OSError`.
        """
        self.segments.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            manifest = self.read()
        except CorruptManifest as error:
            self._set_aside(self._manifest)
            self._remove_unnamed(Manifest())
            return (str(error),)
        damage: dict[str, str] = {}
        for info in manifest.segments:
            if isinstance(found := self._open(info), str):
                damage[info.name] = found
        if damage:
            self.quarantine(damage)
        else:
            self._remove_unnamed(manifest)
        return tuple(damage.values())

    def remember(self, folders: bytes) -> str:
        """Write the file of remembered folders; returns the damage of the previous one.

        Raises `OSError`.
        """
        place, damage = self._folder / listing_cache.FOLDERS_FILE, ""
        try:
            before = listing_cache.read_checked(self._folder)
        except listing_cache.CorruptFolders as error:
            self._set_aside(place)
            before, damage = b"", str(error)
        if folders != before:
            replace_file(place, folders)
        return damage

    def forget(self) -> None:
        """Delete the file of remembered folders. Raises `OSError`."""
        (self._folder / listing_cache.FOLDERS_FILE).unlink(missing_ok=True)

    def quarantine(self, names: Collection[str]) -> Manifest:
        """Remove damaged segments, but keep the last few files for inspection.

        Raises `OSError`.
        """
        current = self._read_or_reset()
        for name in names:
            self._set_aside(self.segments / name)
        kept = tuple(info for info in current.segments if info.name not in names)
        manifest = Manifest(current.generation + 1, kept)
        self._write(manifest)
        self._remove_unnamed(manifest)
        return manifest

    def _open_all(self, manifest: Manifest, known: Mapping[str, Segment]) -> OpenedSegments:
        found = [known.get(info.name) or self._open(info) for info in manifest.segments]
        return OpenedSegments(
            manifest.generation,
            tuple(item for item in found if isinstance(item, Segment)),
            tuple(item for item in found if isinstance(item, str)),
        )

    def _open(self, info: SegmentInfo) -> Segment | str:
        """The segment, or what is wrong with it."""
        try:
            segment = Segment.open(self.segments / info.name)
        except FileNotFoundError:
            return f"{info.name} is missing"
        except OSError as error:
            return f"{info.name} cannot be read ({error.strerror})"
        except CorruptSegment as error:
            return str(error)
        if (segment.bytes, segment.checksum) != (info.bytes, info.checksum):
            return f"{info.name} is not the file that was published"
        return segment

    def _read_or_reset(self) -> Manifest:
        try:
            return self.read()
        except CorruptManifest:
            self._set_aside(self._manifest)
            return Manifest()

    def _write(self, manifest: Manifest) -> None:
        content = {
            "format": _FORMAT,
            "generation": manifest.generation,
            "segments": [asdict(info) for info in manifest.segments],
        }
        replace_file(self._manifest, json.dumps(content, indent=1).encode())

    def _remove_unnamed(self, manifest: Manifest) -> None:
        """Remove unpublished segments; files that are not ours stay."""
        named = {info.name for info in manifest.segments}
        for path in self.segments.iterdir():
            if path.name not in named and _OURS.fullmatch(path.name):
                path.unlink(missing_ok=True)

    def _set_aside(self, path: Path) -> None:
        self._quarantine.mkdir(mode=0o700, exist_ok=True)
        try:
            path.replace(self._quarantine / path.name)
        except FileNotFoundError:
            return
        kept = sorted(self._quarantine.iterdir(), key=lambda damaged: damaged.stat().st_ctime_ns)
        for old in kept[:-_KEPT_DAMAGED]:
            old.unlink(missing_ok=True)


def _parse(content: bytes) -> Manifest:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise CorruptManifest("the manifest is cut short or damaged") from error
    match value:
        case {"format": number} if number != _FORMAT:
            raise CorruptManifest(f"the manifest was written in format {number}, not {_FORMAT}")
        case {"format": _, "generation": int(generation), "segments": list(segments)}:
            return Manifest(generation, tuple(map(_parse_info, segments)))
    raise CorruptManifest("the manifest is damaged")


def _parse_info(value: object) -> SegmentInfo:
    match value:
        case {
            "name": str(name),
            "bytes": int(size),
            "checksum": int(checksum),
            "documents": int(documents),
        } if _OURS.fullmatch(name) and name.endswith(SUFFIX):
            return SegmentInfo(name, size, checksum, documents)
    raise CorruptManifest("the manifest is damaged")


def sync_folder(folder: Path) -> None:
    """Sync renames in `folder` to disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(path: Path, content: bytes) -> None:
    """Replace the content of `path` atomically, through a `.tmp` file. Raises `OSError`."""
    unfinished = path.with_suffix(".tmp")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(descriptor)
    unfinished.rename(path)
    sync_folder(path.parent)
