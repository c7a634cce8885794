"""The wheels that come with the extension: `python -m tools.wheels [PLATFORM]`.

The server's own wheel, and the lock of what that needs. For a platform, as `vsce` names it, also
the wheels of all in the lock, for each Python that is supported: installing needs no network.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
WHEELS = ROOT / "vscode-client" / "wheels"
LOCK = ROOT / "requirements.lock"
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]

# What uv calls a platform, for the markers, and the tags of wheels that pip may take for it.
_LINUX = ["manylinux_2_28", "manylinux_2_27", "manylinux_2_24", "manylinux_2_17", "manylinux2014"]
_LINUX += ["manylinux_2_12", "manylinux2010", "manylinux_2_5", "manylinux1"]
_MAC = [f"macosx_{release}_0" for release in (14, 13, 12, 11)]
PLATFORMS = {
    "linux-x64": ("x86_64-manylinux_2_28", [f"{tag}_x86_64" for tag in _LINUX]),
    "linux-arm64": ("aarch64-manylinux_2_28", [f"{tag}_aarch64" for tag in _LINUX]),
    "darwin-arm64": ("aarch64-apple-darwin", [f"{tag}_arm64" for tag in _MAC]),
    "darwin-x64": ("x86_64-apple-darwin", [f"{tag}_x86_64" for tag in [*_MAC, "macosx_10_12"]]),
}


def main(platform: str | None) -> None:
    """Fill the folder anew. Ends with a message if the platform is none of ours."""
    if platform is not None and platform not in PLATFORMS:
        sys.exit(f"There is no package for {platform}; choose one of {', '.join(PLATFORMS)}.")
    shutil.rmtree(WHEELS, ignore_errors=True)
    _run("hatchling", "build", "-t", "wheel", "-d", WHEELS)
    _compile(WHEELS / "requirements.lock", "--universal", "--python-version", PYTHONS[0])
    if platform is not None:
        for python in PYTHONS:
            _download(platform, python)


def _download(platform: str, python: str) -> None:
    """The wheels for one Python. pip alone would read the lock's markers as this Python's."""
    uv_name, tags = PLATFORMS[platform]
    with tempfile.TemporaryDirectory() as folder:
        needed = Path(folder) / "requirements.lock"
        _compile(needed, "--python-version", python, "--python-platform", uv_name)
        pip = ["pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        pip += ["--require-hashes", "--only-binary", ":all:"]
        taken = ["--implementation", "cp", "--python-version", python]
        taken += [each for tag in tags for each in ("--platform", tag)]
        _run(*pip, *taken, "--dest", WHEELS, "--requirement", needed)


def _compile(output: Path, *options: str) -> None:
    """Write what the server needs, in the versions and with the hashes of the lock."""
    from_lock = ["--quiet", "--generate-hashes", "--constraints", str(LOCK)]
    plain = ["--no-header", "--no-annotate", "--output-file", str(output)]
    _run("uv", "pip", "compile", *from_lock, *plain, *options, ROOT / "pyproject.toml")


def _run(module: str, *arguments: str | Path) -> None:
    subprocess.run([sys.executable, "-m", module, *map(str, arguments)], cwd=ROOT, check=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
