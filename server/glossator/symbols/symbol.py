"""One named thing of a source file: what an outline is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition or a heading, and the lines it takes.

    `kind` is a plain word: class, function, method, property, interface, struct, enum, type,
    constant, variable, module, namespace, trait, impl, macro, key or heading. `signature` is one
    line up to the body, at most 200 characters. `documentation` is the first paragraph of the
    docstring or of the comment right above, without markers, "" if there is none. `container`
    names the enclosing symbols, outermost first; a Go receiver and a C++ `Class::` count as
    enclosing. Lines are 1-based and inclusive; decorators and attributes belong to the symbol,
    comments do not. `name_column` counts characters from 0; the name may be spelled otherwise
    there (in quotes, with escapes, over two lines).
    """

    name: str
    kind: str
    signature: str
    documentation: str
    container: tuple[str, ...]
    first_line: int
    last_line: int
    name_line: int
    name_column: int


def symbol_at(symbols: Iterable[Symbol], line: int) -> Symbol | None:
    """The innermost symbol that holds a 1-based line; None outside all of them."""
    around = [symbol for symbol in symbols if symbol.first_line <= line <= symbol.last_line]
    return min(
        around, key=lambda at: (at.last_line - at.first_line, -len(at.container)), default=None
    )
