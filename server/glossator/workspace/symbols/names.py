"""A name as someone asks for it: `swim`, `Fish.swim`, `zoo::Fish::swim()`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath

from glossator.core.errors import UsageError
from glossator.workspace.symbols.symbol import Symbol

_SEPARATOR = re.compile(r"::|->|[.#/]")
_LONGEST = 300  # characters


@dataclass(frozen=True, slots=True)
class Name:
    """`whole` as asked, its `last` part, which texts are searched for, and the scope before it."""

    whole: str
    last: str
    scope: tuple[str, ...]

    @staticmethod
    def parse(asked: str) -> Name:
        """Take a name apart. Raises `UsageError` for one that no symbol can have."""
        whole = " ".join(asked.split()).removesuffix("()")
        parts = [part for part in _SEPARATOR.split(whole) if part]
        if not parts or len(whole) > _LONGEST or not re.search(r"\w", parts[-1]):
            raise UsageError(
                f"{asked[:_LONGEST]!r} is no name of a symbol; give an identifier such as parse or"
                " Parser.parse, or use Grep for a pattern."
            )
        return Name(whole, parts[-1], tuple(parts[:-1]))

    def fits(self, symbol: Symbol, path: str) -> bool:
        """Whether `symbol` of the file `path` can be meant: the scope may name file and folders."""
        if symbol.name == self.whole:
            return True
        if symbol.name.lstrip("#") != self.last:
            return False
        pure = PurePath(path)
        folders = pure.parent.parts
        # in Go a package is a folder, in Python `__init__.py` stands for one
        return self._ends((*folders, pure.stem, *symbol.container)) or self._ends(
            (*folders, *symbol.container)
        )

    def _ends(self, names: tuple[str, ...]) -> bool:
        return len(names) >= len(self.scope) and names[len(names) - len(self.scope) :] == self.scope
