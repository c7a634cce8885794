"""Instruction files: what the user and the project wish of whoever works here.

`AGENTS.md` and `CLAUDE.md` of the user, of each root, and of the folders above it up to the top of
its repository go into the system prompt, those of folders further down follow when something below
them is first shown. A line may import another file as `@path`. Sources: agents.md; Claude Code,
"How Claude remembers your project".
"""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal

import platformdirs

from glossator.application import Application, WorkspaceNow
from glossator.core.context_kinds import ContextKind
from glossator.core.document import Missing, MissingReason, text_hash
from glossator.core.looks import look
from glossator.core.prompts import load_prompt
from glossator.core.shown import in_tags, shown, shown_prose
from glossator.core.uri import home_of
from glossator.sessions import INSTRUCTIONS, Run, Session
from glossator.turn.told.mentions import find_mentions
from glossator.turn.told.part import Telling
from glossator.workspace import Roots, WorkspaceSnapshot, is_inside, load, repository_top, same_file

NAMES = ("AGENTS.md", "CLAUDE.md", os.path.join(".claude", "CLAUDE.md"), "CLAUDE.local.md")

_MAX_IMPORT_DEPTH = 5  # of imports
_FILES = 60  # with all imports
_FILE_CHARACTERS = 24_000
_READ_BYTES = 1_000_000
_CHARACTERS = 60_000  # of all files, some 15,000 tokens
# how what looks like an import ends, and is neither a person nor a package
_IMPORTED = frozenset(".adoc .json .markdown .md .mdc .mdx .rst .toml .txt .yaml .yml".split())

Whose = Literal["user", "project"]
Hides = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class InstructionFile:
    """An instruction file; `name` is its path for people, `cut` characters were left out.

    A file that is gone has no `sha256`.
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
        """Who it belongs to, or which file imports it, in words."""
        return f"imported by {self.importer}" if self.importer else f"of the {self.whose}"

    def rendered(self) -> str:
        """The file as the model reads it."""
        if not self.sha256:
            return f"{shown(self.name)}, {self.origin}:\n[It is gone, and no longer applies.]"
        end = f"\n[{self.cut:,} more characters were cut; read the file for them]" * bool(self.cut)
        return f"{shown(self.name)}, {self.origin}:\n{in_tags(shown_prose(self.text))}{end}"


@dataclass(frozen=True, slots=True)
class Instructions:
    """The files in the order in which they count, the last one most, and why others were not taken.

    `off` are those that the user turned off.
    """

    files: tuple[InstructionFile, ...] = ()
    problems: tuple[str, ...] = ()
    off: tuple[InstructionFile, ...] = ()

    @property
    def not_seen(self) -> tuple[str, ...]:
        """What the model does not see of the files, in words for the user."""
        cut = (
            f"{shown(each.name)} is cut by {each.cut:,} characters"
            for each in self.files
            if each.cut
        )
        return tuple(dict.fromkeys((*self.problems, *cut)))

    def rendered(self) -> str:
        """All files as the model reads them; "" without any."""
        return "\n\n".join(file.rendered() for file in self.files)


@dataclass
class InstructionFinder:
    """Finds the instruction files as they are now; blocking.

    `home` and `config` are folders of the user. Files of a workspace must lie in it, those above it
    in its repository, and none may be hidden by permission rules; imports of the user's own files
    must lie in `home` or `config`. `off` are paths of files that the user turned off; what they
    import is left out, too.
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
        """The user's files and, in a trusted workspace, those of its roots and of folders above.

        They are followed by those in the folders between the roots and the absolute paths
        `touched`.
        """
        for folder in filter(None, (self.config, self.home and os.path.join(self.home, ".claude"))):
            for name in ("AGENTS.md", "CLAUDE.md"):
                self._take_own(os.path.join(folder, name))
        if trusted:
            roots = self.snapshot.roots
            for folder, top in self._above():
                for name in NAMES:
                    self._take_of_project(os.path.join(folder, name), (top,))
            for folder in dict.fromkeys((*roots, *self._between(touched))):
                for name in NAMES:
                    self._take_of_project(os.path.join(folder, name), roots)
        return Instructions(tuple(_fitting(self._found)), tuple(self._problems), tuple(self._off))

    def listed(self) -> tuple[str, ...]:
        """All instruction files in the folders of the workspace."""
        listing = self.snapshot.listing
        paths = (os.path.join(folder, name) for folder in listing.folders for name in NAMES)
        return tuple(path for path in paths if listing.get(path) is not None)

    def is_there(self, path: str) -> bool:
        """Whether a file is on disk, or open in the editor."""
        return path in self.snapshot.overlays or os.path.lexists(path)

    def gone(self, path: str) -> InstructionFile:
        """Stands for a file that is gone."""
        places = (*self.snapshot.roots, *(top for _, top in self._above()))
        whose: Whose = "project" if any(is_inside(path, each) for each in places) else "user"
        return InstructionFile(path, self._for_people(path), whose, "", "")

    def left_out(self) -> tuple[str, ...]:
        """The files of the roots and above, for a notice where they are not obeyed."""
        folders = (*(folder for folder, _ in self._above()), *self.snapshot.roots)
        paths = (os.path.join(folder, name) for folder in folders for name in NAMES)
        return tuple(filter(os.path.isfile, paths))

    def _above(self) -> tuple[tuple[str, str], ...]:
        """The folders above the roots in their repositories, outermost first, each with the top.

        None counts if others may write to one: they could have made the repository.
        """
        found: dict[str, str] = {}
        for root in self.snapshot.roots:
            top = repository_top(root)
            way = [str(each) for each in Path(root).parents if is_inside(str(each), top)]
            if root != top and all(map(_is_ours, way)):
                found |= dict.fromkeys(reversed(way), top)
        return tuple((each, top) for each, top in found.items() if each not in self.snapshot.roots)

    def _between(self, touched: Iterable[str]) -> Iterator[str]:
        """The folders between the roots and the touched paths, the outermost first."""
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
                self._refuse(target, path, "lies outside your home folder")

    def _take_of_project(
        self, path: str, places: tuple[str, ...], importer: str = "", depth: int = 0
    ) -> None:
        """Take a project's file, and what it imports, if they lie in these folders."""
        if not self.is_there(path):  # most are not, and reading asks the disk more than once
            return
        is_inner = any(is_inside(path, root) for root in self.snapshot.roots)
        document = (
            self.snapshot.read(path) if is_inner else load(Roots.of(places), path, _READ_BYTES)
        )
        name = self._for_people(path)
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
            if any(_holds(place, target) for place in places):
                self._take_of_project(target, places, name, depth + 1)
            else:
                edge = "workspace" if places == self.snapshot.roots else "repository"
                self._refuse(target, path, f"lies outside the {edge}")

    def _add(self, file: InstructionFile) -> bool:
        """Add a file and its imports; whether it counts."""
        is_on = not same_file(file.path, self.off)
        (self._found if is_on else self._off).append(file)
        return is_on

    def _is_new(self, path: str, text: str) -> bool:
        """Whether the file was not taken before, under another name or with the same text."""
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
        """The files that a text imports: those named with an `@` that exist.

        A part that is cut off imports nothing: 10 MB of names took longer than anybody waits.
        """
        for mention in find_mentions(_kept(text, _FILE_CHARACTERS)):
            target = mention.text
            if target.startswith("~/") and self.home:
                target = os.path.join(self.home, target[2:])
            target = os.path.normpath(os.path.join(os.path.dirname(path), target))
            if not os.path.isfile(target):
                if _means_file(mention.text):
                    there = os.path.exists(target)
                    self._refuse(target, path, "is no file" if there else "is not there")
                continue
            if depth >= _MAX_IMPORT_DEPTH:
                self._refuse(target, path, f"is imported more than {_MAX_IMPORT_DEPTH} files deep")
                continue
            yield target

    def _refuse(self, target: str, importer: str, why: str) -> None:
        target, importer = self._for_people(target), self._for_people(importer)
        self._problems.append(f"{shown(target)}, imported by {shown(importer)}, {why}")

    def _for_people(self, path: str) -> str:
        if any(is_inside(path, root) for root in self.snapshot.roots):
            return self.snapshot.relative(path)
        if self.home and is_inside(path, self.home):
            return f"~/{os.path.relpath(path, self.home)}"
        return path


def instruction_reminders(files: Iterable[InstructionFile]) -> tuple[str, ...]:
    """The messages about files that came into play later, one for each."""
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


def _means_file(mention: str) -> bool:
    """Whether a word with an `@` must be a path, unlike `@types/node` or `@/alias`."""
    ending = os.path.splitext(mention)[1].lower()
    return mention.startswith(("./", "../", "~/")) or ending in _IMPORTED


def _is_ours(folder: str) -> bool:
    """Whether a folder is the user's and nobody else can write to it."""
    if sys.platform == "win32":
        return True
    status = os.stat(folder)
    return status.st_uid == os.geteuid() and not status.st_mode & stat.S_IWOTH


def _holds(folder: str, path: str) -> bool:
    return is_inside(os.path.realpath(path), os.path.realpath(folder))


def _kept(text: str, most: int) -> str:
    return text.strip()[:most]


IN_PROMPT = "promptInstructions"  # as INSTRUCTIONS, of those in the system prompt
_NOT_SEEN = "instructionsNotSeen"  # what the user was told that the model does not see of them


async def instructions_now(
    app: Application, now: WorkspaceNow, touched: Iterable[str] = ()
) -> Instructions:
    """The files that count when a session begins: the user's, and those of a trusted workspace.

    `touched` are paths below whose folders such files count, too.
    """
    find = _finder(app, now).find
    return await look(find, trusted=now.trusted, touched=tuple(touched))


async def further_instructions(app: Application) -> Instructions:
    """Also those in folders further down, which count once something below them is shown."""
    await app.ready()
    now = app.now()
    return await instructions_now(app, now, await asyncio.to_thread(_finder(app, now).listed))


async def left_out_files(app: Application, now: WorkspaceNow) -> tuple[str, ...]:
    """Instruction files that do not count because the workspace is not trusted."""
    return () if now.trusted else await look(_finder(app, now).left_out)


def versions(files: Iterable[InstructionFile]) -> list[list[str]]:
    """The files and their hashes, for `IN_PROMPT` and `INSTRUCTIONS`."""
    return [[file.path, file.sha256] for file in files]


def _know(session: Session, files: Iterable[InstructionFile]) -> None:
    """Note that a message told the model of these files."""
    if told := versions(files):
        session.keep(INSTRUCTIONS, told)


def not_seen_notice(session: Session, found: Instructions) -> str:
    """A notice of what the model does not see of the files and the user was not told yet; or ""."""
    told = {each for entry in session.kept(_NOT_SEEN) for each in entry}
    new = [each for each in found.not_seen if each not in told]
    if not new:
        return ""
    session.keep(_NOT_SEEN, new)
    return f"Of the instruction files the model does not see all: {'; '.join(new)}."


async def new_instructions(
    app: Application, now: WorkspaceNow, session: Session, run: Run, attached: Iterable[str] = ()
) -> Telling:
    """What the model must be told: files that count now, changed, or are gone.

    Files of a folder count once something below it was shown, or is `attached` (paths). The user is
    told which of them the model does not see whole.
    """
    shown = session.reads.paths().union(attached)
    finder = _finder(app, now)
    deciding = _what_decides(now, finder, frozenset(map(os.path.dirname, shown)))
    kept = (*session.kept(IN_PROMPT)[-1:], *session.kept(INSTRUCTIONS))
    told = {path: sha256 for files in kept for path, sha256 in files}

    def work() -> tuple[Instructions, tuple[InstructionFile, ...]]:
        found = finder.find(trusted=now.trusted, touched=shown)
        return found, _fresh(finder, found, told)

    found, fresh = await look(work)
    session.instructions_looked_at = deciding  # not before: a look that failed is made again
    if notice := not_seen_notice(session, found):
        run.tell(notice)
    return Telling(instruction_reminders(fresh), partial(_know, session, fresh))


async def further_news(app: Application, session: Session, run: Run) -> Telling:
    """Like `new_instructions`, but before the next request of a run.

    Nothing is searched while the workspace and the searched folders stay the same: then the same
    files count. Changes to the user's own files, to those above the workspace and to those in
    ignored folders are found with the next question.
    """
    now = app.now()
    deciding = _what_decides(now, _finder(app, now), session.reads.folders())
    if deciding == session.instructions_looked_at:
        return Telling()
    return await new_instructions(app, now, session, run)


def _what_decides(
    now: WorkspaceNow, finder: InstructionFinder, folders: frozenset[str]
) -> tuple[object, ...]:
    """The state that decides which files of the workspace count; `folders` hold what was shown."""
    return now.snapshot.revision, now.trusted, finder.off, folders


def _fresh(
    finder: InstructionFinder, found: Instructions, told: Mapping[str, str]
) -> tuple[InstructionFile, ...]:
    """The files whose current text the model was not told."""
    here = {file.path for file in found.files}
    gone = (path for path, sha256 in told.items() if sha256 and path not in here)
    return (
        *(file for file in found.files if told.get(file.path) != file.sha256),
        *(finder.gone(path) for path in gone if not finder.is_there(path)),
    )


def _finder(app: Application, now: WorkspaceNow) -> InstructionFinder:
    config = platformdirs.user_config_dir("glossator")
    home, off = home_of(app.environment), now.is_off(ContextKind.INSTRUCTIONS)
    return InstructionFinder(now.snapshot, home, config, now.hidden, off)
