"""The folder of segments: published as one, read at any moment, damage set aside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from glossator.workspace.index import layout
from glossator.workspace.index.manifest import CorruptManifest, IndexFolder, SegmentInfo
from tests.workspace.index.naive import document, write_segment

OUTSIDE = (
    b'{"format": 1, "generation": 1, "segments": [{"name": "../0123456789abcdef.seg",'
    b' "bytes": 1, "checksum": 1, "documents": 1}]}'
)


@pytest.fixture
def catalogue(tmp_path: Path) -> IndexFolder:
    catalogue = IndexFolder(tmp_path)
    assert catalogue.tidy() == ()
    return catalogue


def written(catalogue: IndexFolder, text: bytes = b"abc") -> SegmentInfo:
    return write_segment(catalogue.segments, [document("a", text)])


def names(catalogue: IndexFolder) -> list[str]:
    opened = catalogue.open()
    assert opened.damage == ()
    return [segment.name for segment in opened.segments]


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_nothing_is_published_at_first(tmp_path: Path) -> None:
    catalogue = IndexFolder(tmp_path / "absent")
    assert catalogue.stamp() is None
    assert names(catalogue) == []


def test_segments_are_published_and_replaced_as_one(catalogue: IndexFolder) -> None:
    one, two, three = (written(catalogue) for _ in range(3))
    first = catalogue.publish([one, two], ())
    stamp = catalogue.stamp()
    assert files(catalogue.segments) == sorted([one.name, two.name])  # the third was not named
    assert names(catalogue) == [one.name, two.name]
    three = written(catalogue)
    second = catalogue.publish([three], {one.name, "unknown"})
    assert names(catalogue) == [two.name, three.name]
    assert files(catalogue.segments) == sorted([two.name, three.name])
    assert second.generation == first.generation + 1
    assert stamp != catalogue.stamp()


def test_open_segments_stay_open(catalogue: IndexFolder) -> None:
    info = written(catalogue)
    catalogue.publish([info], ())
    (segment,) = catalogue.open().segments
    assert catalogue.open({info.name: segment}).segments == (segment,)


def test_only_the_user_may_look(catalogue: IndexFolder, tmp_path: Path) -> None:
    catalogue.publish([written(catalogue)], ())
    catalogue.quarantine([info.name for info in catalogue.read().segments])
    for path in tmp_path.rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"format": 1, "gener',
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"format": 1, "generation": 1}',
        b'{"format": 1, "generation": 1, "segments": [{"name": "x"}]}',
        OUTSIDE,
        b'{"format": 2, "generation": 1, "segments": []}',
    ],
)
def test_a_manifest_that_cannot_be_used_is_set_aside(
    catalogue: IndexFolder, tmp_path: Path, content: bytes
) -> None:
    catalogue.publish([written(catalogue)], ())
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(CorruptManifest, match="manifest"):
        catalogue.read()
    opened = catalogue.open()
    assert opened.segments == ()
    assert len(opened.damage) == 1
    assert len(catalogue.tidy()) == 1
    assert files(tmp_path / "quarantine") == ["manifest.json"]
    assert files(catalogue.segments) == []
    info = written(catalogue)
    catalogue.publish([info], ())
    assert names(catalogue) == [info.name]


def test_damaged_segments_are_set_aside(catalogue: IndexFolder, tmp_path: Path) -> None:
    good, bad, old, swapped, gone = infos = [written(catalogue, b"abc%d" % i) for i in range(5)]
    catalogue.publish(infos, ())
    place = catalogue.segments
    (place / bad.name).write_bytes((place / bad.name).read_bytes()[:-1])
    content = (place / old.name).read_bytes()
    (place / old.name).write_bytes(content[:8] + b"\x63" + content[9:])
    os.replace(place / swapped.name, place / gone.name)
    opened = catalogue.open()
    assert [segment.name for segment in opened.segments] == [good.name]
    assert [reason.partition(" ")[2] for reason in opened.damage] == [
        f"has {bad.bytes - 1} bytes instead of {bad.bytes}",
        f"was written in format 99, not {layout.VERSION}",
        "is missing",
        "is not the file that was published",
    ]
    assert catalogue.tidy() == opened.damage
    assert names(catalogue) == files(place) == [good.name]
    assert files(tmp_path / "quarantine") == sorted([bad.name, old.name, gone.name])


def test_the_quarantine_keeps_the_last_few(catalogue: IndexFolder, tmp_path: Path) -> None:
    infos = [written(catalogue) for _ in range(6)]
    catalogue.publish(infos, ())
    for info in infos:
        catalogue.quarantine([info.name])
    assert files(tmp_path / "quarantine") == sorted(info.name for info in infos[2:])
    assert names(catalogue) == []


def test_files_of_others_are_left_alone(catalogue: IndexFolder) -> None:
    (catalogue.segments / "notes.txt").write_text("mine")
    (catalogue.segments / "0123456789abcdef.seg").write_text("left by a killed writer")
    (catalogue.segments / "0123456789abcdef.seg.tmp").write_text("left, too")
    catalogue.tidy()
    assert files(catalogue.segments) == ["notes.txt"]


WRITER = """
import sys
from pathlib import Path
from glossator.workspace.index import layout
from glossator.workspace.index.manifest import IndexFolder
from tests.workspace.index.naive import document, write_segment
catalogue = IndexFolder(Path(sys.argv[1]))
catalogue.tidy()
print("go", flush=True)
while True:
    last = [info.name for info in catalogue.read().segments]
    info = write_segment(catalogue.segments, [document("a", b"abc")])
    catalogue.publish([info], last)
"""


def test_reading_while_a_writer_publishes_and_is_killed(tmp_path: Path) -> None:
    catalogue = IndexFolder(tmp_path)
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE
        ) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            seen: set[int] = set()
            while len(seen) < 10:
                opened = catalogue.open()
                assert opened.damage == ()
                seen.add(opened.generation)
            writer.send_signal(signal.SIGKILL)
        assert len(names(catalogue)) == 1
        json.loads((tmp_path / "manifest.json").read_text())
        assert IndexFolder(tmp_path).tidy() == ()
        assert files(catalogue.segments) == names(catalogue)
