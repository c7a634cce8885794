"""An overview of a workspace without a model: its folders, entry points and imports."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from glossator.application import Application
from glossator.commands.extract import Quoting, beginning, counted
from glossator.core.document import Document
from glossator.core.file_kinds import CODE, is_test, language_of
from glossator.core.report import Report
from glossator.symbols import SourceLine, module_of, named_modules
from glossator.workspace import WorkspaceSnapshot

_TOP_FOLDER = "."  # the part of files that lie in no folder
_SHOWN_PARTS = 24
_SHOWN_ENTRIES = 12
_SHOWN_ARROWS = 24
_READ_FILES = 1_500  # whose imports are looked at
_READ_SECONDS = 8.0  # for that
_COMPARED_NAMES = 4  # parts of a module's path that are compared
_MANIFESTS = {"pyproject.toml", "package.json", "Cargo.toml", "go.mod", "Makefile"}
_WAYS_IN = re.compile(
    r"""^(?:if\ __name__\ ==\ .__main__.|func\ main\(|(?:pub\ )?(?:async\ )?fn\ main\(|int\ main\()
    |^\s*public\ static\ void\ main\(""",
    re.VERBOSE,
)

Arrows = dict[tuple[str, str], list[SourceLine]]


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    part: str


async def extract_overview(app: Application, task: str) -> Report:
    """The report on the workspace. Raises `WorkerGone` and `JobFailed`."""
    snapshot = app.host.snapshot()
    quoting = Quoting(snapshot)
    files = await asyncio.to_thread(_code, app, snapshot)
    blocks = await asyncio.to_thread(_introduced, app, quoting, snapshot.roots)
    sizes = Counter(file.part for file in files)
    blocks += _parts_told(sizes)
    blocks += await asyncio.to_thread(lambda: list(_ways_in(quoting, files)))
    importing = [file for file in files if not is_test(snapshot.relative(file.path))]
    arrows, looked = await _arrows(app, snapshot, files, importing)
    searched = f"imports of {looked:,} of {counted(len(importing), 'file')} of code beside tests"
    blocks += _flow(arrows, quoting)
    if looked < len(importing):
        blocks.append(f"Only {searched} were looked at.")
    text = "\n\n".join(blocks)
    return await asyncio.to_thread(quoting.report, task, text, (searched,))


def _parts_told(sizes: Counter[str]) -> Iterator[str]:
    for part, count in sizes.most_common(_SHOWN_PARTS):
        name = "At the top" if part == _TOP_FOLDER else f"Part `{part}`"
        yield f"- {name}: {counted(count, 'file')} of code."
    if (more := len(sizes) - _SHOWN_PARTS) > 0:
        yield f"- {counted(more, 'more part')}, none of them larger."


def _code(app: Application, snapshot: WorkspaceSnapshot) -> list[_File]:
    """The files of code with the part each belongs to; blocking."""
    hides = app.acting.hidden()
    paths = {
        entry.path: entry.relative
        for entry in snapshot.files()
        if language_of(entry.path) in CODE and not (hides and hides(entry.path))
    }
    folders = Counter(relative.rpartition("/")[0] for relative in paths.values())
    parts = _parts(folders)
    return [_File(path, _part_of(relative, parts)) for path, relative in paths.items()]


def _parts(folders: Mapping[str, int]) -> frozenset[str]:
    """The folders that a diagram names: the largest is taken apart until there are enough."""

    def below(folder: str) -> Counter[str]:
        inner: Counter[str] = Counter()
        head = f"{folder}/" if folder else ""
        for each, count in folders.items():
            if each.startswith(head) and each != folder:
                inner[head + each[len(head) :].partition("/")[0]] += count
        return inner

    sizes, rest = below(""), {}
    while True:
        whole = sum(sizes.values())
        inner = {name: below(name) for name, count in sizes.most_common() if count * 4 >= whole}
        fitting = (
            name for name, parts in inner.items() if 0 < len(parts) <= _SHOWN_PARTS - len(sizes)
        )
        name = next(fitting, None)
        if name is None:
            break
        del sizes[name]
        sizes += inner[name]
        if own := folders.get(name, 0):
            rest[name] = own
    return frozenset((*sizes, *rest))


def _part_of(relative: str, parts: frozenset[str]) -> str:
    folder = relative.rpartition("/")[0]
    while folder and folder not in parts:
        folder = folder.rpartition("/")[0]
    return folder or _TOP_FOLDER


def _introduced(app: Application, quoting: Quoting, roots: Sequence[str]) -> list[str]:
    """The README's first paragraph, and the manifests; blocking."""
    blocks: list[str] = []
    hides = app.acting.hidden()
    for root in roots:
        top = os.path.join(root, "")
        names = [
            entry.path[len(top) :]
            for entry in quoting.snapshot.files()
            if entry.path.startswith(top) and not (hides and hides(entry.path))
        ]
        inside = f"`{os.path.basename(root) or root}` holds {counted(len(names), 'file')}."
        said = [
            text
            for name in names
            if os.sep not in name and name.lower().startswith("readme")
            for text in beginning(quoting, top + name)
        ]
        blocks += [f"{said[0]} {inside}" if said else inside]
        manifests = [name for name in names if name in _MANIFESTS]
        if manifests:
            blocks.append(f"- Manifests: {', '.join(f'`{name}`' for name in manifests)}.")
    return blocks


def _ways_in(quoting: Quoting, files: Iterable[_File]) -> Iterator[str]:
    """Where programs begin, as their languages spell it; blocking."""
    found = 0
    relative = quoting.snapshot.relative
    for file in sorted(files, key=lambda at: (is_test(relative(at.path)), at.path.count(os.sep))):
        document = quoting.snapshot.read(file.path)
        if found >= _SHOWN_ENTRIES or not isinstance(document, Document):
            continue
        for at, line in enumerate(document.lines, 1):
            if _WAYS_IN.search(line):
                found += 1
                mark = quoting.cite(file.path, document.sha256, at, at)
                yield f"- Entry point: a program begins in `{relative(file.path)}`. {mark}"
                break


async def _arrows(
    app: Application,
    snapshot: WorkspaceSnapshot,
    files: Sequence[_File],
    importing: Sequence[_File],
) -> tuple[Arrows, int]:
    """Which parts import which of `files`, each with lines that do, and how many were looked at.

    As many of each part, if not all can be. What tests import tells nothing of how data flows.
    """
    homes = _homes(files)
    arrows: Arrows = defaultdict(list)
    begun, looked = time.monotonic(), 0
    for file in _in_turns(importing)[:_READ_FILES]:
        if time.monotonic() - begun > _READ_SECONDS:
            break
        document = await asyncio.to_thread(snapshot.read, file.path)
        if not isinstance(document, Document):
            continue
        looked += 1
        for imported in await app.symbols.imports(snapshot, document):
            for part in _leads_to(named_modules(imported), homes) - {file.part}:
                text = document.lines[imported.line - 1]
                line = SourceLine(document.path, document.sha256, imported.line, text)
                arrows[file.part, part].append(line)
    return arrows, looked


def _in_turns(files: Iterable[_File]) -> list[_File]:
    """The items of several lists in turns: one of each list, then another of each."""
    parts: dict[str, list[_File]] = defaultdict(list)
    for file in files:
        parts[file.part].append(file)
    return [file for turn in zip_longest(*parts.values()) for file in turn if file is not None]


def _homes(files: Iterable[_File]) -> dict[tuple[str, ...], set[str]]:
    """The parts by the module names under which their files may be imported."""
    homes: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for file in files:
        names = tuple(module_of(file.path).split(os.sep))
        for length in range(1, _COMPARED_NAMES + 1):
            homes[names[-length:]].add(file.part)
    return homes


def _leads_to(
    modules: Iterable[tuple[str, ...]], homes: Mapping[tuple[str, ...], set[str]]
) -> set[str]:
    """The part that the longest matching name clearly means."""
    for module in sorted(modules, key=len, reverse=True):
        found = homes.get(module[-_COMPARED_NAMES:], set())
        if len(module) > 1 and len(found) == 1:
            return found
    return set()


def _flow(arrows: Arrows, quoting: Quoting) -> Iterator[str]:
    """A diagram of the imports, and the lines that it rests on."""
    most = sorted(arrows.items(), key=lambda arrow: (-len(arrow[1]), arrow[0]))[:_SHOWN_ARROWS]
    fewer = (
        f", for the {len(most)} of {len(arrows):,} with most" if len(arrows) > _SHOWN_ARROWS else ""
    )
    if not most:
        return
    names = sorted({part for pair, _ in most for part in pair})
    ids = {name: f"p{number}" for number, name in enumerate(names)}
    nodes = [f'    {ids[name]}["{name.replace(chr(34), chr(39))}"]' for name in names]
    edges = [f"    {ids[one]} -->|{len(lines)}| {ids[other]}" for (one, other), lines in most]
    yield "\n".join(("```mermaid", "flowchart LR", *nodes, *edges, "```"))
    yield f"An arrow leads from who imports to what is imported, with the number of imports{fewer}:"
    for (one, other), lines in most:
        yield f"- `{one}` imports from `{other}`. {quoting.line(lines[0])}"
