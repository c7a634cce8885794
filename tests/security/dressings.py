"""One path written as nobody usually writes it, to get past whoever compares names."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

Dress = Callable[[Path, str], str]
_NUMBERS = count()


def _case(_root: Path, path: str) -> str:
    return path.swapcase()


def _link(root: Path, path: str) -> str:
    """A link in the workspace that leads there."""
    name = f"innocent{next(_NUMBERS)}"
    (root / name).symlink_to(path)
    return name


def _folder_link(root: Path, path: str) -> str:
    """The same to its folder; what lies at the top has none but the workspace."""
    folder, _, name = path.rpartition("/")
    return f"{_link(root, folder or '.')}/{name}"


def _dots(_root: Path, path: str) -> str:
    return f"/usr/..{path}" if path.startswith("/") else f"src/./../{path}"


def _fullwidth(_root: Path, path: str) -> str:
    """As NFKC would turn back into ASCII, the dots too."""
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" and c != "/" else c for c in path)


def _decomposed(_root: Path, path: str) -> str:
    return unicodedata.normalize("NFD", path)


def _composed(_root: Path, path: str) -> str:
    return unicodedata.normalize("NFC", path)


def _invisible(_root: Path, path: str) -> str:
    """With a character in its last name that shows nothing, and that some file systems ignore."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f"{name[:2]}\u200c{name[2:]}")


def _escaped(_root: Path, path: str) -> str:
    """As our tools show odd characters, which they take back."""
    return path.replace(".", r"\u002e").replace("/", r"\u002f")


DRESSINGS: Mapping[str, Dress] = {
    "plain": lambda _root, path: path,
    "letter case": _case,
    "link": _link,
    "link to its folder": _folder_link,
    "dots": _dots,
    "fullwidth": _fullwidth,
    "NFD": _decomposed,
    "NFC": _composed,
    "zero width": _invisible,
    "trailing dots": lambda _root, path: f"{path}. .",  # which Windows leaves out
    "stream": lambda _root, path: f"{path}::$DATA",  # which on Windows is the file
    "escaped": _escaped,
}
