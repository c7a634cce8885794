"""What a text imports, by syntax: module names and paths as they are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from glossator.symbols.tree import SyntaxTree, first, last, parse, paths

_QUOTES = "\"'`<>"
_RUBY = frozenset({"require", "require_relative", "load", "autoload"})


@dataclass(frozen=True, slots=True)
class Import:
    """One import: a module or path, the names taken from it, and its 1-based line.

    `names` are those of the module, not their aliases: "*" for all, "default" for the default
    export of JavaScript; () where the module itself is imported.
    """

    module: str
    names: tuple[str, ...]
    line: int


def imports(text: str, language: str) -> tuple[Import, ...]:
    """The imports anywhere in `text`, in document order.

    None in a language without imports, and in a text that is too large to parse.
    """
    rule = _RULES.get(language)
    tree = parse(text, language) if rule else None
    if rule is None or tree is None:
        return ()
    found: list[Import] = []
    seen = -1  # where the last statement began
    places = (match.start() for match in rule.word.finditer(tree.source))
    for _, path in paths(tree.root, places):
        statement = next((node for node in reversed(path[-4:]) if node.type in rule.nodes), None)
        if statement is not None and statement.start_byte > seen:
            seen = statement.start_byte
            found += rule.read(tree, statement)
    return tuple(found)


def _import(node: Node, module: str, *names: str) -> Import:
    return Import("".join(module.split()), names, node.start_point.row + 1)


def _unquoted(tree: SyntaxTree, node: Node) -> str:
    return tree.text(node).strip(_QUOTES)


def _named(tree: SyntaxTree, node: Node, field: str) -> str:
    child = node.child_by_field_name(field)
    return "" if child is None else tree.text(child)


def _split(path: str, separator: str) -> tuple[str, ...]:
    """Split `a.b.C` into the module and the name: (`a.b`, `C`)."""
    module, _, name = path.rpartition(separator)
    return (module, name) if module else (name,)


def _python(tree: SyntaxTree, node: Node) -> Iterator[Import]:
    given = node.children_by_field_name("name")
    plain = [at.child_by_field_name("name") or at for at in given]
    names = ["".join(tree.text(at).split()) for at in plain]
    if node.type == "import_statement":
        yield from (_import(at, name) for at, name in zip(given, names, strict=True))
        return
    module = node.child_by_field_name("module_name")
    everything = any(child.type == "wildcard_import" for child in node.named_children)
    yield _import(
        node,
        "__future__" if module is None else tree.text(module),
        *(["*"] if everything else names),
    )


def _ecmascript(tree: SyntaxTree, node: Node) -> Iterator[Import]:
    if node.type == "call_expression":  # `require("…")` or `import("…")`
        arguments = node.child_by_field_name("arguments")
        known = _named(tree, node, "function") in {"require", "import"}
        source = first(arguments) if arguments and known else None
        names: list[str] = []
    else:
        inner = next((at for at in node.named_children if at.type == "import_require_clause"), node)
        source = inner.child_by_field_name("source")
        names = list(_ecmascript_names(tree, node))
    if source is not None and source.type == "string":
        yield _import(node, _unquoted(tree, source), *names)


def _ecmascript_names(tree: SyntaxTree, statement: Node) -> Iterator[str]:
    if statement.type == "export_statement":
        clauses = [at for at in statement.named_children if at.type == "export_clause"]
        if not clauses:
            yield "*"
    else:
        clauses = [
            part
            for clause in statement.named_children
            if clause.type == "import_clause"
            for part in clause.named_children
        ]
    for part in clauses:
        if part.type == "identifier":
            yield "default"
        elif part.type == "namespace_import":
            yield "*"
        else:
            names = (at.child_by_field_name("name") for at in part.named_children)
            yield from (_unquoted(tree, name) for name in names if name is not None)


def _go(tree: SyntaxTree, node: Node) -> Iterator[Import]:
    lists = [at for at in node.named_children if at.type == "import_spec_list"]
    for at in [*node.named_children, *(spec for every in lists for spec in every.named_children)]:
        path = at.child_by_field_name("path")
        if path is not None:
            yield _import(at, _unquoted(tree, path))


def _rust(tree: SyntaxTree, node: Node) -> Iterator[Import]:
    """One import for each module of a tree of `use`s, in the order in which they come first."""
    taken: dict[str, tuple[Node, list[str]]] = {}
    start = node.child_by_field_name("argument") or node.child_by_field_name("name")
    waiting = [(start, "")] if start else []
    while waiting:
        at, prefix = waiting.pop()
        if at.type == "scoped_use_list":
            path = at.child_by_field_name("path")
            prefix += f"{tree.text(path)}::" if path else ""
            inner = at.child_by_field_name("list")
            waiting += [(inner, prefix)] if inner else []
        elif at.type == "use_list":
            waiting += [(child, prefix) for child in reversed(at.named_children)]
        elif "comment" not in at.type:
            module, name = _rust_name(tree, at, prefix)
            names = taken.setdefault(module, (at, []))[1]
            names += [name] if name else []
    for module, (at, names) in taken.items():
        yield _import(at, module, *names)


def _rust_name(tree: SyntaxTree, node: Node, prefix: str) -> tuple[str, str]:
    if node.type == "use_wildcard":
        path = first(node)
        return prefix + tree.text(path) if path else prefix.removesuffix("::"), "*"
    named = node.child_by_field_name("path") if node.type == "use_as_clause" else node
    full = prefix + tree.text(named or node)
    module, _, name = full.rpartition("::")
    return (module, name) if module else (full, "")


def _java(tree: SyntaxTree, node: Node) -> Iterator[Import]:
    path = next((at for at in node.named_children if "identifier" in at.type), None)
    if path is None:
        return
    if any(child.type == "asterisk" for child in node.named_children):
        yield _import(node, tree.text(path), "*")
    else:
        yield _import(node, *_split(tree.text(path), "."))


def _csharp(tree: SyntaxTree, node: Node) -> Iterator[Import]:
    name = last(node)  # an alias comes before it
    if name is not None:
        yield _import(node, tree.text(name))


def _c(tree: SyntaxTree, node: Node) -> Iterator[Import]:
    path = node.child_by_field_name("path")
    if path is not None:
        yield _import(node, _unquoted(tree, path))


def _ruby(tree: SyntaxTree, node: Node) -> Iterator[Import]:
    arguments = node.child_by_field_name("arguments")
    given = [] if arguments is None else arguments.named_children
    known = _named(tree, node, "method") in _RUBY and node.child_by_field_name("receiver") is None
    if known and given and given[-1].type == "string":
        names = (tree.text(at).lstrip(":") for at in given[:-1] if at.type == "simple_symbol")
        yield _import(node, _unquoted(tree, given[-1]), *names)


def _php(tree: SyntaxTree, node: Node) -> Iterator[Import]:
    if node.type != "namespace_use_declaration":  # include, require
        value = first(node)
        if value is not None and value.type == "binary_expression":  # `__DIR__ . "/file.php"`
            value = value.child_by_field_name("right")
        if value is not None and "string" in value.type:
            yield _import(node, _unquoted(tree, value))
        return
    group = node.child_by_field_name("body")
    prefixes = [at for at in node.named_children if at.type == "namespace_name"]
    prefix = f"{tree.text(prefixes[0])}\\" if group is not None and prefixes else ""
    for clause in (group or node).named_children:
        if clause.type == "namespace_use_clause" and (path := first(clause)):
            yield _import(clause, *_split((prefix + tree.text(path)).lstrip("\\"), "\\"))


def _bash(tree: SyntaxTree, node: Node) -> Iterator[Import]:
    path = node.child_by_field_name("argument")
    if path is not None and _named(tree, node, "name") in {"source", "."}:
        yield _import(node, _unquoted(tree, path))


@dataclass(frozen=True, slots=True)
class _ImportRule:
    """The word that begins an import, the nodes that can be one, and how to read them."""

    word: re.Pattern[bytes]
    nodes: frozenset[str]
    read: Callable[[SyntaxTree, Node], Iterator[Import]]


def _rule(
    words: str, nodes: str, read: Callable[[SyntaxTree, Node], Iterator[Import]]
) -> _ImportRule:
    return _ImportRule(re.compile(words.encode()), frozenset(nodes.split()), read)


_ECMASCRIPT = _rule(
    r"\b(?:import|export|require)\b",
    "import_statement export_statement call_expression",
    _ecmascript,
)
_C = _rule(r"#[ \t]*include\b", "preproc_include", _c)
_RULES = {
    "python": _rule(
        r"\b(?:import|from)\b",
        "import_statement import_from_statement future_import_statement",
        _python,
    ),
    "javascript": _ECMASCRIPT,
    "typescript": _ECMASCRIPT,
    "tsx": _ECMASCRIPT,
    "go": _rule(r"\bimport\b", "import_declaration", _go),
    "rust": _rule(r"\b(?:use|extern)\b", "use_declaration extern_crate_declaration", _rust),
    "java": _rule(r"\bimport\b", "import_declaration", _java),
    "csharp": _rule(r"\busing\b", "using_directive", _csharp),
    "c": _C,
    "cpp": _C,
    "ruby": _rule(r"\b(?:require|require_relative|load|autoload)\b", "call", _ruby),
    "php": _rule(
        r"\b(?:use|(?:include|require)(?:_once)?)\b",
        "namespace_use_declaration include_expression include_once_expression require_expression"
        " require_once_expression",
        _php,
    ),
    "bash": _rule(r"(?<![\w.])(?:source|\.)(?=[ \t])", "command", _bash),
}
