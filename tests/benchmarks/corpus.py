"""Large foreign repositories: source packages of PyPI and Debian, fetched once.

They are unpacked into the user's cache folder. Debian's come from whichever mirror this machine
uses for its packages.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

import platformdirs
from rich.console import Console

_DJANGO = "5.2"
_RXJS = "7.8.2"
_RIPGREP = "1.18.0"  # of the package that Visual Studio Code ships; the program is ripgrep 15
_SOURCES = Path("/etc/apt/sources.list.d")
_SOURCES_FILE = Path("/etc/apt/sources.list")

CACHE = Path(platformdirs.user_cache_dir("glossator-bench"))


def django() -> Path:
    """Django's source, about 6,900 files."""
    requirement = f"django=={_DJANGO}"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    return _fetched(
        f"django-{_DJANGO}",
        lambda folder: _run([*pip, "--dest", str(folder), requirement], folder),
        "[Dd]jango-*.tar.gz",
    )


def kubernetes() -> Path:
    """Kubernetes' source, about 22,700 files."""
    return _fetched("kubernetes", lambda folder: _apt("kubernetes", folder), "*.orig.tar.gz")


def linux() -> Path:
    """Linux' source, about 78,000 files."""
    return _fetched("linux", lambda folder: _apt("linux", folder), "*.orig.tar.xz")


def cpython() -> Path:
    """CPython's source, about 4,400 files, some of them large."""
    return _fetched("cpython", lambda folder: _apt("python3.11", folder), "*.orig.tar.gz")


def typescript() -> Path:
    """TypeScript's source with its tests' baselines, about 64,000 files, most of them small."""
    return _fetched("typescript", lambda folder: _apt("node-typescript", folder), "*.orig.tar.*")


def rxjs() -> Path:
    """RxJS as npm has it: its source in TypeScript, 251 files, and what was made of it."""
    pack = ["npm", "pack", "--silent", f"rxjs@{_RXJS}"]
    return _fetched(f"rxjs-{_RXJS}", lambda folder: _run(pack, folder), "*.tgz")


def ripgrep() -> Path:
    """The ripgrep program that we are measured against."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    package = f"@vscode/ripgrep-{sys.platform}-{machine}@{_RIPGREP}"
    pack = ["npm", "pack", "--silent", package]
    root = _fetched(f"ripgrep-{_RIPGREP}", lambda folder: _run(pack, folder), "*.tgz")
    return root / "bin" / "rg"


def describe(root: Path) -> str:
    """Its size, for the table's caption; reading it all makes the system's cache warm for all."""
    sizes = [len(path.read_bytes()) for path in root.rglob("*") if path.is_file()]
    return f"{root.name}: {len(sizes):,} files, {sum(sizes) / 1e6:,.1f} MB"


def _fetched(name: str, download: Callable[[Path], None], archive: str) -> Path:
    """The folder `name`: what the archive holds that `download` puts into a folder."""
    root = CACHE / name
    if not root.is_dir():
        partial = CACHE / f"{name}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        (partial / "unpacked").mkdir(parents=True)
        Console(stderr=True).print(f"fetching {name} …")
        download(partial)
        with tarfile.open(next(partial.glob(archive))) as packed:
            packed.extraction_filter = getattr(tarfile, "tar_filter", None)  # since 3.11.4
            packed.extractall(partial / "unpacked")
        next((partial / "unpacked").iterdir()).rename(root)
        shutil.rmtree(partial)
    return root


def _apt(package: str, folder: Path) -> None:
    """Download a source package, whether or not the machine lists source packages."""
    parts, lists = folder / "sources", folder / "lists"
    for made in (parts, lists, folder / "archives" / "partial"):
        made.mkdir(parents=True)
    for file in _SOURCES.glob("*.sources"):
        text = file.read_text("utf-8").replace("Types: deb\n", "Types: deb-src\n")
        # the release itself: security updates are gone from mirrors as soon as the next one is out
        stanzas = [stanza for stanza in text.split("\n\n") if "-security" not in stanza]
        (parts / file.name).write_text("\n\n".join(stanzas), "utf-8")
    if _SOURCES_FILE.is_file():
        lines = _SOURCES_FILE.read_text("utf-8").splitlines()
        text = "".join(f"deb-src{line[3:]}\n" for line in lines if _wanted(line))
        (parts / "main.list").write_text(text, "utf-8")
    options = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": str(parts),
        "Dir::State::lists": str(lists),
        "Dir::Cache": str(folder),
        "APT::Sandbox::User": "",
    }
    apt = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in options.items())]
    _run([*apt, "update"], folder)
    _run([*apt, "source", "--download-only", package], folder)


def _wanted(line: str) -> bool:
    return line.startswith("deb ") and "-security" not in line


def _run(command: Sequence[str], folder: Path) -> None:
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)
