"""Snapshots whose files are all in the text index, and ways to search them."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from glossator.core.document import Missing
from glossator.settings.model import WorkspaceSettings
from glossator.worker.client import Worker
from glossator.workspace.documents.host import WorkspaceHost
from glossator.workspace.documents.snapshot import WorkspaceSnapshot
from glossator.workspace.files.disk import load_raw
from glossator.workspace.files.entries import Files
from glossator.workspace.index import segment_writer
from glossator.workspace.index.index import TextIndex
from glossator.workspace.index.searchable import searchable, traits
from glossator.workspace.index.segment import Segment
from glossator.workspace.index.segment_writer import LeftOut, SegmentWriter, mark_file
from glossator.workspace.search import search
from glossator.workspace.search.ripgrep import Request
from glossator.workspace.search.search import TextSearch
from tests.workspaces import idle_indexing

RIPGREP = str(Path(sys.executable).with_name("rg"))


T = TypeVar("T")


def write(root: Path, files: Mapping[str, bytes]) -> None:
    for relative, content in files.items():
        path = root / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


async def pending(*roots: Path, ripgrep: str = "off") -> WorkspaceSnapshot:
    """A snapshot in which nothing is indexed yet."""
    settings = WorkspaceSettings(index=False, watcher="off", ripgrep=ripgrep)
    host = WorkspaceHost(tuple(map(str, roots)), settings, idle_indexing(Worker()))
    await host.start()
    await host.ready()
    snapshot = host.snapshot()
    await host.close()
    index = TextIndex(snapshot.listing.get)
    index.changed(Files.of(snapshot.listing.files))
    return replace(snapshot, text=index.freeze())


def indexed(snapshot: WorkspaceSnapshot) -> WorkspaceSnapshot:
    """The same with every listed file in the index."""
    index = TextIndex(snapshot.listing.get)
    for entry in snapshot.listing.files:
        index.changed(Files.of([entry]))
        raw = load_raw(snapshot.folders, entry.path, 10**9, "")
        if not isinstance(raw, Missing):
            found = searchable(raw.content)
            assert index.keep(
                entry,
                segment_writer.trigrams(segment_writer.framed(found.text) if found else b""),
                traits(found),
            )
    return replace(snapshot, text=index.freeze())


def in_a_segment(
    snapshot: WorkspaceSnapshot, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> WorkspaceSnapshot:
    """The same with every file of the one root in a segment, all texts in many passages."""
    monkeypatch.setattr(segment_writer, "ripe_at", lambda *_: 0)
    monkeypatch.setattr(search, "_IN_PARTS", 0)
    monkeypatch.setattr(segment_writer, "LONG", 40)
    monkeypatch.setattr(segment_writer, "PASSAGE", 16)
    (root,) = snapshot.roots
    writer, index = SegmentWriter(), TextIndex(snapshot.listing.get)
    for entry in snapshot.listing.files:
        index.changed(Files.of([entry]))
        facts = result_of(mark_file(snapshot.folders, entry.path, 10**9, writer))
        if not isinstance(facts, LeftOut):
            writer.add(os.fsencode(entry.relative), *facts)
    segment = Segment.open(folder / result_of(writer.write(folder)).name)
    assert index.adopt(index.prepare(root).place([segment]))
    return replace(snapshot, text=index.freeze())


def result_of(steps: Generator[None, None, T]) -> T:
    """Go through all steps."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            result: T = done.value
            return result


def files(snapshot: WorkspaceSnapshot, request: Request) -> list[str]:
    running = TextSearch(snapshot, request)
    return [entry.relative for entry in running.files(running.newest_first())]


def counts(snapshot: WorkspaceSnapshot, request: Request) -> list[tuple[str, int]]:
    running = TextSearch(snapshot, request)
    return [(entry.relative, count) for entry, count in running.counts(running.by_path())]


def lines(snapshot: WorkspaceSnapshot, request: Request) -> list[tuple[str, list[int]]]:
    running = TextSearch(snapshot, request)
    found = running.lines(running.by_path())
    return [(entry.relative, list(numbers)) for entry, _, _, numbers in found]
