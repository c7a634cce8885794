"""Instruction files: what the user and the project wish of whoever works here.

`AGENTS.md` and `CLAUDE.md` of the user and of each root go into the system prompt, those of folders
further down follow when something below them is first shown. A line may import another file as
`@path`. Sources: agents.md; Claude Code, "How Claude remembers your project".
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from glossator.context.mentions import find_mentions
from glossator.core.document import Missing, MissingReason, text_hash
from glossator.core.shown import in_tags, shown, shown_prose
from glossator.documents import WorkspaceSnapshot
from glossator.files import is_inside, same_file
from glossator.prompts import load_prompt

NAMES = ("AGENTS.md", "CLAUDE.md", os.path.join(".claude", "CLAUDE.md"), "CLAUDE.local.md")

_DEPTH = 5  # of imports
_FILES = 60  # with all imports
_FILE_CHARACTERS = 24_000
_READ_BYTES = 1_000_000
_CHARACTERS = 60_000  # of all files, some 15,000 tokens

Whose = Literal["user", "project"]
Hides = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class InstructionFile:
    """A file that is obeyed; `name` is its path for people, `cut` characters were left out.

    One that is gone has no `sha256`.
    """

    path: str
    name: str
    whose: Whose
    text: str
    sha256: str
    importer: str = ""
    cut: int = 0

    @property
    def origin(self) -> str:
        """Whose it is, or which file imports it, in words."""
        return f"imported by {self.importer}" if self.importer else f"of the {self.whose}"

    def rendered(self) -> str:
        """The file for the model."""
        if not self.sha256:
            return f"{shown(self.name)}, {self.origin}:\n[It is gone, and does not count any more.]"
        end = f"\n[{self.cut:,} more characters were cut; read the file for them]" * bool(self.cut)
        return f"{shown(self.name)}, {self.origin}:\n{in_tags(shown_prose(self.text))}{end}"


@dataclass(frozen=True, slots=True)
class Instructions:
    """Files in the order in which they count, the last most; what was not taken, and why.

    The user turned off the files of `off`.
    """

    files: tuple[InstructionFile, ...] = ()
    problems: tuple[str, ...] = ()
    off: tuple[InstructionFile, ...] = ()

    @property
    def not_seen(self) -> tuple[str, ...]:
        """What was not taken, in words for the user."""
        cut = (
            f"{shown(each.name)} is cut by {each.cut:,} characters"
            for each in self.files
            if each.cut
        )
        return tuple(dict.fromkeys((*self.problems, *cut)))

    def rendered(self) -> str:
        """All files for the model; "" without any."""
        return "\n\n".join(file.rendered() for file in self.files)


@dataclass
class InstructionFinder:
    """Finds the files of one moment; blocking.

    `home` and `config` are folders of the user. Files of a workspace must lie in it, and may not be
    hidden by permission rules; imports of the user's own files must lie in `home` or `config`.
    `off` are paths of files that the user turned off; what they import is left out, too.
    """

    snapshot: WorkspaceSnapshot
    home: str | None
    config: str | None
    hidden: Hides | None = None
    off: frozenset[str] = frozenset()
    _seen: set[str] = field(default_factory=set)  # real paths
    _texts: set[str] = field(default_factory=set)
    _found: list[InstructionFile] = field(default_factory=list)
    _off: list[InstructionFile] = field(default_factory=list)
    _problems: list[str] = field(default_factory=list)

    def find(self, *, trusted: bool, touched: Iterable[str] = ()) -> Instructions:
        """The user's files and, of a trusted workspace, those of its roots.

        After these come those of the folders above `touched` paths, absolute ones.
        """
        for folder in filter(None, (self.config, self.home and os.path.join(self.home, ".claude"))):
            for name in ("AGENTS.md", "CLAUDE.md"):
                self._take_own(os.path.join(folder, name))
        if trusted:
            folders = dict.fromkeys((*self.snapshot.roots, *self._above(touched)))
            for folder in folders:
                for name in NAMES:
                    self._take_of_workspace(os.path.join(folder, name))
        return Instructions(tuple(_fitting(self._found)), tuple(self._problems), tuple(self._off))

    def listed(self) -> tuple[str, ...]:
        """The files of such names in every folder of the workspace."""
        listing = self.snapshot.listing
        paths = (os.path.join(folder, name) for folder in listing.folders for name in NAMES)
        return tuple(path for path in paths if listing.get(path) is not None)

    def is_there(self, path: str) -> bool:
        """Whether a file is on disk, or open in the editor."""
        return path in self.snapshot.overlays or os.path.lexists(path)

    def gone(self, path: str) -> InstructionFile:
        """What stands for a file that is not there any more."""
        if any(is_inside(path, root) for root in self.snapshot.roots):
            return InstructionFile(path, self.snapshot.relative(path), "project", "", "")
        return InstructionFile(path, self._for_people(path), "user", "", "")

    def left_out(self) -> tuple[str, ...]:
        """The files of the roots, for a notice where they are not obeyed."""
        paths = (os.path.join(root, name) for root in self.snapshot.roots for name in NAMES)
        return tuple(filter(os.path.isfile, paths))

    def _above(self, touched: Iterable[str]) -> Iterator[str]:
        """The folders between the roots and what was touched, the outermost first."""
        roots = self.snapshot.roots
        for folder in sorted(set(map(os.path.dirname, touched))):
            root = next((root for root in roots if is_inside(folder, root)), None)
            if root not in (None, folder):
                way = [root]
                for name in os.path.relpath(folder, root).split(os.sep):
                    way.append(os.path.join(way[-1], name))
                yield from way[1:]

    def _take_own(self, path: str, importer: str = "", depth: int = 0) -> None:
        try:
            with Path(path).open("rb") as file:
                text = file.read(_READ_BYTES).decode("utf-8", "replace")
        except (FileNotFoundError, NotADirectoryError):
            return
        except (OSError, ValueError) as error:
            self._problems.append(f"{shown(path)} cannot be read ({error})")
            return
        if not self._is_new(path, text):
            return
        name = self._for_people(path)
        if not self._add(InstructionFile(path, name, "user", text, text_hash(text), importer)):
            return
        for target in self._imports(path, text, depth):
            allowed = (folder for folder in (self.home, self.config) if folder)
            if any(_holds(folder, target) for folder in allowed):
                self._take_own(target, name, depth + 1)
            else:
                self._refuse(target, name, "lies outside your home folder")

    def _take_of_workspace(self, path: str, importer: str = "", depth: int = 0) -> None:
        if not self.is_there(path):  # most are not, and reading asks the disk more than once
            return
        document = self.snapshot.read(path)
        name = self.snapshot.relative(path)
        if isinstance(document, Missing):
            if document.reason is not MissingReason.ABSENT:
                self._problems.append(document.message.rstrip("."))
            return
        if self.hidden is not None and (self.hidden(path) or self.hidden(document.path)):
            self._problems.append(f"{shown(name)} is hidden by permission rules")
            return
        if not self._is_new(path, document.text):
            return
        file = InstructionFile(path, name, "project", document.text, document.sha256, importer)
        if not self._add(file):
            return
        for target in self._imports(path, document.text, depth):
            if any(_holds(root, target) for root in self.snapshot.roots):
                self._take_of_workspace(target, name, depth + 1)
            else:
                self._refuse(target, name, "lies outside the workspace")

    def _add(self, file: InstructionFile) -> bool:
        """Whether it counts, and so does what it imports."""
        is_on = not same_file(file.path, self.off)
        (self._found if is_on else self._off).append(file)
        return is_on

    def _is_new(self, path: str, text: str) -> bool:
        """Whether a file is not there yet, under another name or with the same text."""
        real, key = os.path.realpath(path), text.strip()
        if real in self._seen or not key or key in self._texts:
            return False
        if len(self._found) >= _FILES:
            self._problems.append(f"{shown(path)} is one of more than {_FILES} files")
            return False
        self._seen.add(real)
        self._texts.add(key)
        return True

    def _imports(self, path: str, text: str, depth: int) -> Iterator[str]:
        """The files that a text imports: what is written with an `@` and is there.

        What is cut off imports nothing: 10 MB of names took longer than anybody waits.
        """
        for mention in find_mentions(_kept(text, _FILE_CHARACTERS)):
            target = mention.text
            if target.startswith("~/") and self.home:
                target = os.path.join(self.home, target[2:])
            target = os.path.normpath(os.path.join(os.path.dirname(path), target))
            if not os.path.isfile(target):
                continue
            if depth >= _DEPTH:
                self._refuse(target, shown(path), f"is imported more than {_DEPTH} files deep")
                continue
            yield target

    def _refuse(self, target: str, importer: str, why: str) -> None:
        self._problems.append(f"{shown(target)}, imported by {shown(importer)}, {why}")

    def _for_people(self, path: str) -> str:
        if self.home and is_inside(path, self.home):
            return f"~/{os.path.relpath(path, self.home)}"
        return path


def instruction_reminders(files: Iterable[InstructionFile]) -> tuple[str, ...]:
    """What the model is told of files that came into play later: a text for each of them."""
    prompt = load_prompt("user/instructions")
    return tuple(prompt.render(file=file.rendered()) for file in files)


def _fitting(files: Iterable[InstructionFile]) -> Iterator[InstructionFile]:
    """The files, cut to what fits."""
    left = _CHARACTERS
    for file in files:
        most = min(left, _FILE_CHARACTERS)
        kept = _kept(file.text, most)
        left -= len(kept)
        yield replace(file, text=kept, cut=len(file.text.strip()) - len(kept))


def _kept(text: str, most: int) -> str:
    return text.strip()[:most]


def _holds(folder: str, path: str) -> bool:
    return is_inside(os.path.realpath(path), os.path.realpath(folder))
