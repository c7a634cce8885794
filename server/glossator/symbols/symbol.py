"""A symbol, of which outlines are made; the text of its comment; its form as bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from glossator.core.text import split_lines

_STRING = re.compile(r"""[rRuU]?('''|\"""|'|")(.*)\1""", re.DOTALL)  # not f"…", not b"…"
_OPENING = re.compile(r"^\s*(?:/\*+!?|//[/!]*|#+|=begin)<?[ \t]?")
_CLOSING = re.compile(r"\s*(?:\*+/|^=end\b.*)\s*$", re.MULTILINE)
_CONTINUED = re.compile(r"^\s*\*+(?:[ \t]|$)")
_DOC_MARKERS = ("/**", "///", "//!", "/*!")
_BRIEF = re.compile(r"^[@\\]brief\s+")
_SHEBANG = "#!"
_XML_WRAPPER = re.compile(r"</?(?:summary|para)>|<inheritdoc[^>]*>")
_XML_NAME = re.compile(r"""<\w+ (?:cref|name|langword)=["'](?:\w:)?([^"']*)["'] ?/>""")
_XML_SECTION = re.compile(r"<(?:param|typeparam|returns|remarks|exception|example|value)\b")
_EMPTY_BLOCK = re.compile(r"/\*+/")
_SIGNATURE_LIMIT = 200


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


def shortened(signature: str) -> str:
    """A signature of at most 200 characters."""
    return (
        signature if len(signature) <= _SIGNATURE_LIMIT else signature[: _SIGNATURE_LIMIT - 1] + "…"
    )


def symbol_at(symbols: Iterable[Symbol], line: int) -> Symbol | None:
    """The innermost symbol that holds a 1-based line; None outside all of them."""
    around = [symbol for symbol in symbols if symbol.first_line <= line <= symbol.last_line]
    return min(
        around, key=lambda at: (at.last_line - at.first_line, -len(at.container)), default=None
    )


SYMBOLS_VERSION = 5
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
    """Read back the symbols that `dump` wrote. Raises `ValueError` for anything else."""
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


def docstring_paragraph(literal: str) -> str:
    """The first paragraph of a Python string literal; "" if the literal is no docstring.

    Escapes are kept as they are written.
    """
    match = _STRING.fullmatch(literal)
    return _first_paragraph(split_lines(match[2])) if match else ""


def comment_paragraph(comments: list[str]) -> str:
    """The first paragraph of the comments that stand together above a definition, in order.

    Where some are marked as documentation (`/**`, `///`), the others are remarks and left out.
    A section of tags (`@param`, `<param>`) is not part of it.
    """
    comments = [comment for comment in comments if not comment.startswith(_SHEBANG)]
    marked = [comment for comment in comments if comment.startswith(_DOC_MARKERS)]
    lines = [_BRIEF.sub("", line) for text in marked or comments for line in _bare(text)]
    return _first_paragraph(
        "" if line.startswith("@") or _XML_SECTION.match(line) else _without_xml(line)
        for line in lines
    )


def _without_xml(line: str) -> str:
    """`line` without the tags of C# documentation; a reference leaves its name."""
    if "<" not in line:
        return line
    return _XML_NAME.sub(r"\1", _XML_WRAPPER.sub("", line))


def _bare(comment: str) -> Iterator[str]:
    """The lines of one comment without its markers."""
    if _EMPTY_BLOCK.fullmatch(comment):
        return
    if comment.startswith(("/*", "=begin")):
        comment = _CLOSING.sub("", comment)
    first, *rest = split_lines(comment)
    yield _OPENING.sub("", first).strip()
    for line in rest:
        yield _CONTINUED.sub("", line).strip()


def _first_paragraph(lines: Iterable[str]) -> str:
    paragraph = takewhile(str.strip, dropwhile(lambda line: not line.strip(), lines))
    return " ".join(" ".join(paragraph).split())
