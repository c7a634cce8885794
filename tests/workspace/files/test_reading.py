"""What reading gives: text as it is, messages with a next step, a cache that is never stale."""

from __future__ import annotations

import mmap
import os
import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from glossator.core.document import Document, Missing, MissingReason, Origin, text_hash
from glossator.core.encoding import decode, encode
from glossator.workspace.files.cache import ReadCache
from glossator.workspace.files.disk import Stamp
from glossator.workspace.files.roots import Roots
from tests.workspace.files.trees import as_plain_user, host, reason, text, write_tree

LONG_AGO = 1_000_000_000  # seconds since 1970


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", ("", "utf-8")),
        (b"a\r\nb\rc\n\x0c", ("a\r\nb\rc\n\x0c", "utf-8")),
        ("é漢😀".encode(), ("é漢😀", "utf-8")),
        (b"\xef\xbb\xbfa\r\n", ("a\r\n", "utf-8-sig")),
        (b"\xef\xbb\xbf\xef\xbb\xbfa", ("\ufeffa", "utf-8-sig")),
        (b"\xff\xfea\0\n\0", ("a\n", "utf-16-le")),
        (b"\xfe\xff\0a\0\n", ("a\n", "utf-16-be")),
        (b"caf\xe9\n", ("café\n", "latin-1")),
        (b"\xef\xbb\xbfcaf\xe9", ("ï»¿café", "latin-1")),
        (b"\xed\xa0\x80", ("í\xa0€", "cp1252")),
        (b"a\0b", None),
        (b"a" * 8191 + b"\0", None),
        (b"a" * 8192 + b"\0", ("a" * 8192 + "\0", "utf-8")),
        (b"\xff\xfea", None),
        (b"\xff\xfe\0\xd8", None),
        (b"\xff\xfe\0\0a\0\0\0", None),
    ],
)
def test_decoding(raw: bytes, expected: tuple[str, str] | None) -> None:
    assert decode(raw) == expected
    if expected is not None:
        assert encode(*expected) == raw


def test_a_document_from_disk(tmp_path: Path) -> None:
    write_tree(tmp_path, {"d/é.txt": b"\xef\xbb\xbfa\r\nb"})
    path = str(tmp_path / "d" / "é.txt")
    assert host(tmp_path).snapshot().read("d/é.txt") == Document(
        f"file://{tmp_path}/d/%C3%A9.txt",
        path,
        "a\r\nb",
        text_hash("a\r\nb"),
        None,
        Origin.DISK,
        "utf-8-sig",
    )


def test_names_that_are_no_utf_8(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\xfebad")
    write_tree(tmp_path, {name: "text"})
    assert text(host(tmp_path).snapshot(), name) == "text"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("docs/x.md", "docs/x.md does not exist.\nUse Glob to find its path."),
        ("d", 'd is a directory.\nUse Glob with "d/*" to list its files.'),
        (".", '. is a directory.\nUse Glob with "*" to list its files.'),
        ("bin", "bin is binary; only text files can be read."),
        (
            "large",
            (
                "large has 101 bytes and the limit is 100;"
                " raise workspace.maxFileBytes to read it whole or edit it."
            ),
        ),
        ("/etc/x", "/etc/x is outside the workspace; only paths inside its folders can be read."),
    ],
)
def test_messages_say_what_to_do_next(tmp_path: Path, path: str, message: str) -> None:
    write_tree(tmp_path, {"d/": "", "bin": b"\0", "large": "x" * 101})
    result = host(tmp_path, max_file_bytes=100).snapshot().read(path)
    assert isinstance(result, Missing)
    assert result.model_message == message
    assert "Glob" not in result.message


def test_permission_denied() -> None:
    with as_plain_user() as folder:
        write_tree(folder, {"a": "", "d/b": ""})
        (folder / "a").chmod(0)
        (folder / "d").chmod(0)
        snapshot = host(folder).snapshot()
        assert reason(snapshot, "a") is MissingReason.UNREADABLE
        assert reason(snapshot, "d/b") is MissingReason.UNREADABLE
        (folder / "d").chmod(0o755)


def read(cache: ReadCache, path: Path) -> Document | Missing:
    return cache.read(Roots.of((str(path.parent),)), str(path))


def test_a_file_that_stays_is_read_once() -> None:
    cache, path = ReadCache(10**6, 10**6), Path(os.__file__)  # any file older than 2 s
    first = read(cache, path)
    assert read(cache, path) == first
    assert (cache.statistics().hits, cache.statistics().misses) == (1, 1)


def replace_keeping_times(path: Path) -> None:
    before = path.stat()
    new = path.with_name("new")
    new.write_text("two")
    os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns))
    new.rename(path)


def rewrite_keeping_times(path: Path) -> None:
    before = path.stat()
    path.write_text("two")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def retarget_link(path: Path) -> None:
    other = path.with_name("other")
    other.write_text("two")
    os.utime(other, (LONG_AGO, LONG_AGO))
    path.rename(path.with_name("aside"))
    path.symlink_to("other")


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_text("two"),
        replace_keeping_times,
        rewrite_keeping_times,
        retarget_link,
    ],
    ids=["rewrite", "rename over", "rewrite and restore mtime", "link"],
)
def test_every_change_is_seen(tmp_path: Path, change) -> None:  # type: ignore[no-untyped-def]  # one of the functions above
    cache, path = ReadCache(10**6, 10**6), tmp_path / "a"
    path.write_text("one")
    os.utime(path, (LONG_AGO, LONG_AGO))
    assert content(read(cache, path)) == "one"
    change(path)
    assert content(read(cache, path)) == "two"


def test_two_writes_within_one_tick_of_the_clock_are_seen(tmp_path: Path) -> None:
    cache, path = ReadCache(10**6, 10**6), tmp_path / "a"
    for number in range(300):
        path.write_text(f"{number:03}")
        assert content(read(cache, path)) == f"{number:03}"


def test_a_file_system_that_counts_in_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the racy rule sees a second write of the same size within the same second."""
    exact = Stamp.of

    def coarse(status: os.stat_result) -> Stamp:
        stamp = exact(status)
        second = 10**9
        return stamp._replace(
            mtime_ns=stamp.mtime_ns // second * second, ctime_ns=stamp.ctime_ns // second * second
        )

    monkeypatch.setattr(Stamp, "of", staticmethod(coarse))
    cache, path = ReadCache(10**6, 10**6), tmp_path / "a"
    for number in range(5):
        path.write_text(f"{number}")
        assert content(read(cache, path)) == f"{number}"


def test_a_page_that_a_process_has_mapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until it is written back, what is written to it after the first time changes no stamp."""
    cache, path = ReadCache(10**6, 10**6), tmp_path / "a"
    path.write_text("0")
    later = time.time_ns() + 10 * 10**9
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 1) as page:
        page[0:1] = b"1"
        monkeypatch.setattr(time, "time_ns", lambda: later)
        assert content(read(cache, path)) == "1"
        before = Stamp.of(path.stat())
        page[0:1] = b"2"
        assert Stamp.of(path.stat()) == before
        assert content(read(cache, path)) == "2"


def content(result: Document | Missing) -> str:
    assert isinstance(result, Document), result
    return result.text


def test_memory_is_bounded_and_equal_texts_are_shared(tmp_path: Path) -> None:
    cache = ReadCache(50_000, 10**6)
    for number in range(40):
        (tmp_path / f"same{number}").write_text("x" * 10_000)
        read(cache, tmp_path / f"same{number}")
    assert cache.statistics().entries > 30, "one text for all"
    assert cache.statistics().dedupes == 39
    for number in range(40):
        (tmp_path / f"other{number}").write_text(f"{number}" * 5_000)
        read(cache, tmp_path / f"other{number}")
        assert cache.statistics().bytes <= 50_000
    assert read(cache, tmp_path / "same0").path == str(tmp_path / "same0")
    cache.clear()
    assert (cache.statistics().entries, cache.statistics().bytes) == (0, 0)


def test_a_text_larger_than_the_cache_is_still_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x" * 1000)
    cache = ReadCache(100, 10**6)
    assert content(read(cache, tmp_path / "a")) == "x" * 1000
    assert cache.statistics().entries == 0


def test_many_threads_read_at_once(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}").write_text(f"{number}" * 100)
    snapshot = host(tmp_path, read_cache_bytes=20_000).snapshot()

    def read_all(seed: int) -> bool:
        rnd = random.Random(seed)
        names = [str(rnd.randrange(20)) for _ in range(300)]
        return all(text(snapshot, name) == name * 100 for name in names)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(read_all, range(8)))
    statistics = snapshot.cache.statistics()
    assert statistics.hits + statistics.misses == 8 * 300
    assert statistics.bytes <= 20_000


def test_bytes_are_read_under_the_same_guard(tmp_path: Path) -> None:
    write_tree(tmp_path, {"ws/image": b"\x89PNG\0", "out": "secret"})
    (tmp_path / "ws" / "link").symlink_to("../out")
    snapshot = host(tmp_path / "ws").snapshot()
    assert snapshot.read_bytes("image", 5) == b"\x89PNG\0"
    refused = [snapshot.read_bytes(path, 4) for path in ("image", "link", ".", "nope")]
    assert [result.reason for result in refused if isinstance(result, Missing)] == [
        MissingReason.TOO_LARGE,
        MissingReason.OUTSIDE,
        MissingReason.DIRECTORY,
        MissingReason.ABSENT,
    ]
