"""Outlines of languages without a grammar, by their lines: definitions, and headings of prose.

A definition begins with one of the usual words and ends before the next line that is indented no
deeper, apart from closing brackets and `end`; this cuts usually formatted code correctly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from glossator.symbols.symbol import Symbol

_LIMIT = 5_000  # symbols
_DEPTH_LIMIT = 50  # symbols around a symbol; deeper ones are left out
_SIGNATURE_LIMIT = 200  # characters
_KINDS = {
    "class": "class", "object": "class", "actor": "class", "extension": "impl", "impl": "impl",
    "struct": "struct", "record": "struct", "enum": "enum", "interface": "interface",
    "protocol": "interface", "trait": "trait", "module": "module", "namespace": "namespace",
    "typealias": "type", "type": "type", "macro": "macro", "mixin": "class",
    "defmodule": "module", "defprotocol": "interface", "defimpl": "impl", "defmacro": "macro",
}  # fmt: skip
_FUNCTION = "function"
_DEFINITION = re.compile(
    r"""(?P<indent>[ \t]*)
    (?:@\w+(?:\([^)]*\))?[ ]|(?:public|private|protected|internal|fileprivate|open|final|abstract
       |sealed|static|override|suspend|inline|actual|expect|data|value|case|async|export|extern
       |local|mutating|indirect|annotation|companion|operator|infix|pub|implicit|lazy)[ ]+)*
    (?P<word>class|object|actor|extension|impl|struct|record|enum|interface|protocol|trait|module
       |namespace|typealias|type|macro|mixin|fun|func|function|def|defp|defmodule|defprotocol|defimpl
       |defmacro|defguard|defdelegate|fn|proc|sub|init)\b
    (?:[ ]+class\b)?[ ]*(?:<[^>]*>[ ]*)?
    (?:[\w.<>?*,\[\] ]*\.)?
    (?P<name>[A-Za-z_][\w!?]*)?""",
    re.VERBOSE,
)
_FOLLOWS = re.compile(r"[(<:={]|$|,[ ]*do:|(?:do|when)\b")  # the name of a function
_CLOSING = re.compile(r"[ \t]*(?:[)\]}]|end\b)")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}[ \t]*$")
_PROSE = (".rst", ".txt", ".adoc", ".org")


def outline_by_lines(lines: Sequence[str], path: str) -> tuple[Symbol, ...]:
    """The symbols of a text whose language has no grammar, in order."""
    found = _headings(lines) if path.lower().endswith(_PROSE) else _definitions(lines)
    return tuple(islice(found, _LIMIT))


def _definitions(lines: Sequence[str]) -> Iterator[Symbol]:
    around: list[tuple[int, str]] = []  # the last line, and the name
    for row, line in enumerate(lines):
        match = _DEFINITION.match(line)
        if match is None:
            continue
        name = match["name"] or (match["word"] if match["word"] == "init" else "")
        rest = line[match.end() :].lstrip()
        kind = _KINDS.get(match["word"], _FUNCTION)
        if not name or (kind == _FUNCTION and not _FOLLOWS.match(rest)):
            continue
        while around and around[-1][0] < row + 1:
            around.pop()
        if len(around) >= _DEPTH_LIMIT:
            continue
        last = _last_line(lines, row, len(match["indent"].expandtabs(4)))
        container = tuple(name for _, name in around)
        column = match.start("name") if match["name"] else match.start("word")
        signature = " ".join(line.split()).rstrip(" {=:")[:_SIGNATURE_LIMIT]
        yield Symbol(name, kind, signature, "", container, row + 1, last, row + 1, column)
        if last > row + 1:
            around.append((last, name))


def _last_line(lines: Sequence[str], row: int, indent: int) -> int:
    """The last line (1-based) of the definition that begins in a row."""
    last = row
    for at in range(row + 1, len(lines)):
        line = lines[at]
        if not line.strip():
            continue
        depth = len(line) - len(line.lstrip())
        if "\t" in line[:depth]:
            depth = len(line[:depth].expandtabs(4))
        if depth > indent:
            last = at
        elif depth == indent and _CLOSING.match(line):
            last = at
            if line.rstrip()[-1:] not in ("{", "(", "["):
                break
        else:
            break
    return last + 1


def _headings(lines: Sequence[str]) -> Iterator[Symbol]:
    """Titles with a line of punctuation below, as in reStructuredText; `= ` of AsciiDoc."""
    levels: list[str] = []
    titles: list[tuple[int, int, str]] = []  # row, level, title
    for row, (title, below) in enumerate(pairwise(lines)):
        match = _UNDERLINE.match(below)
        text = title.strip()
        if not match or not text or _UNDERLINE.match(title) or len(below.rstrip()) < len(text):
            continue
        if match[1] not in levels:
            levels.append(match[1])
        titles.append((row, levels.index(match[1]), text))
    above: list[tuple[int, str]] = []
    for place, (row, level, title) in enumerate(titles):
        while above and above[-1][0] >= level:
            above.pop()
        end = next((at for at, other, _ in titles[place + 1 :] if other <= level), len(lines))
        container = tuple(name for _, name in above)
        signature = title[:_SIGNATURE_LIMIT]
        yield Symbol(title, "heading", signature, "", container, row + 1, end, row + 1, 0)
        above.append((level, title))
