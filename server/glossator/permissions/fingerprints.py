"""What an adoption is of: the SHA-256 of all that decides what a program will do.

The files of the workspace that it is told of belong to it, wherever in its words they stand; what
these start or import does not, since nobody can tell.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from glossator.workspace import is_inside

_HASHED_BYTES = 100_000_000  # of all files that one adoption is of
_SEPARATORS = re.compile(r"[\s;|&<>(){}\[\]\"'`=,:]+")  # what separates words, in quotes or not
_PATH_REST = re.compile(r"[^\s;|&<>(){}\[\]\"'`,:]*")  # of a path below a folder
_WORD_BREAKS = re.compile(r"[\s;|&<>()\"'\\]")  # a text into words, for a shell
_PATH = re.compile(r"(?:~|\.{1,2})?/.*", re.DOTALL)  # as in `-C/a/b` and `file:///a/b`


class FileDigests:
    """The hashes of files at one moment, each read once; blocking."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, paths: Iterable[str]) -> dict[str, str]:
        """The SHA-256 of each file. Raises `OSError`, also where together they are too much."""
        found, bytes_left = dict[str, str](), _HASHED_BYTES
        for path in paths:
            bytes_left -= os.path.getsize(path)
            if bytes_left < 0:
                raise OSError(f"{path} is too large: with others it has {_HASHED_BYTES:,} bytes")
            found[path] = self._of(path)
        return found

    def _of(self, path: str) -> str:
        if path not in self._known:
            self._known[path] = digest(Path(path).read_bytes())
        return self._known[path]


def paths_named(texts: Iterable[str], folder: str, roots: Iterable[str]) -> list[str]:
    """The files and folders in `roots` that words, scripts or addresses name, by real path.

    What is given such texts runs in `folder`. Blocking.
    """
    both = {path for root in roots for path in (os.path.normpath(root), os.path.realpath(root))}
    found = dict.fromkeys(
        os.path.realpath(os.path.join(folder, os.path.expanduser(each)))
        for text in texts
        for each in _candidates(text, both)
    )
    return [path for path in found if any(is_inside(path, root) for root in both)]


def files_named(texts: Iterable[str], folder: str, roots: Iterable[str]) -> tuple[str, ...]:
    """The files among what texts name; see `paths_named`. Blocking."""
    return tuple(filter(os.path.isfile, paths_named(texts, folder, roots)))


def fingerprint(what: Mapping[str, object], files: Iterable[str], digests: FileDigests) -> str:
    """The SHA-256 of canonical JSON of `what` will run, with the content of files.

    Raises `OSError`.
    """
    whole = {**what, "files": digests.of(files)}
    canonical = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return digest(canonical.encode())


def digest(content: bytes) -> str:
    """The SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def _candidates(text: str, roots: Iterable[str]) -> Iterator[str]:
    """All that may be a path in a text: as a whole, as a word of it, or glued to an option."""
    for each in {form for plain in {text, unquote(text)} for form in _forms(plain)}:
        for word in {each, *_SEPARATORS.split(each)} - {""}:
            yield word
            yield word.partition("=")[2] or word
            if glued := _PATH.search(word):
                yield glued[0]
        for root in roots:
            for found in re.finditer(re.escape(root), each):
                below = _PATH_REST.match(each, found.end())
                yield root + (below[0] if below else "")


def _forms(text: str, depth: int = 3) -> Iterator[str]:
    """A text, also without quotes, and its words as a shell reads them, with theirs in turn."""
    yield text
    yield text.replace('"', "").replace("'", "")
    if depth and _WORD_BREAKS.search(text):
        shell = shlex.shlex(text, posix=True, punctuation_chars=True)
        shell.whitespace_split, shell.commenters = True, ""
        with suppress(ValueError):  # quotes that are not closed
            for word in shell:
                yield from _forms(word, depth - 1)
