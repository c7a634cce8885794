"""Which paths the workspace leaves out, and by which rule.

Strongest first: `workspace.exclude`, then .ignore files, then .gitignore files (each deeper one
before the shallower), then .git/info/exclude. Within one file the last match wins. The rules of a
git repository end at its top, also when the root lies deeper. A path is matched alone: whoever
walks from the top never gets below an excluded directory. Source: gitignore(5), git 2.39.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import re2

from glossator.core.document import Missing, MissingReason
from glossator.core.encoding import encode
from glossator.files.disk import load
from glossator.files.gitpattern import FOLDER_MARK, in_list, translate
from glossator.files.repository import repository_top, shared_git
from glossator.files.roots import Roots, folder_of

if TYPE_CHECKING:
    from glossator.settings.model import WorkspaceSettings

IGNORE_FILES = frozenset({".gitignore", ".ignore"})
GIT_RULE = ".git is always left out"
_SOURCES = IGNORE_FILES | {".git"}  # what a directory must hold to have rules of its own
_MAX_RULE_BYTES = 5_000_000
_MAX_JOINED = 20_000  # characters of expressions in one, well below what RE2 can hold
_NOTHING = r"[^\x00-\xff]"
_MEANING = 1  # raised whenever the same lines leave out something else than before
_MEMORY = 64 << 20  # bytes that RE2 may take, far more than so many characters need

_log = logging.getLogger(__name__)


class _Pattern(NamedTuple):
    """A line, 0-based, as `translate` gives it."""

    line: int
    regex: str
    leaves_out: bool


@dataclass(frozen=True)
class _Patterns:
    """Some patterns in their order, few enough for RE2 to join."""

    patterns: tuple[_Pattern, ...]

    @cached_property
    def _each(self) -> re2.Set:
        return _set_of(pattern.regex for pattern in self.patterns)

    @cached_property
    def _leaving_out(self) -> re2.Set:
        joined = "|".join(in_list(each.regex) for each in self.patterns if each.leaves_out)
        return _set_of((joined or _NOTHING,))

    def last(self, entry: bytes) -> _Pattern | None:
        """The last pattern that matches an entry."""
        matching = self._each.Match(entry)
        return self.patterns[max(matching)] if matching else None

    def may_leave_out(self, listed: bytes) -> bool:
        """Whether one of the entries in a list of them may be left out."""
        return bool(self._leaving_out.Match(listed))


def _set_of(regexes: Iterable[str]) -> re2.Set:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _MEMORY
    together = re2.Set.SearchSet(options)
    for regex in regexes:
        together.Add(regex.encode("latin-1"))
    together.Compile()
    return together


@dataclass(frozen=True)
class RuleFile:
    """The patterns of one file, relative to `folder`; `label` is how the file is shown.

    `checksum` is of its `lines`, in which a character stands for a byte.
    """

    folder: str
    label: str
    checksum: str
    lines: tuple[str, ...] = field(compare=False)

    @cached_property
    def patterns(self) -> tuple[_Patterns, ...]:
        """Those of the last lines first; a start that need not list anything asks for none.

        Until they are there, other threads that ask for those of any file wait.
        """
        parts: list[list[_Pattern]] = []
        room = 0
        for number, line in enumerate(self.lines):
            translated = translate(line)
            if translated is None:
                continue
            pattern = _Pattern(number, *translated)
            length = len(pattern.regex)
            if length > _MAX_JOINED:
                place = f"{self.label}:{number + 1}"
                _log.warning("%s is not followed: the pattern is too long.", place)
                continue
            if length > room:
                parts.append([])
                room = _MAX_JOINED
            parts[-1].append(pattern)
            room -= length
        return tuple(_Patterns(tuple(part)) for part in reversed(parts))

    def suspects(self, folder: str, names: Sequence[str]) -> Iterator[str]:
        """Those of the entries `names` of `folder` that the file may leave out."""
        inner = folder[len(self.folder) :].lstrip(os.sep)
        before = f"\0{inner}/" if inner else "\0"
        parts = [names]
        while parts:
            some = parts.pop()
            listed = os.fsencode(f"{before}{before.join(some)}\0")
            for each in self.patterns:
                if each.may_leave_out(listed):
                    break
            else:
                continue
            if len(some) == 1:
                yield some[0]
            else:
                half = len(some) // 2
                parts += some[:half], some[half:]

    def verdict(self, path: str, *, is_dir: bool) -> tuple[bool, str] | None:
        """Whether `path` is left out and by which rule; None when no pattern matches."""
        inner = path[len(self.folder) :].lstrip(os.sep)
        entry = os.fsencode(inner + FOLDER_MARK if is_dir else inner)
        for part in self.patterns:
            pattern = part.last(entry)
            if pattern is not None:
                line = self.lines[pattern.line].encode("latin-1").decode("utf-8", "replace")
                return pattern.leaves_out, f"{self.label}:{pattern.line + 1} {line.strip()}"
        return None


@dataclass(frozen=True)
class FolderRules:
    """The rule files that count for the entries of one directory, each kind deepest first."""

    exclude: tuple[RuleFile, ...] = ()  # the setting
    ignore: tuple[RuleFile, ...] = ()  # .ignore
    git: tuple[RuleFile, ...] = ()  # .gitignore and .git/info/exclude

    @cached_property
    def fingerprint(self) -> str:
        """The same for rules that leave out the same, in other processes, too."""
        kinds = (self.exclude, self.ignore, self.git)
        files = [[(file.folder, file.label, file.checksum) for file in kind] for kind in kinds]
        return _checksum(repr((_MEANING, files)).encode())

    def suspects(self, folder: str, names: Sequence[str]) -> set[str]:
        """Those of the entries `names` of the directory `folder` that may be left out."""
        found = {".git"}.intersection(names)
        if names:
            for rules in (*self.exclude, *self.ignore, *self.git):
                found.update(rules.suspects(folder, names))
        return found

    def excluding(self, path: str, *, is_dir: bool) -> str | None:
        """The rule that leaves out `path`, an entry of the directory; None keeps it."""
        if path.endswith(os.sep + ".git"):
            return GIT_RULE
        for rules in (*self.exclude, *self.ignore, *self.git):
            verdict = rules.verdict(path, is_dir=is_dir)
            if verdict is not None:
                return verdict[1] if verdict[0] else None
        return None


class IgnoreRules:
    """The rules of every directory, read when first asked for; for use from any thread."""

    def __init__(self, roots: Roots, settings: WorkspaceSettings) -> None:
        self._roots = roots
        self._follow = settings.use_ignore_files
        self._exclude = tuple(map(_as_bytes, settings.exclude))
        self._folders: dict[str, FolderRules | str] = {}
        self._forgetting = threading.Lock()

    def within(self, folder: str) -> FolderRules | str:
        """The rules for entries of `folder`, or the rule that leaves out the folder itself."""
        folders = self._folders
        known = folders.get(folder)
        # what was read before the rules were forgotten goes to the forgotten ones
        return folders.setdefault(folder, self._build(folder)) if known is None else known

    def entered(self, folder: str, names: Iterable[str]) -> FolderRules | str:
        """As `within`, for a directory that is known not to be left out itself.

        Among `names` are all that it holds by which it may have rules of its own.
        """
        folders = self._folders
        known = folders.get(folder)
        if known is not None or folder in self._roots.paths:
            return known or self.within(folder)
        parent = folder_of(folder)
        above = folders.get(parent) or self.within(parent)
        sources = _SOURCES.intersection(names)
        if isinstance(above, str) or not sources:
            return folders.setdefault(folder, above)
        return folders.setdefault(folder, self._deeper(folder, above, self._roots, sources))

    def excluding(self, path: str, *, is_dir: bool) -> str | None:
        """The rule that leaves out `path` or a directory above it; None when it is kept."""
        if path in self._roots.paths:
            return None
        rules = self.within(os.path.dirname(path))
        return rules if isinstance(rules, str) else rules.excluding(path, is_dir=is_dir)

    def forget(self, *folders: str) -> None:
        """Read the rules at and below `folders` again when they are next asked for."""
        below = tuple(os.path.join(folder, "") for folder in folders)
        with self._forgetting:
            self._folders = {
                known: rules
                for known, rules in list(self._folders.items())
                if known not in folders and not known.startswith(below)
            }

    def reread(self, folder: str) -> bool:
        """Whether the rules of `folder` differ from before; they are forgotten if they do.

        Those that are not known are no different: they were forgotten by who looks there again.
        """
        before = self._folders.get(folder)
        changed = before is not None and self._build(folder) != before
        if changed:
            self.forget(folder)
        return changed

    def _build(self, folder: str) -> FolderRules | str:
        if folder in self._roots.paths:
            return self._at_root(folder)
        parent = self.within(os.path.dirname(folder))
        if isinstance(parent, str):
            return parent
        rule = parent.excluding(folder, is_dir=True)
        return self._deeper(folder, parent, self._roots) if rule is None else rule

    def _at_root(self, root: str) -> FolderRules:
        rules = FolderRules(_rule_file(root, "workspace.exclude", self._exclude))
        top = repository_top(root)
        for folder in _folders_between(top, root):
            git = self._deeper(folder, rules, Roots((top,))).git
            rules = FolderRules(rules.exclude, git=git)
        return self._deeper(root, rules, self._roots)

    def _deeper(
        self, folder: str, above: FolderRules, guard: Roots, sources: Collection[str] = _SOURCES
    ) -> FolderRules:
        """With the rules of `folder`, which may hold the `sources` only."""
        if not self._follow:
            return above
        ignore, git = above.ignore, above.git
        own = os.path.join(folder, ".git")
        if ".git" in sources and os.path.lexists(own):
            # a repository's rules begin again
            shared = shared_git(own)
            exclude = os.path.join(shared or own, "info", "exclude")
            git = self._read(folder, exclude, Roots((shared,)) if shared else guard)
        if ".ignore" in sources:
            ignore = self._read(folder, ".ignore", guard) + ignore
        if ".gitignore" in sources:
            git = self._read(folder, ".gitignore", guard) + git
        return FolderRules(above.exclude, ignore, git)

    def _read(self, folder: str, name: str, guard: Roots) -> tuple[RuleFile, ...]:
        path = os.path.join(folder, name)
        if not os.path.lexists(path):
            return ()
        loaded = load(guard, path, _MAX_RULE_BYTES)
        if isinstance(loaded, Missing):
            if loaded.reason not in (MissingReason.ABSENT, MissingReason.DIRECTORY):
                _log.warning("Ignore rules are not followed: %s", loaded.message)
            return ()
        codec = loaded.encoding.removesuffix("-sig")
        lines = encode(loaded.text, codec).decode("latin-1").split("\n")
        label = self._roots.relative(path)
        return _rule_file(folder, label, (line.removesuffix("\r") for line in lines))


def _rule_file(folder: str, label: str, lines: Iterable[str]) -> tuple[RuleFile, ...]:
    """The rules in `lines` (one character a byte), or nothing when there are none."""
    kept = tuple(lines)
    if not any(kept):
        return ()
    return (RuleFile(folder, label, _checksum("\n".join(kept).encode("latin-1")), kept),)


def _checksum(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _as_bytes(path: str) -> str:
    """One character a byte, as git matches; file names that are no UTF-8 survive too."""
    return path if path.isascii() else os.fsencode(path).decode("latin-1")


def _folders_between(top: str, root: str) -> list[str]:
    folders = []
    while root != top:
        root = os.path.dirname(root)
        folders.append(root)
    return folders[::-1]
