"""How the server's threads are scheduled."""

from __future__ import annotations

import subprocess
import sys

import pytest

SEEN = """
import os, threading
from glossator.lsp.scheduling import run_when_woken

def seen(where):
    print(where, bool(os.sched_getscheduler(0) & os.SCHED_RESET_ON_FORK), os.nice(0) - before)

before = os.nice(0)
os.nice(3)
print(run_when_woken())
seen("loop")
other = threading.Thread(target=seen, args=["other"])
other.start()
other.join()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's scheduler")
def test_only_the_thread_that_asks_is_woken_sooner_and_keeps_its_priority() -> None:
    run = subprocess.run([sys.executable, "-c", SEEN], capture_output=True, text=True, check=True)
    assert run.stdout.split("\n")[:3] == ["True", "loop True 3", "other False 3"]
