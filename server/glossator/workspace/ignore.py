"""Which paths the workspace leaves out, and by which rule.

Strongest first: `workspace.exclude`, then .ignore files, then .gitignore files (each deeper one
before the shallower), then .git/info/exclude. Within one file the last match wins. The rules of a
git repository end at its top, also when the root lies deeper. A path is matched alone: whoever
walks from the top never gets below an excluded directory. Source: gitignore(5), git 2.39.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

from pathspec import PathSpec
from pathspec.pattern import RegexPattern

from glossator.core.document import Missing, MissingReason
from glossator.settings.model import WorkspaceSettings
from glossator.workspace.decode import encode
from glossator.workspace.disk import load
from glossator.workspace.gitpattern import FOLDER_MARK, translate
from glossator.workspace.roots import Roots, is_inside

IGNORE_FILES = frozenset({".gitignore", ".ignore"})
GIT_RULE = ".git is always left out"
_MAX_RULE_BYTES = 5_000_000

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RuleFile:
    """The patterns of one file, relative to `folder`; `label` is how the file is shown."""

    folder: str
    label: str
    lines: tuple[str, ...]
    spec: PathSpec[RegexPattern]

    def verdict(self, path: str, *, is_dir: bool) -> tuple[bool, str] | None:
        """Whether `path` is left out and by which rule; None when no pattern matches."""
        inner = path[len(self.folder) :].lstrip(os.sep)
        result = self.spec.check_file(_as_bytes(inner) + (FOLDER_MARK if is_dir else ""))
        if result.include is None or result.index is None:
            return None
        return result.include, f"{self.label}:{result.index + 1} {self.lines[result.index]}"


@dataclass(frozen=True, slots=True)
class FolderRules:
    """The rule files that count for the entries of one directory, each kind deepest first."""

    exclude: tuple[RuleFile, ...] = ()  # the setting
    ignore: tuple[RuleFile, ...] = ()  # .ignore
    git: tuple[RuleFile, ...] = ()  # .gitignore and .git/info/exclude

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
    """The rules of every directory, read when first asked for."""

    def __init__(self, roots: Roots, settings: WorkspaceSettings) -> None:
        self._roots = roots
        self._follow = settings.use_ignore_files
        self._exclude = tuple(map(_as_bytes, settings.exclude))
        self._folders: dict[str, FolderRules | str] = {}

    def within(self, folder: str) -> FolderRules | str:
        """The rules for entries of `folder`, or the rule that leaves out the folder itself."""
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = self._build(folder)
        return known

    def excluding(self, path: str, *, is_dir: bool) -> str | None:
        """The rule that leaves out `path` or a directory above it; None when it is kept."""
        if path in self._roots.paths:
            return None
        rules = self.within(os.path.dirname(path))
        return rules if isinstance(rules, str) else rules.excluding(path, is_dir=is_dir)

    def forget(self, folder: str) -> None:
        """Read the rules at and below `folder` again when they are next asked for."""
        for known in [item for item in list(self._folders) if is_inside(item, folder)]:
            self._folders.pop(known, None)

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
        top = _repository_top(root)
        for folder in _folders_between(top, root):
            git = self._deeper(folder, rules, Roots((top,))).git
            rules = FolderRules(rules.exclude, git=git)
        return self._deeper(root, rules, self._roots)

    def _deeper(self, folder: str, above: FolderRules, guard: Roots) -> FolderRules:
        if not self._follow:
            return above
        git = above.git
        if os.path.lexists(os.path.join(folder, ".git")):  # a repository's rules begin anew
            git = self._read(folder, os.path.join(".git", "info", "exclude"), guard)
        return FolderRules(
            above.exclude,
            self._read(folder, ".ignore", guard) + above.ignore,
            self._read(folder, ".gitignore", guard) + git,
        )

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
    """The rules in `lines` (one character a byte), or nothing when none of them is a pattern."""
    kept = tuple(lines)
    patterns = [_pattern(line) for line in kept]
    if all(pattern.include is None for pattern in patterns):
        return ()
    shown = tuple(line.encode("latin-1").decode("utf-8", "replace").strip() for line in kept)
    return (RuleFile(folder, label, shown, PathSpec(patterns, backend="best")),)


def _pattern(line: str) -> RegexPattern:
    regex, leaves_out = translate(line) or (None, None)
    return RegexPattern(regex and re.compile(regex), leaves_out)


def _as_bytes(path: str) -> str:
    """One character a byte, as git matches; file names that are no UTF-8 survive too."""
    return path if path.isascii() else os.fsencode(path).decode("latin-1")


def _repository_top(folder: str) -> str:
    """The nearest folder at or above `folder` that holds .git; `folder` itself if there is none."""
    top = folder
    while not os.path.lexists(os.path.join(top, ".git")):
        above = os.path.dirname(top)
        if above == top:
            return folder
        top = above
    return top


def _folders_between(top: str, root: str) -> list[str]:
    folders = []
    while root != top:
        root = os.path.dirname(root)
        folders.append(root)
    return folders[::-1]
