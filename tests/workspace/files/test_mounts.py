"""What is mounted: noticed below a root, and trusted only where /proc describes it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import SECONDS

HERE = Path(__file__).parents[3]  # this tree, whichever is installed

UNSHARE = ["unshare", "--mount", "--map-root-user"]

# Prints which devices are trusted before and after the mount is hidden, as in a chroot.
SCRIPT = """
import os, subprocess, sys
from glossator.workspace.files.listing_cache import trusted_devices
subprocess.run(["mount", "-t", "tmpfs", "none", "."], check=True)
os.chdir(os.getcwd())
os.mkdir("folder")
print(trusted_devices(["folder"]) == {os.stat("folder").st_dev}, flush=True)
subprocess.run(["umount", "--lazy", os.getcwd()], check=True)
print(trusted_devices(["folder"]))
"""

# Mounts a folder with a file below a watched root, and waits until that is listed.
BELOW = """
import asyncio, os, subprocess
from pathlib import Path
from glossator.workspace.files import indexer
from tests.workspace.files.test_watchers import watching

async def main():
    indexer._TICK_SECONDS = 0.05
    for name in ("root/a b", "other"):
        os.makedirs(name)
    Path("other/new.py").write_text("x = 1")
    async with watching(Path.cwd() / "root", "auto") as watched:
        print(watched.listed(), flush=True)
        subprocess.run(["mount", "--bind", "other", "root/a b"], check=True)
        await watched.until(lambda: watched.listed() == ["a b/new.py"])
        subprocess.run(["umount", "root/a b"], check=True)
        await watched.until(lambda: watched.listed() == [])
        print("noticed", flush=True)

asyncio.run(main())
"""

own_namespace = pytest.mark.skipif(
    sys.platform != "linux"
    or subprocess.run([*UNSHARE, "true"], capture_output=True, check=False).returncode != 0,
    reason="needs a mount namespace of its own",
)


@own_namespace
def test_a_mount_that_proc_does_not_describe_is_not_trusted(tmp_path: Path) -> None:
    said = subprocess.check_output(
        [*UNSHARE, sys.executable, "-c", SCRIPT], cwd=tmp_path, text=True
    )
    assert said == "True\nfrozenset()\n"


@own_namespace
def test_a_mount_below_a_root_is_noticed(tmp_path: Path) -> None:
    said = subprocess.check_output(
        [*UNSHARE, sys.executable, "-c", BELOW],
        cwd=tmp_path,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (HERE / "server", HERE)))},
        timeout=SECONDS,
    )
    assert said == "[]\nnoticed\n"
