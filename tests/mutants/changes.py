"""What may be changed in a module so that it behaves otherwise: one small edit of its source each.

Left alone is what has no behaviour of its own: annotations, imports, docstrings, decorators, what
is only logged, and the words of texts.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

_Part: TypeAlias = ast.expr | ast.stmt
_Source: TypeAlias = Callable[[_Part], str]  # of a part as it stands in the module

_SIGNS: dict[type[ast.cmpop], tuple[str, str]] = {  # as written, and what takes its place
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_SWAPPED: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "//",
    ast.FloorDiv: "*",
    ast.BitOr: "&",
    ast.BitAnd: "|",
}
_OTHER_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}
_ORDERING = {"reversed", "sorted"}
_LOGS = {"_log", "log", "logger"}
_SHOWN = 120  # characters of a change
_ATOMS = (ast.Attribute, ast.Call, ast.Constant, ast.Name, ast.Subscript)


@dataclass(frozen=True, slots=True)
class Change:
    """On a line (1-based) `was` becomes `now`.

    `statement` is the line as it stands, `source` the whole module with the change.
    """

    line: int
    was: str
    now: str
    statement: str
    source: str

    @property
    def told(self) -> str:
        """The change on a line."""
        was, now = (" ".join(text.split())[:_SHOWN] for text in (self.was, self.now))
        there = "" if self.statement.startswith(self.was) else f"{self.statement}: "
        return f"line {self.line}: {there}{was}  ->  {now}"


def changes(source: str) -> list[Change]:
    """Every change of a module that still is a program, and another one; by line."""
    tree = ast.parse(source)
    text = source.encode()
    lines = text.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, lines))]

    def place(part: _Part) -> slice:
        last, end = part.end_lineno, part.end_col_offset
        assert last is not None
        assert end is not None
        return slice(starts[part.lineno - 1] + part.col_offset, starts[last - 1] + end)

    def said(part: _Part) -> str:
        return text[place(part)].decode()

    found = {ast.dump(tree): Change(0, "", "", "", source)}
    whole: set[ast.expr] = set()  # conditions: what notices True and False notices a "not"
    for node in _acting(tree):
        whole.update(_conditions(node))
        for part, now in () if node in whole and _is_negatable(node) else _instead(node, said):
            at = place(part)
            changed = (text[: at.start] + now.encode() + text[at.stop :]).decode()
            try:
                means = ast.dump(ast.parse(changed))
            except SyntaxError:
                continue
            statement = lines[part.lineno - 1].decode().strip()
            found.setdefault(means, Change(part.lineno, said(part), now, statement, changed))
    return sorted([each for each in found.values() if each.line], key=lambda each: each.line)


def _acting(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that have a behaviour, outer ones first."""
    left_alone: list[ast.AST | None] = []
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            left_alone = [*node.decorator_list, node.returns]
        case ast.ClassDef():
            left_alone = [*node.decorator_list]
        case ast.arg() | ast.AnnAssign():
            left_alone = [node.annotation]
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.JoinedStr():
            return  # where the parts of a text stand is not told before Python 3.12
        case ast.Assign(targets=[ast.Name(id=name)]) if name == "__all__" or _is_class(name):
            return
    yield node
    for child in ast.iter_child_nodes(node):
        if child not in left_alone:
            yield from _acting(child)


def _is_class(name: str) -> bool:
    name = name.lstrip("_")
    return name[:1].isupper() and not name.isupper()


def _instead(node: ast.AST, said: _Source) -> Iterator[tuple[_Part, str]]:
    """A part of the node, or itself, and what may stand there instead."""
    for test in _conditions(node):
        yield from ((test, word) for word in ("True", "False"))
    match node:
        case ast.While(test=test):
            yield test, "False"
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield value, "None"
        case ast.stmt() if _may_go(node):
            yield node, "pass"
        case ast.expr():
            yield from ((node, now) for now in (*_logic(node, said), *_values(node, said)))


def _is_negatable(node: ast.AST) -> bool:
    """Whether all that could be done to it is to say the opposite."""
    match node:
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Compare(ops=[op]):
            return not isinstance(op, _ORDERS)
    return False


def _conditions(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.match_case(guard=ast.expr() as test):
            return [test]
        case ast.comprehension(ifs=tests):
            return tests
    return []


def _may_go(statement: ast.stmt) -> bool:
    """Whether what comes after it still finds its names."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
            return name not in _LOGS
        case ast.Expr(value=ast.Call() | ast.Await() | ast.Yield() | ast.YieldFrom()):
            return True
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            return True
        case ast.AugAssign() | ast.Delete() | ast.Raise() | ast.Break() | ast.Continue():
            return True
        case ast.Return(value=None):
            return True
    return False


def _term(part: ast.expr, said: _Source) -> str:
    return said(part) if isinstance(part, _ATOMS) else f"({said(part)})"


def _logic(node: ast.expr, said: _Source) -> Iterator[str]:
    match node:
        case ast.BoolOp(op=op, values=values):
            same, other = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
            parts = [_term(value, said) for value in values]
            yield f"({f' {other} '.join(parts)})"
            yield from (f"({f' {same} '.join(rest)})" for rest in _one_less(parts))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield _term(operand, said)
        case ast.Compare(ops=ops):
            for changed in range(len(ops)):
                words = [_term(node.left, said)]
                for at, (sign, part) in enumerate(zip(ops, node.comparators, strict=True)):
                    words += _SIGNS[type(sign)][at == changed], _term(part, said)
                yield f"({' '.join(words)})"


def _values(node: ast.expr, said: _Source) -> Iterator[str]:
    match node:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _SWAPPED:
            yield f"({_term(left, said)} {_SWAPPED[type(op)]} {_term(right, said)})"
        case ast.Constant(value=bool() as value):
            yield str(not value)
        case ast.Constant(value=int() | float() as value):
            yield repr(value + 1)
        case ast.Call(func=ast.Name(id=name), args=[ordered, *_]) if name in _ORDERING:
            yield _term(ordered, said)
        case ast.Call(func=ast.Name(id=name)) if name in _OTHER_CALLS:
            yield said(node).replace(name, _OTHER_CALLS[name], 1)
        case ast.Set(elts=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
            if len(parts) > 1 and all(isinstance(part, ast.Constant) for part in parts):
                whole = said(node)
                opening, closing = (whole[0], whole[-1]) if whole[0] in "{[(" else ("(", ")")
                for rest in _one_less([said(part) for part in parts]):
                    yield f"{opening}{', '.join(rest)},{closing}"


def _one_less(parts: Sequence[str]) -> Iterator[list[str]]:
    for at in range(len(parts)):
        yield [*parts[:at], *parts[at + 1 :]]
