"""A name as someone asks for it: `swim`, `Fish.swim`, `zoo::Fish<T>::swim(3)`, `log!`, `r#type`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath

from glossator.core.errors import UsageError
from glossator.symbols.symbol import Symbol

_SEPARATOR = re.compile(r"::|->|[.#/]")
_RAW = re.compile(r"\br#(?=\w)")  # Rust's `r#type` is the name `type`
_LONGEST = 300  # characters


@dataclass(frozen=True, slots=True)
class Name:
    """`whole` as asked, its `last` part, which texts are searched for, and the scope before it.

    `bang`: it was asked for with a final `!`, which calls a macro, or belongs to a name of Ruby.
    """

    whole: str
    last: str
    scope: tuple[str, ...]
    bang: bool = False

    @staticmethod
    def parse(asked: str) -> Name:
        """Take a name apart. Raises `UsageError` for one that no symbol can have."""
        whole = " ".join(asked.split())
        bare = _without_arguments(_RAW.sub("", whole[:_LONGEST]))
        named = bare.removesuffix("!")
        parts = [part for part in map(_without_arguments, _SEPARATOR.split(named)) if part]
        if not parts or len(whole) > _LONGEST or not re.search(r"\w", parts[-1]):
            raise UsageError(
                f"{asked[:_LONGEST]!r} is no name of a symbol.\nGive an identifier such as parse or"
                " Parser.parse, or use Grep for a pattern."
            )
        return Name(whole, parts[-1], tuple(parts[:-1]), bare != named)

    @property
    def spelled(self) -> str:
        """The last part as it may be spelled where it is used."""
        return f"{self.last}!" if self.bang else self.last

    def fits(self, symbol: Symbol, path: str) -> bool:
        """Whether `symbol` of the file `path` can be meant: the scope may name file and folders."""
        if symbol.name == self.whole:
            return True
        if symbol.name.removeprefix("r#").lstrip("#") not in (self.last, self.spelled):
            return False
        pure = PurePath(path)
        folders = pure.parent.parts
        # in Go a package is a folder, in Python `__init__.py` stands for one
        return self._ends((*folders, pure.stem, *symbol.container)) or self._ends(
            (*folders, *symbol.container)
        )

    def _ends(self, names: tuple[str, ...]) -> bool:
        return len(names) >= len(self.scope) and names[len(names) - len(self.scope) :] == self.scope


def _without_arguments(name: str) -> str:
    """`name` without what follows it in parentheses and angle brackets."""
    while name.endswith((")", ">")) and (opening := _opening(name)):
        bare = name[:opening].rstrip()
        if bare.endswith("operator"):  # of C++, where they belong to the name
            break
        name = bare
    return name


def _opening(name: str) -> int:
    """Where the brackets that a name ends with were opened; 0 if they do not pair."""
    depth = 0
    for at in range(len(name) - 1, 0, -1):
        depth += (name[at] in ")>") - (name[at] in "(<")
        if depth == 0:
            return at
    return 0
