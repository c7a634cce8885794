"""Which files an import may mean: by the ends of paths alone, good enough to look there first."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from glossator.symbols.imports import Import

_ENDINGS = {".h", ".hh", ".hpp", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".php", ".rb", ".sh"}
_SEPARATOR = re.compile(r"::|[./\\]")
_UNTOLD = {"", "..", "crate", "self", "super"}  # where these lead depends on the file
_STANDS_FOR_FOLDER = {"__init__", "index", "mod"}
_PARTS = 2  # of the end of a module's path that count: what comes before may not be a folder


def module_of(path: str) -> str:
    """The path of a file as imports name it: without its extension; in Go, its folder."""
    stem, extension = os.path.splitext(path)
    folder, name = os.path.split(stem)
    return folder if extension == ".go" or name in _STANDS_FOR_FOLDER else stem


def named_modules(at: Import) -> frozenset[tuple[str, ...]]:
    """The modules that an import may name, in parts: the module, and each name taken from it."""
    stem, extension = os.path.splitext(at.module)
    module = stem if extension in _ENDINGS else at.module
    parts = tuple(part for part in _SEPARATOR.split(module) if part not in _UNTOLD)
    return frozenset({parts, *((*parts, name) for name in at.names)})


def module_ends(imports: Iterable[Import], name: str) -> frozenset[str]:
    """How `module_of` may end for the files that `name` may come from, with `/` in front."""
    everything = list(imports)
    naming = [at for at in everything if name in at.names]
    ends = set()
    for at in naming or everything:
        for module in named_modules(at):  # a name may be a module, or a file
            if end := module[-_PARTS:]:
                ends.add("/" + "/".join(end))
    return frozenset(ends)
