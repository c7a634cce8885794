"""`make mutants MODULE=…`: whether the tests near a module notice that it behaves otherwise.

The module is changed in small ways, one at a time, in a copy of the repository, and the tests near
it are run until one fails. What no test noticed is listed. Near are the tests that import the
module, and those in the folder that is named after its package.
"""

from __future__ import annotations

import argparse
import ast
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random

import psutil

from tests.mutants.changes import Change, changes

ROOT = Path(__file__).parents[2]
PACKAGE = Path("server") / "glossator"
PATIENCE = 3  # times what the tests take by themselves, and
MORE = 10.0  # seconds; a change that makes them hang is noticed


def main() -> int:
    """Try the changes and print what survived; 1 if nothing could be tried."""
    options = _options()
    module = _module(options.module)
    source = (ROOT / module).read_text("utf-8")
    near = options.tests or near_tests(module)
    every = changes(source)
    if not every or not near:
        _tell(f"{module} has {len(every)} changes, and {len(near)} near test files.")
        return 1
    chance = Random(options.seed)
    chosen = chance.sample(every, min(options.count or len(every), len(every)))
    jobs = max(1, min(options.jobs or os.cpu_count() or 1, len(chosen)))
    with _benches(module, near, jobs) as benches:
        began = time.monotonic()
        if failure := benches[0].failure(source, None):
            _tell(f"The tests near {module} fail as it is:\n{failure}")
            return 1
        seconds = time.monotonic() - began
        _tell(f"{module}: {len(chosen)} of {len(every)} changes, seed {options.seed}.")
        _tell(f"Near in {seconds:.0f} s: {' '.join(near)}")
        noticed = _try_all(benches, chosen, seconds * PATIENCE * min(jobs, 2) + MORE)
    _tell(f"{noticed} of {len(chosen)} noticed ({noticed / len(chosen):.0%}).")
    return 0


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("module", help="as turn/loop.py or glossator.turn.loop")
    parser.add_argument("tests", nargs="*", help="in place of those that are near")
    parser.add_argument("--count", type=int, default=60, help="how many changes; 0: all")
    parser.add_argument("--seed", type=int, default=1, help="of which ones")
    parser.add_argument("--jobs", type=int, default=0, help="at once; 0: one a processor")
    return parser.parse_args()


def _module(name: str) -> Path:
    """The path in the repository of a module, given below the package or dotted."""
    inner = name if name.endswith(".py") else name.removeprefix("glossator.").replace(".", "/")
    path = PACKAGE / Path(inner.removeprefix(f"{PACKAGE}/")).with_suffix(".py")
    if not (ROOT / path).is_file():
        sys.exit(f"There is no {path}. Name a module as in MODULE=permissions/decide.py.")
    return path


def near_tests(module: Path) -> list[str]:
    """Those that import the module first, first those in its folder: they notice most."""
    inner = module.relative_to(PACKAGE).with_suffix("")
    dotted = ".".join(("glossator", *inner.parts))
    files = sorted(ROOT.glob("tests/**/test_*.py"))
    folders = (ROOT / "tests" / each for each in inner.parents)
    folder = next(each for each in folders if each.is_dir())
    importing = [path for path in files if dotted in _imported(path)]
    importing.sort(key=lambda path: path.parent != folder)
    beside = [path for path in files if path.parent == folder and path not in importing]
    return [str(path.relative_to(ROOT)) for path in (*importing, *beside)]


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@dataclass(frozen=True, slots=True)
class Bench:
    """A copy of the repository, in which one change at a time is tried."""

    root: Path
    module: Path
    tests: Sequence[str]
    _stamps: Iterator[int] = field(default_factory=lambda: count(1_000_000_000))

    def failure(self, source: str, seconds: float | None) -> str:
        """What pytest says when a test fails with this source of the module; "" if none does."""
        path = self.root / self.module
        path.write_text(source, "utf-8")
        # what is compiled is known by the time and the size of its source: each has its own time
        os.utime(path, (stamp := next(self._stamps), stamp))
        home = self.root / "home"
        home.mkdir(exist_ok=True)
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.root / "server"),  # before what is installed, in children too
            "HOME": str(home),
            "TMPDIR": str(home),
        }
        command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", *self.tests]
        log = self.root / "pytest.log"  # not a pipe, which a process that is left would hold open
        try:
            with log.open("wb") as output:
                run = subprocess.run(
                    command,
                    cwd=self.root,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    timeout=seconds,
                    check=False,
                )
        except subprocess.TimeoutExpired:
            return "It hangs."
        finally:
            _end_all_of(home)
        said = log.read_text("utf-8", "replace")
        return "" if run.returncode == 0 else said[-3000:] or "It fails."


def _end_all_of(home: Path) -> None:
    """Kill what a run has left behind: all that has this home."""
    for process in psutil.process_iter(["environ"]):
        if (process.info["environ"] or {}).get("HOME") == str(home):
            with suppress(psutil.Error):  # it has ended
                process.kill()


@contextmanager
def _benches(module: Path, tests: Sequence[str], jobs: int) -> Iterator[list[Bench]]:
    """As many copies of what git knows or may know, with their changes; gone afterwards."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
        benches = [Bench(Path(folder) / str(number), module, tests) for number in range(jobs)]
        for bench in benches:
            for name in filter(None, listed.decode().split("\0")):
                if (ROOT / name).is_file():
                    (bench.root / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(ROOT / name, bench.root / name)
        yield benches


def _try_all(benches: list[Bench], chosen: Sequence[Change], seconds: float) -> int:
    """How many of the changes were noticed; the others are printed as they are found."""
    free: queue.SimpleQueue[Bench] = queue.SimpleQueue()
    for bench in benches:
        free.put(bench)

    def is_noticed(change: Change) -> bool:
        bench = free.get()
        try:
            return bool(bench.failure(change.source, seconds))
        finally:
            free.put(bench)

    noticed = 0
    with ThreadPoolExecutor(len(benches)) as pool:
        running = {pool.submit(is_noticed, change): change for change in chosen}
        for done in as_completed(running):
            noticed += done.result()
            if not done.result():
                change = running[done]
                _tell(f"Not noticed: {change.told}")
    return noticed


if __name__ == "__main__":
    sys.exit(main())
