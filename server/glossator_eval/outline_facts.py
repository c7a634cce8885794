"""The facts of a file in another language than Python, from its outline and its plain lines.

Only what is exact without types is taken: signatures that split cleanly, and statements that stand
on a line of their own in functions without block comments and template strings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from glossator.core.text import split_lines
from glossator.symbols import Library, Symbol, editor_text, outlines
from glossator_eval.facts import KINDS, Definition, Fact, FileFacts, Lines, Terms

_ECMASCRIPT = frozenset({"javascript", "typescript", "tsx"})
_KNOWN = _ECMASCRIPT | {"go", "rust"}
_FUNCTIONS = frozenset({"function", "method"})
_SORTS = frozenset({"interface", "struct", "enum", "trait", "class"})
_LONGEST = 40  # characters of an expression
_SIDE = r"[\w$][\w$.]*(?:\(\))?"  # of a comparison: a name, a number, a call without arguments
_LITERAL = re.compile(r"""-?\d+(?:\.\d+)?|"[^"\\`]*"|'[^'\\`]*'|true|false|null|nil""")
_CALL = re.compile(r"\s*(?:return\s+|await\s+|return await\s+|defer\s+)?([A-Za-z_$][\w$.]*)\(")
_THROW = re.compile(r"\s*throw new ([A-Z]\w*)\(")
_CONDITION = re.compile(rf"\s*(?:if|while)\s*\(?\s*({_SIDE})\s*(<=|>=|<|>)\s*({_SIDE})\s*\)?\s*\{{")
_RETURN = re.compile(r"(\s*)return (true|false|nil|null|-?\d+);?\s*")
_JS_IMPORT = re.compile(r"""import (?:type )?\{([\w\s,$]+)\} from ["']([^"'`]+)["'];?\s*""")
_RUST_USE = re.compile(r"(?:pub )?use ((?:\w+::)+)(\w+);\s*")
_CONSTANT = re.compile(
    r"""
    (?: export[ ] | pub(?:\([a-z]+\))?[ ] )? (?:const|static)[ ] ([A-Za-z_$][\w$]*)
    (?: \s*:\s*[^=]+ | \s+\w+ )? \s* = \s* ([^=;]+?) ;? \s* (?://.*)?
    """,
    re.VERBOSE,
)
_WORDS = frozenset(
    "if for while switch catch function return match loop func fn super require new typeof go"
    " panic make len append assert Ok Some Err".split()
)
_UNCLEAR = ("`", "/*", "*/", '"""')


def outline_facts(path: str, text: str, language: str | None) -> FileFacts | None:
    """None in a language of which no exact facts are known."""
    if language not in _KNOWN:
        return None
    with outlines(Library((), 0)) as shelf:
        symbols = shelf.of(editor_text(path, text))
    file = FileFacts(path, language, tuple(split_lines(text)))
    _Reader(file, symbols).read()
    return file


class _Reader:
    """Goes through the symbols of one file."""

    def __init__(self, file: FileFacts, symbols: tuple[Symbol, ...]) -> None:
        self._file, self._symbols = file, symbols

    def read(self) -> None:
        """All of them, then the lines at the top."""
        for symbol in self._symbols:
            if symbol.kind in _FUNCTIONS | _SORTS | {"impl"}:
                self._file.definitions.append(
                    Definition(symbol.name, symbol.first_line, symbol.last_line, symbol.name_line)
                )
                if symbol.kind in _SORTS:
                    self._file.bases.setdefault(symbol.name, ())
                    self._sort(symbol)
                if symbol.kind == "class":
                    self._base(symbol)
                if symbol.kind in _FUNCTIONS:
                    self._function(symbol)
        self._file.definitions.sort(key=lambda each: (each.first, -each.last))
        self._top()

    def _add(self, symbol: Symbol, kind: str, terms: Terms, lines: Lines, **how: bool) -> None:
        owner = symbol.container[-1] if symbol.container and KINDS[kind][0] == "f" else ""
        within = symbol.first_line, symbol.last_line
        head = symbol.name_line, symbol.name_line
        self._file.add(Fact(kind, terms, lines, within, head, owner, **how))

    def _sort(self, symbol: Symbol) -> None:
        at = symbol.name_line, symbol.name_line
        for each in self._symbols:
            if each.name == symbol.name:
                self._file.allow("sort", (symbol.name, each.kind), at)
        if re.search(rf"\b{symbol.kind}\b", symbol.signature):
            self._add(symbol, "sort", (symbol.name, symbol.kind), at)

    def _base(self, symbol: Symbol) -> None:
        plain = re.sub(r"<[^<>]*(?:<[^<>]*>[^<>]*)*>", "", symbol.signature)
        found = re.search(r"\bclass [\w$]+ extends ([A-Z][\w$.]*)(?:\s|$)", plain)
        if found and re.search(rf"\b{re.escape(found[1])}\b", self._line(symbol.name_line)):
            self._file.bases[symbol.name] = (found[1].rpartition(".")[2],)
            at = symbol.name_line, symbol.name_line
            self._add(symbol, "base", (symbol.name, found[1]), at)

    def _function(self, symbol: Symbol) -> None:
        head = symbol.name_line, symbol.name_line
        owner = symbol.container[-1] if symbol.container else ""
        within_function = owner not in self._file.bases and self._file.language != "go"
        if owner and symbol.kind == "method" and not within_function:
            self._add(symbol, "member", (owner, symbol.name), head)
        alike = [each for each in self._symbols if each.name == symbol.name]
        if len(alike) == 1 and self._file.language != "go":
            is_async = re.search(r"\basync\b", symbol.signature.partition("(")[0]) is not None
            self._add(symbol, "async", (symbol.name,), head, holds=is_async)
        parameters = _parameters(symbol, self._file.language, self._line(symbol.name_line))
        if parameters is None or len(alike) > 1:
            self._file.leave_open("parameter", symbol.name)
            self._file.leave_open("no parameters", symbol.name)
        else:
            for name, default in parameters:
                self._add(symbol, "parameter", (symbol.name, name), head)
                if default:
                    self._add(symbol, "default", (symbol.name, name, default), head)
            self._add(symbol, "no parameters", (symbol.name,), head, holds=not parameters)
            if len(parameters) > 1:
                self._add(symbol, "parameter count", (symbol.name, str(len(parameters))), head)
        self._body(symbol)

    def _body(self, symbol: Symbol) -> None:
        first, last = symbol.first_line, symbol.last_line
        text = "\n".join(self._file.lines[first - 1 : last])
        self._possible(symbol, text)
        inner = [each for each in self._symbols if each.container[-1:] == (symbol.name,)]
        if symbol.name_line == last or inner or any(mark in text for mark in _UNCLEAR):
            return
        indent = _indent(self._line(symbol.name_line + 1))
        for number in range(symbol.name_line + 1, last + 1):
            for kind, terms in _said_by(self._line(number).rstrip(), indent):
                self._add(symbol, kind, (symbol.name, *terms), (number, number))

    def _possible(self, symbol: Symbol, text: str) -> None:
        lines = symbol.first_line, symbol.last_line
        for name in re.findall(r"([A-Za-z_$][\w$]*)\s*(?:::<.*>)?!?\(", text):
            self._file.allow("call", (symbol.name, name), lines)
        for name in re.findall(r"\b[A-Z]\w*", text):
            self._file.allow("throw", (symbol.name, name), lines)
        for pair in re.findall(r"(\S+)\s*(<=|>=|<|>)\s*(\S+)", text):
            self._file.allow("comparison", (symbol.name, *pair), lines)
        self._file.leave_open("return", symbol.name)

    def _top(self) -> None:
        """Imports and constants on lines without indentation."""
        count = len(self._file.lines)
        for number, line in enumerate(self._file.lines, 1):
            at, around = (number, number), (max(1, number - 3), min(count, number + 3))
            for name, module in self._imported(line):
                self._file.add(Fact("import", (name, module), at, around, at))
            found = _CONSTANT.fullmatch(line)
            if found and _LITERAL.fullmatch(found[2]) and len(found[2]) <= _LONGEST:
                self._file.add(Fact("constant", (found[1], found[2]), at, around, at))

    def _imported(self, line: str) -> Iterator[tuple[str, str]]:
        if self._file.language in _ECMASCRIPT and (found := _JS_IMPORT.fullmatch(line)):
            for name in filter(None, map(str.strip, found[1].split(","))):
                if " " not in name:
                    yield name, found[2]
        if self._file.language == "rust" and (found := _RUST_USE.fullmatch(line)):
            yield found[2], found[1].removesuffix("::")

    def _line(self, number: int) -> str:
        return self._file.lines[number - 1]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _said_by(line: str, indent: str) -> Iterator[tuple[str, Terms]]:
    """What a line of a function does; `indent` is that of the function's first line."""
    if line.endswith((")", ");", ")?;")) and (found := _CALL.match(line)):
        name = found[1].removeprefix("this.").removeprefix("self.")
        if name.rpartition(".")[2] not in _WORDS and name not in _WORDS:
            yield "call", (name,)
    if found := _THROW.match(line):
        yield "throw", (found[1],)
    if (found := _CONDITION.fullmatch(line)) and len(line) < 2 * _LONGEST:
        yield "comparison", (found[1], found[2], found[3])
    if (found := _RETURN.fullmatch(line)) and found[1] == indent:
        yield "return", (found[2],)


def _parameters(symbol: Symbol, language: str, line: str) -> list[tuple[str, str]] | None:
    """Names and literal defaults; None where they do not split cleanly or go beyond the line."""
    start = re.search(
        rf"\b{re.escape(symbol.name)}\s*(?:<[^()]*>)?\s*(?:=[^(]*)?\(", symbol.signature
    )
    inside = _inside(symbol.signature, start.end()) if start else None
    if inside is None or f"({inside})" not in line:
        return None
    found: list[tuple[str, str]] = []
    for part in filter(None, map(str.strip, _split(inside))):
        if language == "rust" and re.fullmatch(r"&?(?:'\w+ )?(?:mut )?self(?::.*)?", part):
            continue
        pattern = {
            "rust": r"(?:mut )?(\w+)\s*:[^=]*()",
            "go": r"(\w+)(?: [^=]+)?()",
        }.get(language, r"([\w$]+)\??(?:\s*:[^=]+)?(?:\s*=\s*(.+))?")
        match = re.fullmatch(pattern, part)
        if match is None:
            return None
        default = match[2] or ""
        found.append((match[1], default if _LITERAL.fullmatch(default) else ""))
    if language == "go" and found and " " not in inside.strip():
        return None  # types without names
    return found


def _inside(text: str, start: int) -> str | None:
    """Up to the bracket that closes the one before `start`."""
    depth = 1
    for at in range(start, len(text)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at]
    return None


def _split(text: str) -> list[str]:
    """At commas outside of brackets."""
    parts, depth = [""], 0
    for before, character in zip(f" {text}", text, strict=False):
        opens = character in "([{<"
        closes = character in ")]}" or (character == ">" and before not in "=-")
        depth += opens - closes
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts
