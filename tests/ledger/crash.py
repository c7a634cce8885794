"""Kills servers that keep facts, at random moments, and looks for what they had acknowledged.

    .venv/bin/python -m tests.ledger.crash --kills 200 --redis

With `--redis` a Redis server that they share is killed and started in between, too.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.redis_server import RedisServer, redis_server

TEXT = "".join(f"line {number}\n" for number in range(1, 201))
_MOST = 40  # facts of one server


@dataclass
class Tally:
    """What was acknowledged, and what of it the next server did not know."""

    kills: int = 0
    kept: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)


def crash(folder: Path, kills: int, seed: int, redis: RedisServer | None = None) -> Tally:
    """Start a server, kill it with SIGKILL when it has kept a few facts, and so on."""
    random, tally = Random(seed), Tally()
    root = folder.resolve() / "ws"
    root.mkdir(parents=True)
    (root / "a.py").write_text(TEXT)
    for number in range(kills + 1):
        most = random.randrange(_MOST) if number < kills else 0
        with _server(root, folder / "state", redis, number * 1_000) as lines:
            known = set(_after("known", lines))
            tally.lost |= tally.kept - known
            for _ in range(most):
                tally.kept.add(next(lines).removeprefix("kept ").strip())
                if redis is not None and random.random() < 0.05:
                    redis.kill()
                    redis.start()
        tally.kills += 1
    return tally


@contextmanager
def _server(
    root: Path, folder: Path, redis: RedisServer | None, start: int
) -> Iterator[Iterator[str]]:
    url = redis.url if redis is not None else ""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.ledger.child", str(root), str(folder), url, str(start)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield iter(process.stdout.readline, "")
    finally:
        process.kill()
        process.communicate()


def _after(word: str, lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith(word):
            assert line == "begun\n", line
            return
        yield line.removeprefix(word).strip()
    raise AssertionError("the server ended by itself")


def main() -> int:
    """Print what was found; 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--redis", action="store_true")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="glossator-crash-"))
    try:
        if options.redis:
            with redis_server(folder / "redis", "--appendonly", "yes") as redis:
                tally = crash(folder, options.kills, options.seed, redis)
        else:
            tally = crash(folder, options.kills, options.seed)
    finally:
        shutil.rmtree(folder)
    sys.stdout.write(
        f"seed {options.seed}: {tally.kills:,} servers were killed, {len(tally.kept):,} facts were"
        f" acknowledged, {len(tally.lost):,} of them were lost\n"
    )
    return 1 if tally.lost else 0


if __name__ == "__main__":
    sys.exit(main())
