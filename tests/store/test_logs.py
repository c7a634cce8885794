"""Logs: nothing acknowledged is lost, whoever is killed; damage costs only what follows."""

from __future__ import annotations

import errno
import fcntl
import os
import random
import resource
import signal
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from glossator.core.errors import StoreUnavailable
from glossator.store.log import NotOpened, framed
from glossator.store.logs import Logs, Retention
from tests.lsp.support.chance import seeded

KILLS = 25
EVERYTHING = Retention(days=1e6, count=10**6, bytes=10**15)


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    return Logs(str(tmp_path / "logs"))


def records_of(logs: Logs, key: str = "k") -> tuple[bytes, ...]:
    contents = logs.read(key)
    assert not isinstance(contents, NotOpened)
    return contents.records


def write(logs: Logs, key: str, *records: bytes) -> None:
    with logs.create(key) as log:
        log.append(records)


def test_what_is_appended_is_read_again(logs: Logs) -> None:
    with logs.create("k") as log:
        log.append([b"one", b""])
        log.append([])
        log.append(["zwö".encode()])
        assert records_of(logs) == (b"one", b"", "zwö".encode())
    opened = logs.open("k")
    assert not isinstance(opened, NotOpened)
    log, contents = opened
    with log:
        assert (contents.lost, log.size) == (0, contents.size)
        log.append([b"three"])
    assert records_of(logs)[-1] == b"three"


def test_a_record_with_a_line_feed_is_refused(logs: Logs) -> None:
    with logs.create("k") as log, pytest.raises(ValueError, match="line feed"):
        log.append([b"a\nb"])
    assert records_of(logs) == ()


def test_only_the_owner_of_the_account_may_read(logs: Logs, tmp_path: Path) -> None:
    write(logs, "k", b"one")
    logs.describe("k", b"head", 13)
    for path in (tmp_path / "logs", *(tmp_path / "logs").glob("k*")):
        assert path.stat().st_mode & 0o077 == 0, path


@pytest.mark.parametrize("key", ["", "../k", "K", "a/b", "k.log", ".", "x" * 65])
def test_a_key_is_no_path(logs: Logs, key: str) -> None:
    write(logs, "k", b"one")
    assert logs.open(key) is logs.read(key) is logs.remove(key) is NotOpened.GONE


def test_a_log_that_is_not_there(logs: Logs) -> None:
    assert logs.all() == ()
    assert logs.open("k") is logs.read("k") is logs.remove("k") is NotOpened.GONE


def test_one_owner_at_a_time(logs: Logs, tmp_path: Path) -> None:
    other = Logs(str(tmp_path / "logs"))
    with logs.create("k") as log:
        log.append([b"one"])
        assert other.open("k") is other.remove("k") is NotOpened.IN_USE
        assert records_of(other) == (b"one",)
        with pytest.raises(StoreUnavailable):
            other.create("k")
    assert other.remove("k") is None
    assert os.listdir(tmp_path / "logs") == [".gitignore"]


@pytest.mark.parametrize("act", ["open", "remove"])
def test_a_log_that_another_process_puts_in_place_is_not_taken_for_the_one_that_was_locked(
    logs: Logs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    write(logs, "k", b"one")
    write(logs, "new", b"two")
    folder = tmp_path / "logs"

    def overtaken(descriptor: int, how: int) -> None:
        os.replace(folder / "new.log", folder / "k.log")
        lock(descriptor, how)

    lock = fcntl.flock
    monkeypatch.setattr(fcntl, "flock", overtaken)
    assert getattr(logs, act)("k") is NotOpened.IN_USE
    monkeypatch.undo()
    assert records_of(logs) == (b"two",)


def test_heads_are_listed_while_they_describe_the_log(logs: Logs) -> None:
    with logs.create("a") as log:
        log.append([b"one"])
        logs.describe("a", b"first", log.size)
        assert [(info.key, info.size, info.head) for info in logs.all()] == [("a", 13, b"first")]
        log.append([b"two"])
        assert [(info.key, info.head) for info in logs.all()] == [("a", None)]


def test_those_changed_last_come_first(logs: Logs, tmp_path: Path) -> None:
    for number, key in enumerate(["b", "a", "c"]):
        write(logs, key, b"x")
        os.utime(tmp_path / "logs" / f"{key}.log", (1, number))
    assert [info.key for info in logs.all()] == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("keep", "left"),
    [
        (Retention(days=1e6, count=9, bytes=1000), "abcd"),
        (Retention(days=1e6, count=2, bytes=1000), "ab"),
        (Retention(days=1e6, count=9, bytes=13 * 3), "abc"),
        (Retention(days=1.5, count=9, bytes=1000), "ab"),
        (Retention(days=0, count=0, bytes=0), ""),
    ],
)
def test_what_is_too_old_or_too_much_goes(
    logs: Logs, tmp_path: Path, keep: Retention, left: str
) -> None:
    for days, key in enumerate("abcd"):
        write(logs, key, b"one")
        os.utime(path := tmp_path / "logs" / f"{key}.log", (1, path.stat().st_mtime - days * 86400))
    assert set(logs.prune(keep)) == set("abcd") - set(left)
    assert [info.key for info in logs.all()] == list(left)


def test_what_is_in_use_stays(logs: Logs, tmp_path: Path) -> None:
    with logs.create("k"):
        assert Logs(str(tmp_path / "logs")).prune(Retention(0, 0, 0)) == ()
    assert logs.prune(EVERYTHING) == ()


@pytest.mark.parametrize("cut", range(1, 26))
def test_a_torn_end_was_never_acknowledged(logs: Logs, tmp_path: Path, cut: int) -> None:
    write(logs, "k", b"one", b"two")
    path = tmp_path / "logs" / "k.log"
    path.write_bytes(path.read_bytes()[:-cut])
    opened = logs.open("k")
    assert not isinstance(opened, NotOpened)
    log, contents = opened
    with log:
        assert contents.records == ((b"one",) if cut <= 13 else ())
        assert contents.lost == 0
        log.append([b"new"])
    assert records_of(logs) == (*contents.records, b"new")


@pytest.mark.parametrize("seed", range(20))
def test_of_a_damaged_log_what_comes_before_is_kept(logs: Logs, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    records = [b"%d" % number * chance.randrange(1, 9) for number in range(40)]
    write(logs, "k", *records)
    path = tmp_path / "logs" / "k.log"
    raw = bytearray(path.read_bytes())
    place = chance.randrange(len(raw) - 10)
    raw[place] ^= 1 << chance.randrange(8)
    path.write_bytes(raw)
    opened = logs.open("k")
    assert not isinstance(opened, NotOpened)
    log, contents = opened
    with log:
        whole = len(contents.records)
        assert contents.records == tuple(records[:whole])
        assert sum(len(record) + 10 for record in records[:whole]) <= place
        assert contents.lost > 0
        log.append([b"new"])
    aside = tmp_path / "logs" / "k.log.damaged"
    assert aside.read_bytes() == raw
    assert aside.stat().st_mode & 0o777 == 0o600
    assert records_of(logs) == (*records[:whole], b"new")
    assert logs.remove("k") is None
    assert os.listdir(tmp_path / "logs") == [".gitignore"]


@pytest.mark.parametrize("seed", range(40))
def test_of_a_log_in_disorder_what_comes_before_is_kept(
    logs: Logs, tmp_path: Path, seed: int
) -> None:
    """Lines that are whole, but swapped, repeated, taken out or shortened to another whole one."""
    chance = random.Random(seed)
    records = [b"%d" % chance.randrange(1, 9) * chance.randrange(9) for _ in range(12)]
    write(logs, "k", *records)
    path = tmp_path / "logs" / "k.log"
    lines = path.read_bytes().splitlines(keepends=True)
    kept = lines.copy()
    one, other = sorted(chance.sample(range(len(lines)), 2))
    match seed % 4:
        case 0:
            lines[one], lines[other] = lines[other], lines[one]
        case 1:
            lines.insert(other, lines[one])
        case 2:
            del lines[one]
        case 3:
            lines[other] = framed([b""])
    path.write_bytes(b"".join(lines))
    good = sum(lines[: n + 1] == kept[: n + 1] for n in range(len(lines)))
    opened = logs.open("k")
    assert not isinstance(opened, NotOpened)
    log, contents = opened
    with log:
        assert contents.records == tuple(records[:good])
        assert (contents.lost > 0) == (len(lines) > good)
        log.append([b"new"])
    assert (path.with_suffix(".log.damaged")).exists() == (len(lines) > good)
    assert records_of(logs) == (*records[:good], b"new")


def test_a_log_of_an_older_version_goes_on_chained(logs: Logs, tmp_path: Path) -> None:
    write(logs, "k")
    path = tmp_path / "logs" / "k.log"
    older = b"".join(b"%08x %s\n" % (zlib.crc32(each), each) for each in (b"one", b"two"))
    path.write_bytes(older)
    opened = logs.open("k")
    assert not isinstance(opened, NotOpened)
    with opened[0] as log:
        log.append([b"three"])
        log.append([b"four"])
    assert records_of(logs) == (b"one", b"two", b"three", b"four")
    path.write_bytes(path.read_bytes() + older)  # nothing unchained follows a chained one
    assert logs.read("k").lost == len(older)  # type: ignore[union-attr]  # there is one
    first, second, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join((second, first, *rest)))
    assert records_of(logs) == (b"two", b"one")


def test_a_record_that_was_refused_is_no_part_of_the_chain(
    logs: Logs, monkeypatch: pytest.MonkeyPatch
) -> None:
    with logs.create("k") as log:
        log.append([b"one"])
        monkeypatch.setattr(os, "write", _full)
        with pytest.raises(StoreUnavailable, match="No space left"):
            log.append([b"two"])
        monkeypatch.undo()
        log.append([b"three"])
    assert records_of(logs) == (b"one", b"three")


def _full(_descriptor: int, _content: object) -> int:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_file_that_is_none_of_ours(logs: Logs, tmp_path: Path) -> None:
    write(logs, "k", b"one")
    (tmp_path / "logs" / "k.log").write_bytes(bytes(4096) + b"\n")
    opened = logs.open("k")
    assert not isinstance(opened, NotOpened)
    opened[0].close()
    assert (opened[1].records, opened[1].lost) == ((), 4097)


WRITER = """
import sys
from glossator.store.logs import Logs
folder, key, size = sys.argv[1:]
log = Logs(folder).create(key)
number = 0
while True:
    log.append([b"%d-%d " % (number, part) + b"x" * int(size) for part in range(3)])
    sys.stdout.write(f"{number}\\n")
    sys.stdout.flush()
    number += 1
"""


def writer(folder: Path, key: str, size: int) -> subprocess.Popen[bytes]:
    arguments = [sys.executable, "-c", WRITER, str(folder), key, str(size)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE)


def test_killing_a_writer_loses_nothing_acknowledged(logs: Logs, tmp_path: Path) -> None:
    chance = seeded()
    for kill in range(KILLS):
        key = f"k{kill}"
        process = writer(tmp_path / "logs", key, chance.choice([10, 5_000, 200_000]))
        assert process.stdout is not None
        for _ in range(chance.randrange(1, 60)):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        acknowledged = max(int(line) for line in process.stdout.read().split() or [b"0"])
        process.stdout.close()
        process.wait()
        opened = logs.open(key)  # the dead process owns nothing
        assert not isinstance(opened, NotOpened)
        opened[0].close()
        contents = opened[1]
        names = [record.split(b" ")[0] for record in contents.records]
        expected = [b"%d-%d" % divmod(number, 3) for number in range(len(names))]
        assert (names, contents.lost) == (expected, 0)
        assert len(names) >= 3 * (acknowledged + 1)


FILLER = """
import resource, sys
from glossator.core.errors import StoreUnavailable
from glossator.store.logs import Logs
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
log = Logs(sys.argv[1]).create("k")
written = 0
try:
    while True:
        log.append([b"%d" % written * 400])
        written += 1
except StoreUnavailable as error:
    print(written, "File too large" in str(error))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
log.append([b"room again"])
"""


def test_a_full_disk_leaves_whole_records(logs: Logs, tmp_path: Path) -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    said = subprocess.check_output([sys.executable, "-c", FILLER, str(tmp_path / "logs")])
    written, told = said.split()
    records = records_of(logs)
    assert records == (*(b"%d" % n * 400 for n in range(int(written))), b"room again")
    assert told == b"True"


def test_two_processes_write_logs_of_their_own(logs: Logs, tmp_path: Path) -> None:
    processes = [writer(tmp_path / "logs", key, 100) for key in ("a", "b")]
    for process in processes:
        assert process.stdout is not None
        while process.stdout.readline() != b"200\n":
            pass
    assert logs.open("a") is logs.open("b") is NotOpened.IN_USE
    for process in processes:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
    assert {len(records_of(logs, key)) >= 603 for key in ("a", "b")} == {True}


def test_a_place_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnavailable, match="permissions"):
        Logs(str(tmp_path / "file")).create("k")
