"""Which paths the workspace leaves out, and by which rule.

Strongest first: `workspace.exclude`, then .ignore files, then .gitignore files (each deeper one
before the shallower), then .git/info/exclude. Within one file the last match wins. The rules of a
git repository end at its top, also when the root lies deeper. A path is matched alone: a walk
from the top never enters an excluded directory. Source: gitignore(5), git 2.39.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from pathspec import PathSpec, RegexPattern

from glossator.core.document import Missing, MissingReason
from glossator.core.encoding import encode
from glossator.workspace.files.disk import load
from glossator.workspace.files.git_format import (
    BETWEEN,
    MAX_EXPRESSION,
    GitPattern,
    any_of,
    git_pattern,
    one_per_byte,
    repository_top,
    shared_git,
)
from glossator.workspace.files.roots import Roots, folder_of

if TYPE_CHECKING:
    from glossator.settings import WorkspaceSettings

IGNORE_FILES = frozenset({".gitignore", ".ignore"})
GIT_RULE = ".git is always left out"
_SOURCES = IGNORE_FILES | {".git"}  # what a directory must hold to have rules of its own
_MAX_RULE_BYTES = 5_000_000
_NO_PATTERN = GitPattern("")
_MEANING = 1  # raised whenever the same lines leave out something else than before

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Section:
    """Successive lines of a file, few enough for RE2, from line `first` (0-based)."""

    first: int
    patterns: list[GitPattern]

    @cached_property
    def any(self) -> PathSpec[RegexPattern]:
        """Matches what some line matches; it compiles and matches sooner than `each`."""
        return PathSpec([any_of(self.patterns)], backend="re2")

    @cached_property
    def each(self) -> PathSpec[GitPattern]:
        return PathSpec(self.patterns, backend="re2")


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
    def sections(self) -> list[_Section]:
        """The last lines first. A start that lists no folder needs none."""
        sections: list[_Section] = []
        room = 0
        for number, line in enumerate(self.lines):
            pattern = git_pattern(line)
            if len(pattern.expression) > MAX_EXPRESSION:
                place = f"{self.label}:{number + 1}"
                _log.warning("%s is not followed: the pattern is too long.", place)
                pattern = _NO_PATTERN
            if not sections or pattern.cost > room:
                sections.append(_Section(number, []))
                room = MAX_EXPRESSION
            sections[-1].patterns.append(pattern)
            room -= pattern.cost
        return sections[::-1]

    def verdicts(self, folder: str, names: Sequence[str]) -> dict[str, str | None]:
        """The rule that leaves out each of the entries `names` of `folder`; None if it keeps.

        Entries that no line matches are missing. Most entries are, so a section first matches the
        list of all names, and halves it as long as something in it matches.
        """
        inner = folder[len(self.folder) :].lstrip(os.sep)
        before = f"{inner}/" if inner else ""
        between = BETWEEN + before
        verdicts: dict[str, str | None] = {}
        for section in self.sections:
            matches = section.any.match_file
            lists = [names]
            while lists:
                some = lists.pop()
                listed = one_per_byte(before + between.join(some))
                if not matches(listed):
                    continue
                if len(some) > 1:
                    half = len(some) // 2
                    lists += some[:half], some[half:]
                elif some[0] not in verdicts:
                    last = section.each.check_file(listed)
                    rule = self._shown(section.first + (last.index or 0))
                    verdicts[some[0]] = rule if last.include else None
        return verdicts

    def _shown(self, number: int) -> str:
        line = self.lines[number].encode("latin-1").decode("utf-8", "replace")
        return f"{self.label}:{number + 1} {line.strip()}"


@dataclass(frozen=True)
class FolderRules:
    """The rule files that count for the entries of one directory, each kind deepest first."""

    exclude: tuple[RuleFile, ...] = ()  # the setting
    ignore: tuple[RuleFile, ...] = ()  # .ignore
    git: tuple[RuleFile, ...] = ()  # .gitignore and .git/info/exclude

    @cached_property
    def fingerprint(self) -> str:
        """A fingerprint; rules that leave out the same share it, also in other processes."""
        kinds = (self.exclude, self.ignore, self.git)
        files = [[(file.folder, file.label, file.checksum) for file in kind] for kind in kinds]
        return _checksum(repr((_MEANING, files)).encode())

    def left_out(self, folder: str, names: Sequence[str]) -> dict[str, str]:
        """The entries of the directory `folder` that are left out, and the rule for each.

        In `names` those of directories end in "/"; in the answer they do not.
        """
        verdicts: dict[str, str | None] = {
            name: GIT_RULE for name in (".git", ".git/") if name in names
        }
        for rules in (*self.exclude, *self.ignore, *self.git):
            if verdicts:
                names = [name for name in names if name not in verdicts]
            if names:
                verdicts |= rules.verdicts(folder, names)
        return {name.removesuffix("/"): rule for name, rule in verdicts.items() if rule}

    def excluding(self, path: str, *, is_dir: bool) -> str | None:
        """The rule that leaves out `path`, an entry of the directory; None keeps it."""
        folder, name = os.path.split(path)
        return self.left_out(folder, [f"{name}/" if is_dir else name]).get(name)


class IgnoreRules:
    """The rules of every directory, read when first asked for; for use from any thread."""

    def __init__(self, roots: Roots, settings: WorkspaceSettings) -> None:
        self._roots = roots
        self._follow = settings.use_ignore_files
        self._exclude = tuple(map(one_per_byte, settings.exclude))
        self._folders: dict[str, FolderRules | str] = {}
        self._forgetting = threading.Lock()

    def within(self, folder: str) -> FolderRules | str:
        """The rules for entries of `folder`, or the rule that leaves out the folder itself."""
        folders = self._folders
        known = folders.get(folder)
        # what was read before the rules were forgotten goes to the forgotten ones
        return folders.setdefault(folder, self._build(folder)) if known is None else known

    def entered(self, folder: str, names: Iterable[str]) -> FolderRules | str:
        """Like `within`, for a directory that is known not to be left out itself.

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

        Rules that are not known do not differ: the next to ask reads them.
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
        """The rules with those of `folder`, which may hold only the `sources`."""
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


def _folders_between(top: str, root: str) -> list[str]:
    folders = []
    while root != top:
        root = os.path.dirname(root)
        folders.append(root)
    return folders[::-1]
