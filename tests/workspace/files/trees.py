"""Small file trees and short ways to look at them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

import pytest

from glossator.core.document import Document, MissingReason
from glossator.settings.model import WorkspaceSettings
from glossator.worker.client import Worker
from glossator.workspace.documents.host import WorkspaceHost
from glossator.workspace.documents.snapshot import WorkspaceSnapshot
from glossator.workspace.files.indexer import Indexer
from glossator.workspace.files.listing import FileIndex
from glossator.workspace.files.listing_cache import trusted_devices
from glossator.workspace.files.roots import Roots
from tests.workspaces import idle_indexing

_NOBODY = 65534

FOLDERS_ARE_REMEMBERED = pytest.mark.skipif(
    not trusted_devices([gettempdir()]),
    reason="/proc does not tell which file system temporary files are on, as in a chroot, or it is"
    " one whose times say little: nothing is remembered",
)


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files by relative path; a path that ends in "/" is an empty directory."""
    for relative, content in files.items():
        path = root / relative
        if relative.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def scan(*roots: Path, settings: WorkspaceSettings | None = None) -> Indexer:
    """An index of `roots`, made on the spot."""
    places = Roots.of(map(str, roots))
    indexer = Indexer(
        FileIndex(), places, settings or WorkspaceSettings(), lambda *_: None, lambda _: None
    )
    indexer.refresh(places.paths)
    return indexer


def listed(*roots: Path, settings: WorkspaceSettings | None = None) -> list[str]:
    """The relative paths a scan of `roots` lists."""
    return [entry.relative for entry in scan(*roots, settings=settings).index.freeze().files]


def host(*roots: Path, **settings: object) -> WorkspaceHost:
    """A host that was not started: it reads, and looks at the disk when told to."""
    checked = WorkspaceSettings.model_validate(settings)
    return WorkspaceHost(tuple(map(str, roots)), checked, idle_indexing(Worker()))


def text(snapshot: WorkspaceSnapshot, path: str) -> str:
    """The text of a document that must be there."""
    result = snapshot.read(path)
    assert isinstance(result, Document), result
    return result.text


def reason(snapshot: WorkspaceSnapshot, path: str) -> MissingReason:
    """Why `path` cannot be read, which it must not be."""
    result = snapshot.read(path)
    assert not isinstance(result, Document), result
    return result.reason


@contextmanager
def as_plain_user() -> Iterator[Path]:
    """An empty folder, and for the length of the block the rights of somebody who is not root."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        before = os.geteuid()
        if before == 0:
            os.seteuid(_NOBODY)
        try:
            yield Path(folder)
        finally:
            os.seteuid(before)
