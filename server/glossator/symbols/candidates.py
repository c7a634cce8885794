"""The texts that may hold a name, likeliest first; which files an import may mean, and calls.

A name alone proves little: `x.close()` may close anything. A call is certainly one of a definition
where only one symbol has the name and the call names it as its own file, package or class may, or
an import says so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from glossator.core.file_kinds import CODE, language_of
from glossator.workspace import WorkspaceSnapshot, analyse, is_inside
from glossator.workspace import candidates as text_candidates

if TYPE_CHECKING:  # these load the parsers
    from glossator.symbols.find import Definition, SymbolHits, Use
    from glossator.symbols.imports import Import

_ENDINGS = {".h", ".hh", ".hpp", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".php", ".rb", ".sh"}
_SEPARATOR = re.compile(r"::|[./\\]")
_RELATIVE = {"", "..", "crate", "self", "super"}  # where these lead depends on the file
_STANDS_FOR_FOLDER = {"__init__", "index", "mod"}
_MODULE_PARTS = 2  # of the end of a module's path that count: what comes before may not be a folder

_RECEIVER = re.compile(r"(?:(?P<name>[\w$]+)|\S)?\s*(?:\?\.|\.|->|::)\s*$")
_OWN_RECEIVERS = frozenset({"self", "cls", "this", "Self", "static"})
_FOLDER_PACKAGES = frozenset({"go"})  # where the files of a folder share their names


def module_of(path: str) -> str:
    """The path by which imports name a file: without its extension; in Go, its folder."""
    stem, extension = os.path.splitext(path)
    folder, name = os.path.split(stem)
    return folder if extension == ".go" or name in _STANDS_FOR_FOLDER else stem


def named_modules(at: Import) -> frozenset[tuple[str, ...]]:
    """The modules that an import may mean, in parts: the module, and each name imported from it."""
    stem, extension = os.path.splitext(at.module)
    module = stem if extension in _ENDINGS else at.module
    parts = tuple(part for part in _SEPARATOR.split(module) if part not in _RELATIVE)
    return frozenset({parts, *((*parts, name) for name in at.names)})


def module_ends(imports: Iterable[Import], name: str) -> frozenset[str]:
    """The endings of `module_of` for files that `name` may come from, with `/` in front."""
    everything = list(imports)
    naming = [at for at in everything if name in at.names]
    ends = set()
    for at in naming or everything:
        for module in named_modules(at):  # a name may be a module, or a file
            if end := module[-_MODULE_PARTS:]:
                ends.add("/" + "/".join(end))
    return frozenset(ends)


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Which texts to search: at or below `within`, in one of `languages` (None: any).

    Texts whose `module_of` ends with one of `modules` come first, then those near `near`. Both
    `within` and `near` are absolute paths. Texts are left out if `hides` is true of their path, or
    if they are none of `only`.
    """

    within: str | None = None
    languages: frozenset[str] | None = None
    modules: frozenset[str] = frozenset()
    near: str | None = None
    hides: Callable[[str], bool] | None = None
    only: frozenset[str] | None = None


ANYWHERE = SearchScope()


def candidates(snapshot: WorkspaceSnapshot, pattern: str, scope: SearchScope) -> tuple[str, ...]:
    """The paths of the texts in `scope` in which `pattern` may match.

    Code comes before others, then the likeliest and nearest first. `pattern` is valid for RE2 and
    `re`, and linear in both. Near a cell of a notebook, its other cells are included.
    """
    found = text_candidates(snapshot, analyse(pattern).query)
    holds = re.compile(pattern).search
    without = {path for path, overlay in snapshot.overlays.items() if not holds(overlay.text)}
    files = (entry.path for entry in chain(found.plain, found.others))
    paths = chain(files, _cells(snapshot, scope.near or ""))
    ranked = _ranked((path for path in paths if path not in without), scope)
    return tuple(path for _, path in sorted(ranked))


def _cells(snapshot: WorkspaceSnapshot, cell: str) -> Iterator[str]:
    """The open documents whose names differ from that of `cell` only after a `#`."""
    if cell in snapshot.overlays and not os.path.isabs(cell):
        notebook, mark, _ = cell.partition("#")
        yield from (path for path in snapshot.overlays if mark and path.startswith(notebook + mark))


def open_texts(snapshot: WorkspaceSnapshot, word: str = "") -> Mapping[str, str]:
    """The editor's texts by path; a text that does not contain `word` is empty."""
    return {
        path: overlay.text if word in overlay.text else ""
        for path, overlay in snapshot.overlays.items()
    }


_Rank = tuple[int, bool, int]


def _ranked(paths: Iterable[str], scope: SearchScope) -> Iterator[tuple[_Rank, str]]:
    """The paths in scope with their ranks; there may be 100,000."""
    modules = tuple(scope.modules)
    around = _around(scope.near)
    steps: dict[str, int] = {}
    for path in paths:
        if scope.within is not None and not is_inside(path, scope.within):
            continue
        if scope.only is not None and path not in scope.only:
            continue
        language = language_of(path)
        if scope.languages is not None and language not in scope.languages:
            continue
        if scope.hides is not None and scope.hides(path):
            continue
        kind = 0 if language in CODE else 1 if language else 2
        likely = bool(modules) and module_of(path).endswith(modules)
        folder = path.rpartition(os.sep)[0] + os.sep
        if folder not in steps:
            far = len(around)
            steps[folder] = next((n for n, at in enumerate(around) if folder.startswith(at)), far)
        yield (kind, not likely, steps[folder]), path


def _around(path: str | None) -> list[str]:
    """The folders around a path, innermost first, each with a separator at its end."""
    folders: list[str] = []
    while path and (folder := os.path.dirname(path)) != path:
        folders.append(os.path.join(folder, ""))
        path = folder
    return folders


def only_definition(found: SymbolHits[Definition]) -> Definition | None:
    """The one definition of a name; None if there are several, or not all texts were read."""
    coverage = found.coverage
    if coverage.unread or coverage.unparsed or coverage.worker_away or len(found.hits) != 1:
        return None
    return found.hits[0]


def may_need_imports(use: Use, definition: Definition) -> bool:
    """Whether only the imports of the file can tell what is called."""
    receiver = _RECEIVER.search(use.line.text[: use.reference.start])
    return receiver is None and not definition.symbol.container and not _share(use, definition)


def is_call_of(use: Use, definition: Definition, imports: Iterable[Import] = ()) -> bool:
    """Whether a call is certainly one of this definition, the only one that has its name."""
    container = definition.symbol.container
    receiver = _RECEIVER.search(use.line.text[: use.reference.start])
    if container:
        is_inside = use.line.path == definition.line.path and set(container) <= set(
            use.reference.within
        )
        is_own = receiver is not None and receiver["name"] in (*_OWN_RECEIVERS, container[-1])
        return is_inside and is_own
    if receiver is not None:
        return False
    if _share(use, definition):
        return True
    name = definition.symbol.name
    naming = [each for each in imports if name in each.names]
    ends = tuple(module_ends(naming, name)) if naming else ()
    return bool(ends) and f"/{module_of(definition.line.path)}".endswith(ends)


def _share(use: Use, definition: Definition) -> bool:
    """Whether the call can name the definition without an import."""
    if use.line.path == definition.line.path:
        return True
    one, other = (os.path.dirname(each.line.path) for each in (use, definition))
    return definition.language in _FOLDER_PACKAGES and one == other
