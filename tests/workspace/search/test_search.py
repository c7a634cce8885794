"""A search finds the same whatever is in the index, and with or without ripgrep's help."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryFile
from typing import IO, Any
from unittest.mock import Mock

import pytest

from glossator.core.errors import UsageError
from glossator.workspace.documents.snapshot import WorkspaceSnapshot
from glossator.workspace.files.cache import ReadCache
from glossator.workspace.files.entries import FileEntry
from glossator.workspace.index import searchable
from glossator.workspace.index.required import analyse
from glossator.workspace.search import finder, ripgrep, search, source
from glossator.workspace.search.ripgrep import NoRipgrep, Request, find_ripgrep, folds_alike
from glossator.workspace.search.scan import compile_pattern
from glossator.workspace.search.search import TextSearch
from tests.patience import SECONDS
from tests.workspace.index.test_required_random import RE2_ONLY, SHARED, found_lines, sample
from tests.workspace.search.searching import (
    RIPGREP,
    counts,
    files,
    in_a_segment,
    indexed,
    lines,
    pending,
    write,
)

WORDS = "foo foobar Key sKip x1 update_key Straße \u017fKey 错误 kit a.b (x) 2024".split()
WORDS += ["\v", "\f", "\u2028", "\x85", ""]
ENDS = [b"\n", b"\n", b"\n", b"\r\n", b"\r"]


@pytest.fixture
def _ripgrep_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few files there are."""
    monkeypatch.setattr(finder, "_ALONE_SECONDS", 0)


def random_text(random: Random) -> bytes:
    """Any file: of all encodings and line ends, with long and empty lines, or binary."""
    end, encoding = random.choice(ENDS), random.choice(["utf-8"] * 6 + ["utf-8-sig", "utf-16"])
    texts = [" ".join(random.choices(WORDS, k=random.randrange(6))) for _ in range(8)]
    if random.randrange(8) == 0:
        texts.append("foo " * 3000)
    raw = end.join(text.encode() for text in texts[random.randrange(9) :]) + random.choice(
        [end, b""]
    )
    if encoding != "utf-8":
        return raw.decode().encode(encoding)
    return random.choice([raw] * 8 + [raw.replace("ß".encode(), b"\xdf"), raw + b"\0", b"\0" + raw])


def random_request(random: Random) -> Request:
    """Any pattern that can be compiled."""
    while True:
        pattern, _ = sample(random, SHARED + RE2_ONLY[::4], 2)
        request = Request(pattern, random.randrange(2) == 0, random.randrange(4) == 0)
        try:
            compile_pattern(pattern, ignore_case=request.ignore_case, multiline=request.multiline)
        except UsageError:
            continue
        return request


@pytest.mark.usefixtures("_ripgrep_at_once")
@pytest.mark.parametrize("seed", range(6))
async def test_the_index_and_ripgrep_change_nothing(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    random = Random(seed)
    monkeypatch.setattr(ripgrep, "_FIRST_BATCH", 10)
    tmp_path = tmp_path_factory.mktemp("root")
    write(tmp_path, {f"{n % 3}/{n:02}-\n.txt": random_text(random) for n in range(40)})
    write(tmp_path, {"-": b"foo Key\n", "empty": b"", "one": b"\n"})
    (tmp_path / "link").symlink_to("-")
    plain = await pending(tmp_path)
    if seed % 2:
        helped = in_a_segment(plain, tmp_path_factory.mktemp("segments"), monkeypatch)
    else:
        helped = indexed(plain)
    ways = (replace(helped, ripgrep=RIPGREP), helped)
    for number in range(60):
        helped, request = ways[number % 2], random_request(random)  # ripgrep's help, or none
        monkeypatch.setattr(
            finder, "_SPARED_FACTOR", random.choice([8, 0.01, 0])
        )  # 0: nothing is for it
        assert lines(helped, request) == (expected := lines(plain, request)), request
        assert counts(helped, request) == [(path, len(found)) for path, found in expected], request
        assert sorted(files(helped, request)) == [path for path, _ in expected], request


async def test_what_spans_lines_is_found_whatever_ends_them_and_in_one_file_alone(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"a": b"x\r\nfoo\r\nbar\r\n", "b": b"foo", "c": b"bar foo\nbar", "d": b"foo"})
    snapshot = indexed(await pending(tmp_path))
    request = Request(r"foo\nbar", multiline=True)
    assert lines(snapshot, request) == [("a", [2, 3]), ("c", [1, 2])]


ENDS = [b"", b"\n", b"\r\n", b"\n\n", b"\r\n\r\n", b" \n", b"\t\r\n \n"]
SPANNING = [
    r"foo\n",
    r"foo\s",
    r"foo\s+$",
    r"foo\n$",
    r"foo\n\s*\z",
    r"\n\n\z",
    r"\s\n",
    r"foo[^x]$",
]


@pytest.mark.usefixtures("_ripgrep_at_once")
@pytest.mark.parametrize("seed", range(3))
async def test_what_spans_the_last_line_end_is_what_ripgrep_finds(
    tmp_path: Path, seed: int
) -> None:
    """ripgrep is asked about text with LF: of CRLF it takes the CR for text."""
    random = Random(seed)
    texts = {
        f"{n:02}": b"".join(
            random.choice([b"foo", b"bar foo", b"x", b""]) + random.choice(ENDS) for _ in range(4)
        )
        for n in range(40)
    }
    write(tmp_path, texts)
    plain = await pending(tmp_path)
    for snapshot in (plain, indexed(plain), replace(indexed(plain), ripgrep=RIPGREP)):
        for pattern in SPANNING:
            request = Request(pattern, multiline=True)
            alike = {name: text.replace(b"\r\n", b"\n") for name, text in texts.items()}
            told = {name: ripgrep_lines(pattern, text, request) for name, text in alike.items()}
            assert lines(snapshot, request) == [each for each in sorted(told.items()) if each[1]]


@pytest.mark.parametrize("pattern", ["foo", "."])
async def test_so_many_candidates_that_they_are_not_sorted_come_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    write(tmp_path, {f"{n % 3}/{n:02}": b"\0" * (n % 5 == 0) + b"foo" for n in range(30)})
    write(tmp_path, {"other": b"bar"})
    snapshot = indexed(await pending(tmp_path))
    expected = [(find, find(snapshot, Request(pattern))) for find in (files, counts, lines)]
    monkeypatch.setattr(search, "_MAX_SORTED", 1)
    for find, found in expected:
        assert len(found) == 24 + (pattern == ".")
        assert find(snapshot, Request(pattern)) == found


def ripgrep_lines(pattern: str, raw: bytes, request: Request) -> list[int]:
    command = [RIPGREP, "--no-config", "--crlf", "--line-number", f"--regexp={pattern}"]
    command += ["--ignore-case"] * request.ignore_case
    command += ["--multiline", "--multiline-dotall"] * request.multiline
    run = subprocess.run([*command, "-"], input=raw, capture_output=True, check=False)
    assert run.returncode < 2, (pattern, run.stderr.decode())
    return [int(line.split(b":")[0]) for line in run.stdout.split(b"\n")[:-1] if line]


@pytest.mark.parametrize("seed", range(2))
def test_ripgrep_finds_the_same_lines_beyond_ascii(seed: int) -> None:
    random = Random(seed)
    checked = 0
    for _ in range(300):
        request = random_request(random)
        flags = {"ignore_case": request.ignore_case, "multiline": request.multiline}
        if not analyse(request.pattern, **flags).portable:
            continue
        if not folds_alike(request.pattern, ignore_case=request.ignore_case):
            continue
        raw = b"\n".join(" ".join(random.choices(WORDS, k=3)).encode() for _ in range(30))
        found = ripgrep_lines(request.pattern, raw, request)
        assert found == found_lines(request.pattern, raw, flags), (request, raw)
        checked += 1
    assert checked > 60


def program(folder: Path, script: str) -> str:
    """A program that notes that it ran, and then runs `script`."""
    path = folder / "rg"
    version = f'[ "$2" = --version ] && exec {RIPGREP} --version'
    path.write_text(f"#!/bin/sh\n{version}\necho ran >> {folder}/runs\n{script}\n")
    path.chmod(0o755)
    return str(path)


TREE = {f"f{n:03}": b"needle\n" * (n % 3) + b"hay\n" for n in range(300)}


async def tree(folder: Path, script: str) -> WorkspaceSnapshot:
    """An indexed workspace, and beside it the program that is taken for ripgrep."""
    write(folder / "ws", TREE)
    snapshot = indexed(await pending(folder / "ws"))
    return replace(snapshot, ripgrep=program(folder, script))


def be_impatient(monkeypatch: pytest.MonkeyPatch, seconds: float, first_batch: int) -> None:
    for rate in ("_SLOWEST_FILES", "_SLOWEST_BYTES"):
        monkeypatch.setattr(ripgrep, rate, 1e9)
    monkeypatch.setattr(ripgrep, "_BATCH_SECONDS", seconds)
    monkeypatch.setattr(ripgrep, "_FIRST_BATCH", first_batch)


def runs(folder: Path) -> int:
    log = folder / "runs"
    return log.read_text().count("ran") if log.exists() else 0


@pytest.mark.usefixtures("_ripgrep_at_once")
@pytest.mark.parametrize(
    ("script", "logged"),
    [
        (f'exec {RIPGREP} "$@"', ""),
        ("exit 2", "ended with 2"),
        ("echo broken >&2; exit 2", "ended with 2 (broken)"),
        (f'{RIPGREP} "$@" | head -c 50; kill -9 $$', "ended with -9"),
        ("exec /nowhere", "ended with 127"),
    ],
)
async def test_failures_of_ripgrep_cost_only_time(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, script: str, logged: str
) -> None:
    snapshot = await tree(tmp_path, script)
    found = counts(snapshot, Request("needle"))
    assert found == [(f"f{n:03}", n % 3) for n in range(300) if n % 3]
    assert logged in caplog.text
    assert bool(logged) == bool(caplog.records)
    assert runs(tmp_path) > 0
    assert files(snapshot, Request(r"\z")), "what ripgrep would read otherwise is not its business"


@pytest.mark.usefixtures("_ripgrep_at_once")
async def test_files_that_changed_since_they_were_listed(tmp_path: Path) -> None:
    snapshot = await tree(tmp_path, f'exec {RIPGREP} "$@"')
    write(tmp_path / "ws", {"f001": b"hay\n", "f002": b"needle\n" * 5, "f004": b"\0needle"})
    (tmp_path / "ws" / "f005").unlink()
    (tmp_path / "ws" / "f007").unlink()
    (tmp_path / "ws" / "f007").symlink_to("/etc/passwd")
    found = dict(counts(snapshot, Request("needle|root")))
    assert found["f002"] == 5
    assert not {"f001", "f004", "f005", "f007"} & set(found)
    assert len(found) == 200 - 4
    assert runs(tmp_path) == 1


@pytest.mark.usefixtures("_ripgrep_at_once")
@pytest.mark.parametrize("ask", [TextSearch.files, TextSearch.counts, TextSearch.lines])
async def test_a_cancelled_search_ends_ripgrep(
    tmp_path: Path, ask: Callable[[TextSearch, Iterator[FileEntry]], Iterator[object]]
) -> None:
    os.mkfifo(tmp_path / "pid")
    snapshot = await tree(tmp_path, f"echo $$ > {tmp_path}/pid; exec sleep 600")
    cancelled = threading.Event()
    running = TextSearch(snapshot, Request("needle"), cancelled.is_set)
    finding = asyncio.create_task(asyncio.to_thread(lambda: list(ask(running, running.by_path()))))
    process = int(await asyncio.to_thread((tmp_path / "pid").read_text))  # waits until it runs
    cancelled.set()
    started = time.monotonic()
    assert len(await finding) <= 100  # of 200, those that were searched beside it
    assert time.monotonic() - started < 60  # not the minutes that the program would take
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


@pytest.mark.usefixtures("_ripgrep_at_once")
async def test_a_ripgrep_that_hangs_is_ended_with_all_it_started_and_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    be_impatient(monkeypatch, seconds=0.3, first_batch=50)
    os.mkfifo(tmp_path / "held")
    # the second program, which the first one starts, holds the pipe open as long as it lives
    script = f"sh -c 'exec 7> {tmp_path}/held; sleep 600' &\nwait"
    snapshot = await tree(tmp_path, script)
    started = time.monotonic()
    finding = asyncio.create_task(asyncio.to_thread(counts, snapshot, Request("needle")))
    assert await asyncio.to_thread((tmp_path / "held").read_text) == ""  # returns when all are gone
    assert await finding == [(f"f{n:03}", n % 3) for n in range(300) if n % 3]
    assert time.monotonic() - started < 60
    assert "did not end within 0 s" in caplog.text
    assert counts(snapshot, Request("needle")) == await finding
    assert runs(tmp_path) == 1
    absent = find_ripgrep(snapshot.ripgrep, snapshot.folders)
    assert isinstance(absent, NoRipgrep)
    assert "did not end in time" in absent.reason
    assert "workspace.ripgrep" in absent.next_step


@pytest.mark.usefixtures("_ripgrep_at_once")
async def test_ripgrep_ends_when_nobody_asks_for_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ripgrep, "_FIRST_BATCH", 20)
    snapshot = await tree(tmp_path, f'exec {RIPGREP} "$@"')
    running = TextSearch(snapshot, Request("needle"))
    found: Iterator[object] = running.files(running.by_path())
    next(found)
    del found
    assert runs(tmp_path) <= 2


@pytest.mark.usefixtures("_ripgrep_at_once")
@pytest.mark.parametrize(("most", "ran"), [(1_000, 3), (60, 4)])
async def test_each_batch_is_twice_as_large_up_to_a_limit_and_two_files_are_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, ran: int
) -> None:
    monkeypatch.setattr(ripgrep, "_FIRST_BATCH", 50)
    monkeypatch.setattr(ripgrep, "_MAX_BATCH", most)
    outputs: list[IO[bytes]] = []

    def output() -> IO[bytes]:
        assert all(each.closed for each in outputs[:-1])
        outputs.append(TemporaryFile())  # noqa: SIM115 - who asks for it closes it
        return outputs[-1]

    snapshot = await tree(tmp_path, f'exec {RIPGREP} "$@"')
    monkeypatch.setattr("tempfile.TemporaryFile", output)
    assert len(counts(snapshot, Request("needle"))) == 200
    assert (runs(tmp_path), len(outputs)) == (ran, ran)


@pytest.mark.usefixtures("_ripgrep_at_once")
async def test_from_the_second_batch_on_two_are_at_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ripgrep, "_FIRST_BATCH", 20)
    ran = f"$(wc -l < {tmp_path}/runs)"
    script = f'if [ {ran} = 2 ]; then while [ {ran} = 2 ]; do sleep 0.01; done; fi\n{RIPGREP} "$@"'
    snapshot = await tree(tmp_path, script)
    assert len(counts(snapshot, Request("needle"))) == 200
    assert runs(tmp_path) == 4
    assert not caplog.text


@pytest.mark.usefixtures("_ripgrep_at_once")
@pytest.mark.parametrize(("wanted", "begun"), [(12, 2), (24, 2), (60, 3), (200, 4), (1e9, 4)])
async def test_no_more_is_begun_than_what_is_wanted_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: float, begun: int
) -> None:
    monkeypatch.setattr(ripgrep, "_FIRST_BATCH", 20)
    snapshot = await tree(tmp_path, f'exec {RIPGREP} "$@"')
    runs_begun: list[ripgrep._Run] = []
    begin = ripgrep._Run.__init__

    def noting(run: ripgrep._Run, *of: Any) -> None:
        runs_begun.append(run)
        begin(run, *of)

    monkeypatch.setattr(ripgrep._Run, "__init__", noting)
    found: list[object] = []
    running = TextSearch(snapshot, Request("needle"), had=lambda: len(found) / wanted)
    for each in running.files(running.by_path()):
        found.append(each)
        if len(found) == wanted:
            break
    assert len(runs_begun) == begun


@pytest.mark.usefixtures("_ripgrep_at_once")
async def test_when_two_hang_one_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    be_impatient(monkeypatch, seconds=2, first_batch=20)
    later = f"[ $(wc -l < {tmp_path}/runs) -gt 1 ] && exec sleep 600"
    snapshot = await tree(tmp_path, f'{later}\nexec {RIPGREP} "$@"')
    assert len(counts(snapshot, Request("needle"))) == 200
    assert caplog.text.count("did not end within") == 1
    assert runs(tmp_path) == 3


@pytest.mark.usefixtures("_ripgrep_at_once")
async def test_what_does_not_fit_a_command_line_comes_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ripgrep, "_ARGUMENT_BYTES", 1_000)
    snapshot = await tree(tmp_path, f'exec {RIPGREP} "$@"')
    assert counts(snapshot, Request("needle")) == [(f"f{n:03}", n % 3) for n in range(300) if n % 3]
    assert runs(tmp_path) == 3  # of the 200 candidates some 76 fit


@pytest.mark.usefixtures("_ripgrep_at_once")
async def test_without_room_for_its_results_ripgrep_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full() -> IO[bytes]:
        raise OSError(errno.EMFILE, "Too many open files")

    snapshot = await tree(tmp_path, f'exec {RIPGREP} "$@"')
    monkeypatch.setattr("tempfile.TemporaryFile", full)
    assert len(counts(snapshot, Request("needle"))) == 200
    assert "Too many open files; the files are searched without ripgrep" in caplog.text


async def test_several_roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finder, "_ALONE_SECONDS", 0)
    for name in ("one", "two/deep"):
        write(tmp_path / name, {"a": b"needle\n", "b": b"hay\n"})
    snapshot = indexed(await pending(tmp_path / "one", tmp_path / "two/deep", ripgrep=RIPGREP))
    assert files(snapshot, Request("needle")) == ["deep/a", "one/a"]
    assert counts(snapshot, Request("e")) == [("deep/a", 1), ("one/a", 1)]


LONG_TEXT = "".join(f"line {n} of many, {'needle' if n % 60 == 7 else 'hay'}\n" for n in range(300))


@pytest.mark.parametrize("end", ["", "\n", "\nlast needle"])
async def test_only_the_passages_with_candidates_are_read(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    root = tmp_path_factory.mktemp("root")
    write(root, {"long": (LONG_TEXT + end).encode(), "other": b"x\r\n" + LONG_TEXT.encode()})
    plain = await pending(root)
    helped = in_a_segment(plain, tmp_path_factory.mktemp("segments"), monkeypatch)
    found = helped.text.candidates(analyse("needle").query)
    (ranges,) = filter(None, map(found.ranges, found.plain))
    assert len(ranges) >= 5
    for pattern in ("needle$", "^line 67 ", "needle", r", n\w+\b", "line 300", "^$", "."):
        request = Request(pattern)
        expected = lines(plain, request)
        assert lines(helped, request) == expected, pattern
        assert counts(helped, request) == [(path, len(found)) for path, found in expected]
        assert sorted(files(helped, request)) == [path for path, _ in expected]
    (root / "long").write_text("another needle\n" * 400)  # which the snapshot knows nothing of
    assert dict(counts(helped, Request("needle")))["long"] == 400
    (root / "long").unlink()
    assert [path for path, _ in counts(helped, Request("needle"))] == ["other"]


async def test_of_a_long_text_all_is_read_if_letters_beyond_ascii_may_be_meant(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path_factory.mktemp("root")
    write(root, {"long": (LONG_TEXT + "\N{KELVIN SIGN}ey\n" + LONG_TEXT + "key\n").encode()})
    plain = await pending(root)
    helped = in_a_segment(plain, tmp_path_factory.mktemp("segments"), monkeypatch)
    assert lines(plain, Request("key", ignore_case=True)) == [("long", [301, 602])]
    assert lines(helped, Request("key", ignore_case=True)) == [("long", [301, 602])]
    assert counts(helped, Request("key", ignore_case=True)) == [("long", 2)]


@pytest.mark.parametrize(("kilobytes", "in_parts"), [(63, False), (66, True)])
async def test_only_of_a_file_that_is_worth_it_passages_are_looked_up(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    kilobytes: int,
    in_parts: bool,
) -> None:
    root, worth = tmp_path_factory.mktemp("root"), search._IN_PARTS
    write(root, {"long": b"needle\n" + b"hay and straw\n" * (1_024 * kilobytes // 14)})
    snapshot = await pending(root)
    helped = in_a_segment(snapshot, tmp_path_factory.mktemp("segments"), monkeypatch)
    monkeypatch.setattr(search, "_IN_PARTS", worth)
    read = Mock(wraps=searchable.read_parts)
    monkeypatch.setattr("glossator.workspace.search.source.read_parts", read)
    assert counts(helped, Request("needle")) == [("long", 1)]
    assert [call.args[1] is not None for call in read.call_args_list] == [in_parts]


@pytest.mark.usefixtures("_ripgrep_at_once")
async def test_a_very_long_file_is_read_as_a_whole_only_if_it_matches(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not given to ripgrep, which would read all of it."""
    monkeypatch.setattr(search, "_VERY_LONG", 100)
    monkeypatch.setattr(finder, "_SPARED_FACTOR", 0)
    root = tmp_path_factory.mktemp("root")
    write(
        root, {"long": LONG_TEXT.encode(), "without": LONG_TEXT.replace("needle", "needs").encode()}
    )
    plain = await pending(root, ripgrep=RIPGREP)
    helped = in_a_segment(plain, tmp_path_factory.mktemp("segments"), monkeypatch)
    read: list[str] = []

    def noted(snapshot: WorkspaceSnapshot, entry: FileEntry, *, plain: bool) -> object:
        read.append(entry.relative)
        return source.read_text(snapshot, entry, plain=plain)

    monkeypatch.setattr(search, "read_text", noted)
    request = Request("need.*l")
    found = helped.text.candidates(analyse(request.pattern).query)
    assert len(list(filter(None, map(found.ranges, found.plain)))) == 2
    assert lines(helped, request) == [("long", list(range(8, 301, 60)))]
    assert read == ["long"]


@pytest.mark.usefixtures("_ripgrep_at_once")
async def test_ripgrep_is_given_a_long_file_unless_little_of_it_is_to_be_read(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, beside = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("beside")
    hay = b"hay and more of it\n" * 10_000
    write(root, {"little": hay + b"needle\n", "much": b"needle and more\n" * 10_000})
    script = f'echo "$@" >> {beside}/given; exec {RIPGREP} "$@"'
    plain = await pending(root, ripgrep=program(beside, script))
    helped = in_a_segment(plain, tmp_path_factory.mktemp("segments"), monkeypatch)
    assert counts(helped, Request("needle")) == [("little", 1), ("much", 10_000)]
    given = (beside / "given").read_text()
    assert "much" in given
    assert "little" not in given


async def test_a_folder_that_became_a_link_costs_nobody_a_byte(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    write(root, {"d/pipe": b"needle\n", "kept": b"needle\n"})
    snapshot = indexed(await pending(root))
    outside.mkdir()
    os.mkfifo(outside / "pipe")
    reader = os.open(outside / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(outside / "pipe", os.O_WRONLY)
    os.write(writer, b"for another")
    (root / "d").rename(tmp_path / "aside")
    (root / "d").symlink_to(outside)
    assert files(snapshot, Request("needle")) == ["kept"]
    assert os.read(reader, 100) == b"for another"
    for descriptor in (reader, writer):
        os.close(descriptor)


async def test_what_is_had_puts_ripgrep_off_for_a_moment_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest may come slower than the beginning."""
    monkeypatch.setattr(finder, "_ALONE_SECONDS", 0)
    monkeypatch.setattr(finder, "_WORTHWHILE_SECONDS", 0)
    snapshot = await tree(tmp_path, f'exec {RIPGREP} "$@"')
    for hopeful, ran in ((9.0, 0), (0.0, 1)):
        monkeypatch.setattr(finder, "_PREDICTING_SECONDS", hopeful)
        running = TextSearch(snapshot, Request("needle"), had=lambda: 1.0)
        assert len(list(running.files(running.by_path()))) == 200
        assert (runs(tmp_path) > 0) == bool(ran)


class Clock:
    """Time that stands still unless it is moved on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(finder, "monotonic", lambda: self.now)


async def test_time_spent_on_what_was_found_is_not_time_to_be_spared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = await tree(tmp_path, f'exec {RIPGREP} "$@"')
    clock, running = Clock(monkeypatch), TextSearch(snapshot, Request("needle"))
    for _ in running.files(running.by_path()):
        clock.now += 100
    assert runs(tmp_path) == 0


async def test_time_spent_on_putting_files_in_order_is_not_time_to_be_spared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = await tree(tmp_path, f'exec {RIPGREP} "$@"')
    clock, running = Clock(monkeypatch), TextSearch(snapshot, Request("needle"))

    def ordered() -> Iterator[FileEntry]:
        clock.now += 100
        yield from running.by_path()

    assert len(list(running.files(ordered()))) == 200
    assert runs(tmp_path) == 0


@pytest.mark.usefixtures("_ripgrep_at_once")
async def test_by_what_was_found_before_two_batches_are_at_work_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    be_impatient(monkeypatch, seconds=SECONDS, first_batch=20)
    monkeypatch.setattr(finder, "_FIRST_BLOCK", 1)
    monkeypatch.setattr(finder, "_WORTHWHILE_SECONDS", 0)
    clock, read = Clock(monkeypatch), source.Reader.block

    def block(*of: Any) -> Any:
        clock.now += 1
        return read(*of)

    monkeypatch.setattr(source.Reader, "block", block)
    alone = f"while [ $(wc -l < {tmp_path}/runs) = 1 ]; do sleep 0.01; done"
    snapshot = await tree(tmp_path, f'{alone}\nexec {RIPGREP} "$@"')
    assert len(counts(snapshot, Request("needle"))) == 200
    assert runs(tmp_path) == 4
    assert not caplog.text


async def test_what_is_left_is_told_from_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large file at the beginning does not mean that all others take as long."""
    write(tmp_path / "ws", {"a": b"needle " * 700_000})
    snapshot = await tree(tmp_path, f'exec {RIPGREP} "$@"')
    clock, read = Clock(monkeypatch), source.Reader.block

    def block(
        reader: source.Reader, files: Iterator[FileEntry], size: int, largest: float
    ) -> tuple[list[FileEntry], int, Iterator[FileEntry]]:
        taken = read(reader, files, size, largest)
        clock.now += taken[1] / 1e6
        return taken

    monkeypatch.setattr(source.Reader, "block", block)
    for worth, ran in ((20, 0), (1, 1)):  # seconds; the first file takes 5, and all others as much
        monkeypatch.setattr(finder, "_WORTHWHILE_SECONDS", worth)
        running = TextSearch(snapshot, Request("needle"))
        assert len(list(running.files(running.by_path()))) == 201
        assert runs(tmp_path) == ran


async def test_a_file_that_is_too_large_for_us_is_none_for_ripgrep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finder, "LARGE", 30_000)
    write(tmp_path / "ws", {"f150-large": b"needle\n" * 9_000})
    snapshot = await tree(tmp_path, f'exec {RIPGREP} "$@"')
    snapshot = replace(snapshot, cache=ReadCache(max_bytes=10**6, max_file_bytes=30_000))
    for alone, ran in ((5.0, 0), (0.0, 1)):  # seconds without ripgrep
        monkeypatch.setattr(finder, "_ALONE_SECONDS", alone)
        running = TextSearch(snapshot, Request("needle"))
        assert len(list(running.files(running.by_path()))) == 200
        assert [entry.relative for entry in running.unsearched] == ["f150-large"]
        assert runs(tmp_path) == ran
