"""The workspace's folders: which paths lie inside, how those are shown, how files are encoded.

All containment is decided on real paths, component by component, so neither a common prefix
(`/ws` and `/ws-evil`), `..`, nor a link leads out. Encodings of files that are no Unicode are
declared by the setting `files.encodings` and by the editor (docs/decisions/0064).
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from unicodedata import normalize

from glossator.core.document import Missing, MissingReason
from glossator.core.encoding import codec_named, declared
from glossator.core.errors import UsageError
from glossator.core.glob import compile_glob
from glossator.core.shown import meant

_UNDECLARED = "utf-8"  # the codec that stands for no declaration
_log = logging.getLogger(__name__)

_MAX_TRIES = 5


class EncodingRule(NamedTuple):
    """The codec (see `codec_named`) of the files below a real folder that fit a glob.

    A `folder` of "" is that of the workspace, the outermost one.
    """

    folder: str
    glob: str
    codec: str


def encoding_rules(setting: Mapping[str, str], told: object) -> tuple[EncodingRule, ...]:
    """The editor's rules, then those of the setting `files.encodings`, which win; see `Roots`.

    `told` is what the editor sent. Rules of an unknown form are logged and left out.
    """
    return (*_told(told), *_set(setting))


def _set(setting: Mapping[str, str]) -> Iterator[EncodingRule]:
    for glob, codec in setting.items():
        place = os.path.expanduser(glob)
        yield EncodingRule(os.sep if os.path.isabs(place) else "", place, codec)


def _told(told: object) -> Iterator[EncodingRule]:
    for each in told if isinstance(told, Iterable) else ():
        match each:
            case {"folder": str(folder), "glob": str(glob), "encoding": str(name)}:
                try:
                    compile_glob(glob)
                except UsageError as error:
                    _log.warning("The editor's encoding %s is not used: %s", name, error)
                else:
                    yield EncodingRule(os.path.realpath(folder), glob, _codec(name))
            case _:
                _log.warning("The editor's encodings are not of the form that is known")


def _codec(name: str) -> str:
    try:
        return codec_named(name)
    except UsageError as error:
        _log.warning("Files with the editor's encoding %s are read by their bytes: %s", name, error)
        return _UNDECLARED


def is_inside(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies below it; both absolute and normal."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def same_file(path: str, paths: Iterable[str]) -> list[str]:
    """Those of `paths` that are `path`, or that links lead to the same file; blocking."""
    return [
        each
        for each in paths
        if each == path or (os.path.isabs(each) and real_path(each) == real_path(path))
    ]


def folder_of(path: str) -> str:
    """The directory that holds what is at an absolute path."""
    return path[: path.rfind(os.sep)] or os.sep


def folder_identity(path: str) -> tuple[int, int] | None:
    """The identity of the folder at a path, another if it was replaced; None if it is gone."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def outermost(paths: Iterable[str]) -> list[str]:
    """`paths` without those that lie below another one, sorted."""
    known = set(paths)
    return sorted(path for path in known if not any(above in known for above in _above(path)))


def _above(path: str) -> Iterator[str]:
    while (folder := os.path.dirname(path)) != path:
        yield folder
        path = folder


def real_path(path: str) -> str | None:
    """`path` with every link resolved; None when no file can have it or it cannot be resolved."""
    for _ in range(_MAX_TRIES):
        try:
            return os.path.realpath(path)
        except OSError:  # a link that was gone when it was to be followed, or may not be followed
            continue
        except ValueError:  # a NUL byte, or characters no file name can hold
            return None
    return None


def _respelled(path: str) -> str:
    """`path` with each name spelled as on disk."""
    if path.isascii():
        return path
    found = os.sep if os.path.isabs(path) else ""
    for name in path.split(os.sep):
        spellings = (name, normalize("NFD", name), normalize("NFC", name))
        steps = [os.path.join(found, each) for each in spellings]
        found = next(filter(os.path.lexists, steps), steps[0])
    return found


@dataclass(frozen=True)
class Roots:
    """The workspace's folders by real path; roots may be nested.

    Of the `encodings` declared for a file that is no Unicode the last one counts.
    """

    paths: tuple[str, ...]
    encodings: tuple[EncodingRule, ...] = ()

    @staticmethod
    def of(paths: Iterable[str], encodings: tuple[EncodingRule, ...] = ()) -> Roots:
        """Roots at these folders; links are resolved and repeats dropped."""
        return Roots(tuple(dict.fromkeys(os.path.realpath(path) for path in paths)), encodings)

    @cached_property
    def names(self) -> dict[str, str]:
        """Unique name -> root, as used in front of paths when there are several roots."""
        names: dict[str, str] = {}
        for root in self.paths:
            base = os.path.basename(root) or "root"
            name, number = base, 1
            while name in names:
                number += 1
                name = f"{base}-{number}"
            names[name] = root
        return names

    def owner(self, path: str) -> str | None:
        """The deepest root that holds the real path `path`."""
        return max(self._holders(path), key=len, default=None)

    def encoding(self, path: str) -> str:
        """The encoding declared for the real path, as `core.encoding.decode` takes it, or ""."""
        for rule in reversed(self.encodings):
            folder = rule.folder or min(self._holders(path), key=len, default="")
            if folder and is_inside(path, folder):
                inner = path[len(folder) :].strip(os.sep).replace(os.sep, "/")
                if compile_glob(rule.glob)(inner):
                    return declared(rule.codec)
        return ""

    def reading(self, root: str) -> str:
        """A text that changes with the encodings declared below an outermost root, or ""."""
        rules = [
            rule
            for rule in self.encodings
            if not rule.folder or is_inside(rule.folder, root) or is_inside(root, rule.folder)
        ]
        return hashlib.sha256(repr(rules).encode()).hexdigest() if rules else ""

    def relative(self, path: str) -> str:
        """`path` as the model and the user see it; one outside stays as it is."""
        if not os.path.isabs(path):
            return path
        root = self.owner(path)
        if root is None:
            path = real_path(path) or path
            root = self.owner(path)
        if root is None:
            return path
        inner = path[len(root) :].strip(os.sep).replace(os.sep, "/")
        if len(self.paths) == 1:
            return inner or "."
        name = self._name_of[root]
        return f"{name}/{inner}" if inner else name

    def locate(self, path: str) -> str | Missing:
        """The absolute path `path` names, links and `..` unresolved, wherever it lies.

        Where there is nothing of that name, the escapes of `core.shown` are taken back, and
        accented letters may be spelled in the other way (composed, or decomposed as on a Mac).
        """
        located = self._joined(path)
        if path.isascii() and "\\" not in path:
            return located
        if isinstance(located, Missing) or os.path.lexists(located):
            return located
        spelled, other = _respelled(located), self._joined(meant(path))
        if isinstance(other, str) and not os.path.lexists(spelled):
            other = _respelled(other)
            return other if os.path.lexists(other) else spelled
        return spelled

    def _joined(self, path: str) -> str | Missing:
        if os.path.isabs(path):
            return path
        if len(self.paths) == 1:
            return os.path.join(self.paths[0], path)
        name, _, inner = path.removeprefix("./").partition("/")
        root = self.names.get(name)
        if root is None:
            known = ", ".join(self.names) or "none is open"
            return Missing(
                path,
                MissingReason.OUTSIDE,
                f"{path} does not begin with the name of a workspace folder ({known}).",
            )
        return os.path.join(root, inner) if inner else root

    def resolve(self, path: str) -> str | Missing:
        """The real path of `path` if it lies inside a root."""
        located = self.locate(path)
        if isinstance(located, Missing):
            return located
        real = real_path(located)
        if real is None or self.owner(real) is None:
            return self.outside(path)
        return real

    def outside(self, path: str) -> Missing:
        """Make the refusal of a path that leads out of the workspace."""
        return Missing(
            path,
            MissingReason.OUTSIDE,
            f"{path} is outside the workspace; only paths inside its folders can be read.",
        )

    def _holders(self, path: str) -> list[str]:
        return [root for root in self.paths if is_inside(path, root)]

    @cached_property
    def _name_of(self) -> dict[str, str]:
        return {root: name for name, root in self.names.items()}
