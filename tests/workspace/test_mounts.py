"""Folders are trusted only where /proc describes their mount."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

UNSHARE = ["unshare", "--mount", "--map-root-user"]

# Prints which devices are trusted before and after the mount is hidden, as in a chroot.
SCRIPT = """
import os, subprocess, sys
from glossator.workspace.mounts import trusted_devices
subprocess.run(["mount", "-t", "tmpfs", "none", "."], check=True)
os.chdir(os.getcwd())
os.mkdir("folder")
print(trusted_devices(["folder"]) == {os.stat("folder").st_dev}, flush=True)
subprocess.run(["umount", "--lazy", os.getcwd()], check=True)
print(trusted_devices(["folder"]))
"""


@pytest.mark.skipif(
    sys.platform != "linux"
    or subprocess.run([*UNSHARE, "true"], capture_output=True, check=False).returncode != 0,
    reason="needs a mount namespace of its own",
)
def test_a_mount_that_proc_does_not_describe_is_not_trusted(tmp_path: Path) -> None:
    said = subprocess.check_output(
        [*UNSHARE, sys.executable, "-c", SCRIPT], cwd=tmp_path, text=True
    )
    assert said == "True\nfrozenset()\n"
