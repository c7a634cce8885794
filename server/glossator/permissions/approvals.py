"""The programs that a workspace proposes to run and that the user adopted.

A workspace can bring things that run programs (servers of tools, hooks). Each runs only after the
user adopted exactly this one, known by the SHA-256 of all that decides what will run, in
this workspace folder, known by its real path; any change asks again. They are remembered in
`<user state folder>/approvals.json`, which several servers share. What the user turned off in a
workspace is remembered likewise (`Switches`).

The workspace's files that a program's words name are part of what decides, wherever
they stand; what these start or import does not, since nobody can tell.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

import platformdirs

from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.core.uri import to_uri
from glossator.permissions.private_file import DamagedFile, Entries, PrivateFile, update_private
from glossator.permissions.trust import real_folder
from glossator.permissions.worktrees import as_in_origin
from glossator.workspace import is_inside

_HASHED_BYTES = 100_000_000  # of all files that one adoption is of
_APART = re.compile(r"[\s;|&<>(){}\[\]\"'`=,:]+")  # what separates words, in quotes or not
_REST = re.compile(r"[^\s;|&<>(){}\[\]\"'`,:]*")  # of a path below a folder
_DIVIDES = re.compile(r"[\s;|&<>()\"'\\]")  # a text into words, for a shell
_PATH = re.compile(r"(?:~|\.{1,2})?/.*", re.DOTALL)  # as in `-C/a/b` and `file:///a/b`


class FileDigests:
    """The hashes of files at one moment, each read once; blocking."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, paths: Iterable[str]) -> dict[str, str]:
        """The SHA-256 of each file. Raises `OSError`, also if they are too large together."""
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

    In a worktree it is what it is in the folder that this was made from. Raises `OSError`.
    """
    whole = {**what, "files": digests.of(files)}
    plain = json.loads(as_in_origin(json.dumps(whole, ensure_ascii=False)))
    canonical = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return digest(canonical.encode())


def digest(content: bytes) -> str:
    """The SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def _candidates(text: str, roots: Iterable[str]) -> Iterator[str]:
    """Everything in a text that may be a path: the whole, a word of it, or the end of an option."""
    for each in {form for plain in {text, unquote(text)} for form in _forms(plain)}:
        for word in {each, *_APART.split(each)} - {""}:
            yield word
            yield word.partition("=")[2] or word
            if glued := _PATH.search(word):
                yield glued[0]
        for root in roots:
            for found in re.finditer(re.escape(root), each):
                below = _REST.match(each, found.end())
                yield root + (below[0] if below else "")


def _forms(text: str, depth: int = 3) -> Iterator[str]:
    """A text with and without quotes, and its words as a shell reads them, again split."""
    yield text
    yield text.replace('"', "").replace("'", "")
    if depth and _DIVIDES.search(text):
        shell = shlex.shlex(text, posix=True, punctuation_chars=True)
        shell.whitespace_split, shell.commenters = True, ""
        with suppress(ValueError):  # quotes that are not closed
            for word in shell:
                yield from _forms(word, depth - 1)


def switches_file() -> Path:
    """The file that remembers what is off."""
    return Path(platformdirs.user_state_dir("glossator")) / "turned-off.json"


class Switches:
    """What is off in the folders that are open (`roots`), by kind and id; blocking.

    What is off in one folder is off in a workspace of several. `warn` reports a file that cannot be
    used; then nothing is off.
    """

    def __init__(
        self,
        warn: Callable[[str], object],
        roots: Callable[[], tuple[str, ...]],
        file: Path | None = None,
    ) -> None:
        self._warn = warn
        self._roots = roots
        self._file = PrivateFile(file or switches_file())

    def off(self, kind: str) -> frozenset[str]:
        """The ids of everything of a kind that the user turned off here."""
        return self.now().get(kind, frozenset())

    def now(self) -> Mapping[str, frozenset[str]]:
        """The ids of everything that the user turned off here, by kind."""
        try:
            entries = self._file.now()
        except (OSError, DamagedFile) as error:
            self._warn(
                f"What you turned off is on again, because {self._file.path} cannot be used"
                f" ({error}). Turn off again what should be: that starts a new file."
            )
            return {}
        if not entries:
            return {}
        texts = (text for uri in self._folders() for text in entries.get(uri, ()))
        found: dict[str, set[str]] = {}
        for kind, _, key in (text.partition(" ") for text in texts):
            found.setdefault(kind, set()).add(key)
        return {kind: frozenset(keys) for kind, keys in found.items()}

    def turn(self, kind: str, key: str, *, on: bool) -> None:
        """Turn it on or off in each folder. Raises `UsageError`, `StoreUnavailable`."""
        folders, text = self._folders(), _text(kind, key)
        if not folders:
            raise UsageError("No folder is open, so there is nowhere to turn it off. Open one.")

        def change(before: Entries) -> Entries:
            after = dict(before)
            for uri in folders:
                others = tuple(each for each in before.get(uri, ()) if each != text)
                after[uri] = others if on else (*others, text)
            return {uri: texts for uri, texts in after.items() if texts}

        update_private(self._file.path, change)

    def _folders(self) -> tuple[str, ...]:
        real = map(real_folder, self._roots())
        return tuple(to_uri(path) for path in real if path is not None)


def _text(kind: str, key: str) -> str:
    return f"{kind} {key}"


_Adopted = tuple[str, str, str]  # kind, name, SHA-256; an entry is their JSON


def approvals_file() -> Path:
    """The file that remembers adoptions."""
    return Path(platformdirs.user_state_dir("glossator")) / "approvals.json"


class Approvals:
    """The adoptions by kind (a word such as `mcp`), name and workspace folder; blocking.

    `warn` reports a file that cannot be used; then nothing counts as adopted.
    """

    def __init__(self, warn: Callable[[str], object], file: Path | None = None) -> None:
        self._warn = warn
        self._file = PrivateFile(file or approvals_file())

    def is_adopted(self, kind: str, name: str, folder: str, sha256: str) -> bool:
        """Whether exactly this was adopted in the folder."""
        return self._hash(kind, name, folder) == sha256

    def was_adopted(self, kind: str, name: str, folder: str) -> bool:
        """Whether this, or an earlier version of it, was adopted."""
        return self._hash(kind, name, folder) is not None

    def names(self, kind: str, folder: str) -> frozenset[str]:
        """The names of everything of a kind that was adopted in the folder, in any version."""
        return frozenset(name for of, name, _ in self._adopted(folder) if of == kind)

    def any_of(self, kind: str, folders: Iterable[str]) -> bool:
        """Whether any of a kind was adopted in one of the folders."""
        return any(self.names(kind, folder) for folder in folders)

    def adopt(self, kind: str, name: str, folder: str, sha256: str) -> None:
        """Adopt this in place of what had its name. Raises `UsageError`, `StoreUnavailable`."""
        path = real_folder(folder)
        if path is None:
            raise UsageError(f"There is no folder {shown(folder)}. Check the name.")
        uri, text = to_uri(path), json.dumps([kind, name, sha256])

        def change(before: Entries) -> Entries:
            return {**before, uri: (*_without(before.get(uri, ()), kind, name), text)}

        update_private(self._file.path, change)

    def forget(self, kind: str, name: str, folder: str) -> bool:
        """Take an adoption back; False if there was none. Raises `StoreUnavailable`."""
        path = real_folder(folder) or folder
        if self._hash(kind, name, path) is None:
            return False
        uri = to_uri(path)

        def change(before: Entries) -> Entries:
            left = _without(before.get(uri, ()), kind, name)
            others = {key: value for key, value in before.items() if key != uri}
            return {**others, uri: left} if left else others

        update_private(self._file.path, change)
        return True

    def _hash(self, kind: str, name: str, folder: str) -> str | None:
        adopted = self._adopted(folder)
        return next((sha256 for *what, sha256 in adopted if what == [kind, name]), None)

    def _adopted(self, folder: str) -> list[_Adopted]:
        path = real_folder(folder)
        if path is None:
            return []
        try:
            texts = self._file.now().get(to_uri(path), ())
        except (OSError, DamagedFile) as error:
            self._warn(
                f"Nothing counts as adopted, because {self._file.path} cannot be used ({error})."
                " Adopt again what you want to run: that starts a new file."
            )
            return []
        return [adopted for text in texts if (adopted := _read(text)) is not None]


def _read(text: str) -> _Adopted | None:
    """Read an entry; None for one of another form, which adopts nothing."""
    try:
        kind, name, sha256 = map(str, json.loads(text))
    except (ValueError, TypeError):
        return None
    return kind, name, sha256


def _without(texts: tuple[str, ...], kind: str, name: str) -> tuple[str, ...]:
    return tuple(text for text in texts if (_read(text) or ())[:2] != (kind, name))
