"""Small questions about nodes of Python's syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from glossator_eval.facts import Lines

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_LONGEST = 40  # characters of a value or an expression
_SHORTEST_STRING = 3


def short(lines: Sequence[str], node: ast.expr) -> str:
    """The source of an expression, if it is short and on one line; else ""."""
    if node.lineno != node.end_lineno:
        return ""
    line = lines[node.lineno - 1].encode()  # columns of the tree count bytes
    text = line[node.col_offset : node.end_col_offset].decode()
    return text if len(text) <= _LONGEST else ""


def whole(node: Function | ast.ClassDef) -> Lines:
    """All its lines, decorators included."""
    first = min((each.lineno for each in node.decorator_list), default=node.lineno)
    return first, node.end_lineno or node.lineno


def signature_end(node: Function) -> int:
    """The last line of its signature."""
    args = node.args
    ends = [node.lineno]
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, *args.defaults, *args.kw_defaults]
    ends += [each.end_lineno or 0 for each in (*every, args.vararg, args.kwarg) if each]
    if node.returns is not None:
        ends.append(node.returns.end_lineno or 0)
    return max(ends)


def at(node: ast.AST) -> Lines:
    """The lines of a node that has some."""
    first: int = getattr(node, "lineno", 1)
    return first, getattr(node, "end_lineno", None) or first


def own(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """All nodes but those of inner functions and classes, in order."""
    stack: list[ast.AST] = list(reversed(body))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, Function | ast.ClassDef | ast.Lambda):
            stack += reversed(list(ast.iter_child_nodes(node)))


def stored(node: ast.Name | ast.Attribute) -> str:
    """The name that is assigned."""
    return node.attr if isinstance(node, ast.Attribute) else node.id


def assigned(node: ast.stmt) -> tuple[ast.Name | None, ast.expr | None]:
    """The one name that a statement assigns, and the value."""
    match node:
        case ast.Assign(targets=[ast.Name() as target], value=value):
            return target, value
        case ast.AnnAssign(target=ast.Name() as target, value=value):
            return target, value
    return None, None


def is_plain(node: ast.expr) -> bool:
    """Whether it is a number, a string, True, False or None."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int | float | str | bool | None)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
    return False


def dotted(node: ast.expr) -> str:
    """`a.b.c`; "" for anything but names and dots."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr) if before := dotted(value):
            return f"{before}.{attr}"
    return ""


def last(node: ast.expr) -> str:
    """`c` of `a.b.c`."""
    return dotted(node).rpartition(".")[2]


def callee(node: ast.expr) -> str:
    """The name that is called, without `self.`; "" if it has none."""
    if name := dotted(node):
        return name.removeprefix("self.").removeprefix("cls.")
    return node.attr if isinstance(node, ast.Attribute) else ""


def error(node: ast.expr) -> str:
    """The class that is raised; "" if it is a variable."""
    name = dotted(node.func if isinstance(node, ast.Call) else node)
    return name if name.rpartition(".")[2][:1].isupper() else ""


def caught(node: ast.expr) -> list[str]:
    """The classes that an `except` clause names."""
    kinds = node.elts if isinstance(node, ast.Tuple) else [node]
    return [name for name in map(dotted, kinds) if name.rpartition(".")[2][:1].isupper()]


def strings(nodes: Sequence[ast.AST], docstring: str | None) -> Iterator[ast.Constant]:
    """Whole literals that say something; no part of an f-string."""
    formatted = [each for each in nodes if isinstance(each, ast.JoinedStr)]
    parts = {id(part) for each in formatted for part in ast.walk(each)}
    for each in nodes:
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            text = each.value
            plain = len(text) >= _SHORTEST_STRING and text.isprintable() and "\\" not in text
            if plain and text[0].isalpha() and text != docstring and id(each) not in parts:
                yield each
