"""Outlines as bytes, to be kept by the hash of the text they were made from.

JSON: a list of symbols, each a list of its fields in order.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from glossator.symbols.symbol import Symbol

SYMBOLS_VERSION = 3
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
