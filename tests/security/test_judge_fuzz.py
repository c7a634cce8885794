"""What is judged to only read does only that: random command lines, with strace as a witness."""

from __future__ import annotations

import os
import random

import pytest

from tests.security.judge_fuzz import Tally, can_watch, fuzz, scene, violations

REASON = can_watch()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))
_SECONDS = 4.0
_RUNS = 120


def test_what_is_judged_to_only_read_only_reads() -> None:
    seed = int(os.environ.get("SEED") or random.randrange(2**32))
    tally = Tally()
    found = list(fuzz(seed, _SECONDS, _RUNS, tally))
    assert found == [], f"replay with SEED={seed}"
    assert tally.run


@pytest.mark.parametrize(
    "command",
    [
        "echo x > new",
        "echo x >> a.py",
        "sort -o a.py b.txt",
        "rm a.py",
        "mv a.py z",
        "chmod 600 a.py",
        "ln -s a.py z",
        "mkdir z",
        "touch a.py",
        "truncate -s 0 a.py",
        "cat out",
        "cat ../secret",
        "grep -R x src",
        "diff left right",
        "ls up/",
        "echo up/*",
        "cd l/../.. && cat secret",
        "cat </dev/tcp/127.0.0.1/9",
        "echo x >/dev/udp/127.0.0.1/9",
        "git -c core.pager=x -c alias.z='!id' z",
        "find . -name a.py -exec wc {} +",
        "git commit -q --allow-empty -m x",
        "env ls",
    ],
)
def test_the_witness_sees(command: str) -> None:
    """It would be a poor witness that sees nothing."""
    with scene() as where:
        assert violations(command, where) != []


@pytest.mark.parametrize(
    "command", ["ls -la", "cat a.py | wc -l 2>/dev/null", "git log --oneline", "git diff | head -1"]
)
def test_and_nothing_else(command: str) -> None:
    with scene() as where:
        assert violations(command, where) == []
