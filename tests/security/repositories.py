"""Git repositories for tests, made by git itself."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

_AS = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")


def git(folder: Path, *words: str) -> None:
    """Run git in a folder."""
    subprocess.run(("git", *_AS, *words), cwd=folder, check=True, capture_output=True)


def repository(folder: Path, files: Mapping[str, str]) -> None:
    """A repository with one commit of these files."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    for name, text in files.items():
        (folder / name).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
