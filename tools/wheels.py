"""What comes with the extension to install: `python -m tools.wheels [PLATFORM]`.

The server's own wheel, and the lock of what that needs. For a platform, as `vsce` names it, also
all in the lock for each Python that is supported, as it lies in `site-packages`: installing needs
no network, and is unpacking. Files are in one archive with those of the same Pythons, so none is
there twice: `packages_3.12_3.13.zip` is for two. Left out are tests, headers and, where this
machine can take them out, symbols for debuggers. See docs/decisions/0075.
"""

from __future__ import annotations

import hashlib
import platform as machine
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
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
# Runtimes import none of these.
_LEFT_OUT = re.compile(r"/tests?/|\.(?:a|h|hpp|pxd|c)$")
_COMPILED = re.compile(r"\.so$")
_PLACED = re.compile(r"[^/]+\.data/(?:purelib|platlib)/(.*)")  # else it lies where it belongs
_ELSEWHERE = re.compile(r"[^/]+\.data/")  # programs and headers, which nobody needs there
_OLDEST_TIME = (1980, 1, 1, 0, 0, 0)  # of a zip; the same for all, so that a build can be repeated


@dataclass(slots=True)
class _Content:
    """One content that a file has, and for which Pythons."""

    data: bytes
    pythons: list[str] = field(default_factory=list)


def main(platform: str | None) -> None:
    """Fill the folder anew. Ends with a message if the platform is none of ours."""
    if platform is not None and platform not in PLATFORMS:
        sys.exit(f"There is no package for {platform}; choose one of {', '.join(PLATFORMS)}.")
    shutil.rmtree(WHEELS, ignore_errors=True)
    _run("hatchling", "build", "-t", "wheel", "-d", WHEELS)
    _compile(WHEELS / "requirements.lock", "--universal", "--python-version", PYTHONS[0])
    if platform is None:
        return
    contents: dict[tuple[str, bytes], _Content] = {}
    for python in PYTHONS:
        with tempfile.TemporaryDirectory() as folder:
            _download(platform, python, Path(folder))
            for name, data in _unpacked(Path(folder), strip=_can_strip(platform)):
                key = (name, hashlib.sha256(data).digest())
                contents.setdefault(key, _Content(data)).pythons.append(python)
    _pack(contents)


def _download(platform: str, python: str, folder: Path) -> None:
    """The wheels for one Python. pip alone would read the lock's markers as this Python's."""
    uv_name, tags = PLATFORMS[platform]
    needed = folder / "requirements.lock"
    _compile(needed, "--python-version", python, "--python-platform", uv_name)
    pip = ["pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    pip += ["--require-hashes", "--only-binary", ":all:"]
    taken = ["--implementation", "cp", "--python-version", python]
    taken += [each for tag in tags for each in ("--platform", tag)]
    _run(*pip, *taken, "--dest", folder, "--requirement", needed)


def _unpacked(folder: Path, *, strip: bool) -> Iterator[tuple[str, bytes]]:
    """The files of all wheels there, by their places below `site-packages`."""
    for path in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(path) as wheel:
            names = [each.filename for each in wheel.infolist() if not each.is_dir()]
            # A wheel with libraries of its own was patched to find them, which `strip` may undo.
            strips = strip and not any(name.split("/")[0].endswith(".libs") for name in names)
            for name in names:
                placed = _PLACED.fullmatch(name)
                if _LEFT_OUT.search(name) or (_ELSEWHERE.match(name) and not placed):
                    continue
                data = wheel.read(name)
                if strips and _COMPILED.search(name):
                    data = _stripped(data)
                yield placed[1] if placed else name, data


def _can_strip(platform: str) -> bool:
    """Whether this machine's `strip` knows the platform's files."""
    ours = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}.get(machine.machine())
    return sys.platform == "linux" and platform == ours and shutil.which("strip") is not None


def _stripped(data: bytes) -> bytes:
    with tempfile.NamedTemporaryFile() as file:
        path = Path(file.name)
        path.write_bytes(data)
        _run_program("strip", "--strip-debug", path)
        return path.read_bytes()


def _pack(contents: dict[tuple[str, bytes], _Content]) -> None:
    """An archive for each set of Pythons."""
    sets: dict[str, list[tuple[str, bytes]]] = defaultdict(list)
    for (name, _), content in sorted(contents.items()):
        sets["_".join(content.pythons)].append((name, content.data))
    for pythons, files in sets.items():
        path = WHEELS / f"packages_{pythons}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, data in files:
                archive.writestr(zipfile.ZipInfo(name, _OLDEST_TIME), data, zipfile.ZIP_DEFLATED, 9)


def _compile(output: Path, *options: str) -> None:
    """Write what the server needs, in the versions and with the hashes of the lock."""
    from_lock = ["--quiet", "--generate-hashes", "--constraints", str(LOCK)]
    plain = ["--no-header", "--no-annotate", "--output-file", str(output)]
    _run("uv", "pip", "compile", *from_lock, *plain, *options, ROOT / "pyproject.toml")


def _run(module: str, *arguments: str | Path) -> None:
    _run_program(sys.executable, "-m", module, *arguments)


def _run_program(program: str, *arguments: str | Path) -> None:
    subprocess.run([program, *map(str, arguments)], cwd=ROOT, check=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
