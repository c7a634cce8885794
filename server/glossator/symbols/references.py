"""Where a name is used in a text.

By syntax alone: every identifier that is spelled as the name, except in comments and strings;
whether it means the same thing is not known. Locals and parameters are references, not definitions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from tree_sitter import Node

from glossator.core.file_kinds import CODE
from glossator.symbols.outline import Placed, placed
from glossator.symbols.tree import SyntaxTree, first, last, parse, paths

ReferenceKind = Literal["definition", "call", "import", "reference"]

_NODES_ABOVE = 12  # nodes above an identifier that can make it a call or an import
_NODES_HOLDING = 50  # nodes above it that may name what holds it
_HOLDER_LIMIT = 200  # bytes of such a name, which may be a pattern

# Node types of all grammars together; those of the same name mean the same.
_IDENTIFIERS = frozenset({
    "constant", "name", "variable_name", "word", "instance_variable", "class_variable",
    "global_variable", "hash_key_symbol", "simple_symbol",
    "shorthand_property_identifier_pattern",
})  # fmt: skip
_CALLS = frozenset({
    "call", "call_expression", "new_expression", "method_invocation", "object_creation_expression",
    "invocation_expression", "function_call_expression", "member_call_expression",
    "nullsafe_member_call_expression", "scoped_call_expression", "macro_invocation", "command",
    "type_conversion_expression",  # a generic call of Go
    "decorator", "jsx_opening_element", "jsx_self_closing_element",
})  # fmt: skip
_CALLEE_FIELDS = ("function", "constructor", "macro", "method", "name", "type")
_LAST = frozenset({  # a path or access, which ends in what is called
    "attribute", "member_expression", "selector_expression", "field_expression", "field_access",
    "scoped_identifier", "qualified_identifier", "scoped_type_identifier", "nested_identifier",
    "member_access_expression", "member_binding_expression", "conditional_access_expression",
    "qualified_name", "alias_qualified_name", "dependent_name", "non_null_expression",
    "parenthesized_expression",
})  # fmt: skip
_FIRST = frozenset({  # what is called comes first, type arguments after it
    "generic_function", "generic_type", "generic_name", "template_function", "template_method",
    "template_type", "instantiation_expression", "command_name",
})  # fmt: skip
_IMPORTS = frozenset({
    "import_statement", "import_from_statement", "future_import_statement", "import_alias",
    "import_declaration", "use_declaration", "extern_crate_declaration", "using_directive",
    "using_declaration", "namespace_use_declaration",
})  # fmt: skip
_EXPORTS = ("export_specifier", "export_statement")
_EXPORTED = re.compile(r"(module\.)?exports\b")  # what CommonJS assigns to
_HOLDER_FIELDS = ("name", "key", "left", "pattern")
_WORD = re.compile(rb"[^\W\d]\w*")
_UNPARSED = frozenset({"preproc_arg"})  # the text of a macro of C
_UNPARSED_LIMIT = 4_000  # bytes; a longer macro is data
_QUOTED = re.compile(rb'"(?:[^"\\]|\\.)*(?:"|\Z)|/\*.*?(?:\*/|\Z)|//[^\n]*', re.DOTALL)
_SIGILS = frozenset(
    {b"", b":", b"#", b"r#"}
)  # Ruby's `:name`, JavaScript's `#name`, Rust's raw one


@dataclass(frozen=True, slots=True)
class Reference:
    """One use of a name: a 1-based line, columns in characters from 0, `end` exclusive.

    `within` names the definition it stands in, outermost first; () at the top level. For a
    definition that is its container. `held` are the names that code around a call or reference
    has, though the outline may not list it: variables, keys and attributes. An "import" is also an
    export, which uses nothing.
    """

    line: int
    start: int
    end: int
    kind: ReferenceKind
    within: tuple[str, ...]
    held: frozenset[str] = frozenset()


def references(text: str, language: str, name: str) -> tuple[Reference, ...]:
    """The uses of `name` in document order; of `name!`, which may be a macro, those of both.

    None in a language without code (Markdown, data) and in a text that is too large to parse.
    """
    tree = parse(text, language) if name and language in CODE else None
    if tree is None:
        return ()
    whole = name.encode("utf-8", "replace")
    plain = whole.removesuffix(b"!")
    word = re.compile(rb"(?<!\w)%b(?!\w)" % re.escape(plain))  # a literal
    places = [match.start() for match in word.finditer(tree.source)]
    around = _Around(placed(text, language) if places else ())
    lines = _Positions(tree.source)
    found = []
    for start, path in paths(tree.root, places):
        leaf = path[-1]
        end = _use_end(tree, leaf, start, (plain, whole))
        if end is None:
            continue
        within, defined = around.at(leaf.start_byte)
        kind: ReferenceKind = "definition" if defined else _kind(tree, path, end)
        line, column = lines.at(start)
        width = len(tree.source[start:end].decode("utf-8", "replace"))
        held = _holders(tree, path) if kind in ("call", "reference") else frozenset[str]()
        found.append(Reference(line, column, column + width, kind, within, held))
    return tuple(found)


def is_name(text: str, language: str, offset: int) -> bool:
    """Whether an identifier of code stands at `offset` (characters): no keyword, comment or string.

    Also true if that is unknown.
    """
    tree = parse(text, language) if language in CODE else None
    if tree is None:
        return language in CODE
    place = len(text[:offset].encode("utf-8", "replace"))
    leaf = next((path[-1] for _, path in paths(tree.root, [place])), tree.root)
    return _is_identifier(leaf) or leaf.type in _UNPARSED


def calls_in(text: str, language: str, first_line: int, last_line: int) -> tuple[Reference, ...]:
    """The calls on these lines (1-based, inclusive), in document order."""
    tree = parse(text, language) if language in CODE else None
    if tree is None:
        return ()
    starts = [0, *(match.end() for match in re.finditer(rb"\n", tree.source))]
    begin = starts[min(first_line, len(starts)) - 1]
    end = starts[last_line] if last_line < len(starts) else len(tree.source)
    places = [match.start() for match in _WORD.finditer(tree.source, begin, end)]
    around = _Around(placed(text, language) if places else ())
    lines = _Positions(tree.source)
    found = []
    for start, path in paths(tree.root, places):
        leaf = path[-1]
        if leaf.start_byte != start or not _is_identifier(leaf):
            continue
        within, defined = around.at(start)
        if not defined and _kind(tree, path, leaf.end_byte) == "call":
            line, column = lines.at(start)
            width = len(tree.text(leaf))
            found.append(Reference(line, column, column + width, "call", within))
    return tuple(found)


class _Around:
    """The definitions around a place; call it in ascending order."""

    def __init__(self, symbols: tuple[Placed, ...]) -> None:
        self._names = {at.name_start: at.symbol for at in symbols}
        self._coming = sorted(symbols, key=lambda at: at.start, reverse=True)
        self._open: list[Placed] = []

    def at(self, place: int) -> tuple[tuple[str, ...], bool]:
        """The qualified name of the innermost definition, and whether its name stands here."""
        while self._coming and self._coming[-1].start <= place:
            self._open.append(self._coming.pop())
        self._open = [at for at in self._open if at.end > place]
        if own := self._names.get(place):
            return own.container, True
        if not self._open:
            return (), False
        symbol = self._open[-1].symbol
        return (*symbol.container, symbol.name), False


class _Positions:
    """Lines (from 1) and columns (characters from 0) of places; call it in ascending order."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._place, self._line, self._column = 0, 1, 0

    def at(self, place: int) -> tuple[int, int]:
        """The line and column of a byte offset; reads only the text between the places."""
        passed = self._source[self._place : place]
        if ends := passed.count(b"\n"):
            self._line += ends
            self._column = 0
        self._column += len(passed[passed.rfind(b"\n") + 1 :].decode("utf-8", "replace"))
        self._place = place
        return self._line, self._column


def _is_identifier(leaf: Node) -> bool:
    kind = leaf.type
    named = kind in _IDENTIFIERS or kind.endswith("identifier")
    return named and leaf.child_count == 0


def _use_end(tree: SyntaxTree, leaf: Node, start: int, names: tuple[bytes, bytes]) -> int | None:
    """Where an identifier that begins at `start` and is one of `names` ends; the first is there.

    None where that is only a part of an identifier or of a text.
    """
    if leaf.type in _UNPARSED:
        if leaf.end_byte - leaf.start_byte > _UNPARSED_LIMIT:
            return None
        quoted = _QUOTED.finditer(tree.source, leaf.start_byte, leaf.end_byte)
        hidden = any(piece.start() < start < piece.end() for piece in quoted)
        return None if hidden else start + len(names[0])
    if not _is_identifier(leaf) or tree.source[start : leaf.end_byte] not in names:
        return None
    return leaf.end_byte if tree.source[leaf.start_byte : start] in _SIGILS else None


def _kind(tree: SyntaxTree, path: list[Node], end: int) -> ReferenceKind:
    above = tuple(islice(reversed(path), 1, _NODES_ABOVE))
    if any(map(_is_import, above)) or _is_exported(tree, above):
        return "import"
    if path[-1].type in _UNPARSED:
        return "call" if tree.source[end : end + 1] == b"(" else "reference"
    return "call" if _is_called(tree, path) else "reference"


def _is_import(node: Node) -> bool:
    if node.type == "export_statement":  # `export { a } from "b"`
        return node.child_by_field_name("source") is not None
    return node.type in _IMPORTS


def _is_exported(tree: SyntaxTree, above: Sequence[Node]) -> bool:
    """Whether a name is only given to other modules: `export { a }`, `module.exports = { a }`."""
    node = next((each for each in above if each.type not in {"object", "pair"}), None)
    if node is None or node.type in _EXPORTS:
        return node is not None
    left = node.child_by_field_name("left") if node.type == "assignment_expression" else None
    return left is not None and _EXPORTED.match(tree.text(left)) is not None


def _holders(tree: SyntaxTree, path: list[Node]) -> frozenset[str]:
    """The words of what holds a place: `a` and `b` of `a.b = …`, `const {a, b} = …`."""
    nodes = islice(reversed(path), _NODES_HOLDING)
    fields = (node.child_by_field_name(field) for node in nodes for field in _HOLDER_FIELDS)
    sizes = ((field, field.end_byte - field.start_byte) for field in fields if field is not None)
    texts = (tree.text(field) for field, size in sizes if size <= _HOLDER_LIMIT)
    return frozenset(word for text in texts for word in re.findall(r"\w+", text))


def _is_called(tree: SyntaxTree, path: list[Node]) -> bool:
    """Whether the innermost node of `path` is what a call names."""
    node = path[-1]
    for parent in islice(reversed(path), 1, _NODES_ABOVE):
        if parent.type in _CALLS:
            return _callee(parent) == node or _is_made(tree, parent, node)
        if parent.type == "token_tree":  # the tokens of a macro of Rust
            return tree.source[node.end_byte : node.end_byte + 1] == b"("
        if parent.type in _LAST:
            leading = last(parent)
        else:
            leading = first(parent) if parent.type in _FIRST else None
        if leading != node:
            return False
        node = parent
    return False


def _callee(call: Node) -> Node | None:
    fields = (call.child_by_field_name(field) for field in _CALLEE_FIELDS)
    return next((child for child in fields if child is not None), first(call))


def _is_made(tree: SyntaxTree, call: Node, node: Node) -> bool:
    """Whether `call` is `Node.new` of Ruby, which calls the class."""
    method = call.child_by_field_name("method")
    if method is None or tree.text(method) != "new":
        return False
    return call.child_by_field_name("receiver") == node
