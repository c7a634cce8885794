"""One named thing of a source file, which outlines are made of; outlines as bytes."""

from __future__ import annotations

import json
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


@dataclass(frozen=True, slots=True)
class NearSymbol:
    """A symbol with a near name in the file `path`, and how many more have the very name."""

    path: str
    symbol: Symbol
    others: int = 0


def symbol_at(symbols: Iterable[Symbol], line: int) -> Symbol | None:
    """The innermost symbol that holds a 1-based line; None outside all of them."""
    around = [symbol for symbol in symbols if symbol.first_line <= line <= symbol.last_line]
    return min(
        around, key=lambda at: (at.last_line - at.first_line, -len(at.container)), default=None
    )


SYMBOLS_VERSION = 4
"""Part of the key under which anything made from a text is kept: raise it when results change."""


def dump(symbols: Iterable[Symbol]) -> bytes:
    """`symbols` as UTF-8 JSON."""
    rows = [
        [
            at.name, at.kind, at.signature, at.documentation,
            at.container, at.first_line, at.last_line, at.name_line, at.name_column,
        ]
        for at in symbols
    ]  # fmt: skip
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()


def load(data: bytes) -> tuple[Symbol, ...]:
    """The symbols that `dump` made bytes of. Raises `ValueError` for anything else."""
    match json.loads(data):
        case list(rows):
            return tuple(_symbol(row) for row in rows)
    raise ValueError("Not an outline: the JSON is no list; make the outline again.")


def _symbol(row: object) -> Symbol:
    match row:
        case [
            str(name), str(kind), str(signature), str(documentation),
            list(container), int(first), int(last), int(line), int(column),
        ] if all(isinstance(part, str) for part in container):  # fmt: skip
            within = tuple(container)
            return Symbol(name, kind, signature, documentation, within, first, last, line, column)
    raise ValueError("Not an outline: a symbol is damaged; make the outline again.")
