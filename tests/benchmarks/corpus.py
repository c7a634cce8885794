"""A large foreign repository: Django's source, from its source package on PyPI."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import platformdirs

_VERSION = "5.2"


def django() -> Path:
    """The unpacked source, fetched once into the user's cache folder."""
    cache = Path(platformdirs.user_cache_dir("glossator-bench"))
    root = cache / f"django-{_VERSION}"
    if not root.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        requirement = f"django=={_VERSION}"
        options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--dest", str(cache)]
        subprocess.run([sys.executable, "-m", "pip", "download", *options, requirement], check=True)
        partial = cache / "unpacking"
        shutil.rmtree(partial, ignore_errors=True)
        with tarfile.open(next(cache.glob(f"[Dd]jango-{_VERSION}*.tar.gz"))) as archive:
            archive.extractall(partial, filter="data")
        next(partial.iterdir()).rename(root)
        partial.rmdir()
    return root


def describe(root: Path) -> str:
    """Its size, for the table's caption."""
    sizes = [path.stat().st_size for path in root.rglob("*") if path.is_file()]
    return f"{root.name}: {len(sizes):,} files, {sum(sizes) / 1e6:,.1f} MB"
