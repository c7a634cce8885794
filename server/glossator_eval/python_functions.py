"""The facts of a Python function: its signature, and what its body does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

from glossator_eval.facts import Fact, FileFacts, Lines
from glossator_eval.python_nodes import (
    Function,
    at,
    callee,
    caught,
    dotted,
    error,
    last,
    own,
    short,
    signature_end,
    strings,
    whole,
)

_BROAD = frozenset({"Exception", "BaseException"})
_SIGNS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.Gt: ">", ast.LtE: "<=", ast.GtE: ">=",
    ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
_ORDERING = frozenset({"<", ">", "<=", ">="})

_Found: TypeAlias = tuple[str, tuple[str, ...], Lines]  # kind, terms but the subject, lines


def function_facts(file: FileFacts, node: Function, owner: str, *, once: bool) -> None:
    """Add them to those of the file. `once`: no other function there has the name."""
    reader = _Reader(file, node, owner)
    for part in _parts(node):
        for kind, terms in part[1]:
            file.allow(kind, (node.name, *terms), part[0])
    reader.leave_open()
    reader.signature(once=once)
    reader.body()


class _Reader:
    """Reads one function."""

    def __init__(self, file: FileFacts, node: Function, owner: str) -> None:
        self._file, self._node, self._owner = file, node, owner
        self._head = node.lineno, signature_end(node)
        self._own = list(own(node.body))

    def _add(self, kind: str, terms: tuple[str, ...], lines: Lines, *, holds: bool = True) -> None:
        node = self._node
        said = (node.name, *terms)
        self._file.add(Fact(kind, said, lines, whole(node), self._head, self._owner, holds=holds))

    def _short(self, node: ast.expr) -> str:
        return short(self._file.lines, node)

    def leave_open(self) -> None:
        """What cannot be said for certain: errors that are passed on, values of variables."""
        name, returns = self._node.name, False
        for each in ast.walk(self._node):
            match each:
                case ast.Raise(exc=exc) if exc is None or not error(exc):
                    self._file.leave_open("raise", name)
                case ast.ExceptHandler(type=kind):
                    if kind is None or _BROAD & set(caught(kind)) or not caught(kind):
                        self._file.leave_open("catch", name)
                case ast.Call(func=func) if callee(func).endswith("suppress"):
                    self._file.leave_open("catch", name)
                case ast.Return(value=value):
                    returns = True
                    if value is not None and not isinstance(value, ast.Constant):
                        self._file.leave_open("return", name)
        if not returns:
            self._file.leave_open("return", name)

    def signature(self, *, once: bool) -> None:
        """Parameters with types and defaults, the return type, decorators."""
        node, args = self._node, self._node.args
        static = any(last(each) == "staticmethod" for each in node.decorator_list)
        positional = [*args.posonlyargs, *args.args]
        me = positional[:1] if self._owner and not static else []
        named = [each for each in (*positional, *args.kwonlyargs) if each not in me]
        for arg in named:
            self._add("parameter", (arg.arg,), at(arg))
            if arg.annotation is not None and (text := self._short(arg.annotation)):
                self._add("parameter type", (arg.arg, text), at(arg))
        for arg in args.kwonlyargs:
            self._add("keyword-only", (arg.arg,), self._head)
        if args.kwarg:  # it takes any name, by keyword
            self._file.leave_open("parameter", node.name)
            self._file.leave_open("keyword-only", node.name)
        for kind, terms, lines in self._defaults(named):
            self._add(kind, terms, lines)
        if once and not (args.vararg or args.kwarg):
            self._count(len(named), has_self=bool(me))
        if node.returns is not None and (text := self._short(node.returns)):
            self._add("return type", (text,), self._head)
        for decorator in node.decorator_list:
            if name := dotted(decorator.func if isinstance(decorator, ast.Call) else decorator):
                self._add("decorator", (name,), (decorator.lineno, node.lineno))

    def _defaults(self, named: list[ast.arg]) -> Iterator[_Found]:
        args = self._node.args
        positional = [*args.posonlyargs, *args.args]
        after = [None] * (len(positional) - len(args.defaults))
        for arg, default in (
            *zip(positional, (*after, *args.defaults), strict=True),
            *zip(args.kwonlyargs, args.kw_defaults, strict=True),
        ):
            if default is not None:
                if text := self._short(default):
                    yield "default", (arg.arg, text), (arg.lineno, at(default)[1])
            elif arg in named:
                yield "required", (arg.arg,), at(arg)

    def _count(self, count: int, *, has_self: bool) -> None:
        self._add("no parameters", (), self._head, holds=not count)
        if count > 1:
            self._add("parameter count", (str(count),), self._head)
        if has_self:  # some count self, too
            self._file.allow("parameter count", (self._node.name, str(count + 1)), self._head)

    def body(self) -> None:
        """What the function does itself, not in inner functions."""
        for each in self._own:
            for kind, terms, lines in (*self._flow(each), *self._values(each)):
                self._add(kind, terms, lines)
        self._way()
        for text in strings(self._own, ast.get_docstring(self._node, clean=False)):
            if self._short(text)[1:-1] == text.value:
                self._add("string", (repr(text.value),), at(text))
        self._order()

    def _way(self) -> None:
        """Whether it is asynchronous, or yields."""
        yields = any(isinstance(each, ast.Yield | ast.YieldFrom) for each in self._own)
        is_async = isinstance(self._node, ast.AsyncFunctionDef)
        if is_async and yields:
            self._file.leave_open("async", self._node.name)  # it is iterated, not awaited
        else:
            self._add("async", (), self._head, holds=is_async)
        self._add("generator", (), whole(self._node), holds=yields)

    def _flow(self, node: ast.AST) -> Iterator[_Found]:
        match node:
            case ast.Call(func=func) if name := callee(func):
                yield "call", (name,), (node.lineno, at(func)[1])
            case ast.Raise(exc=exc) if exc is not None and (name := error(exc)):
                yield "raise", (name,), at(node)
            case ast.ExceptHandler(type=kind) if kind is not None:
                for name in caught(kind):
                    yield "catch", (name,), (node.lineno, at(kind)[1])
            case ast.If(test=test, body=[ast.Raise(exc=exc) as raised]) if exc is not None:
                name = error(exc)
                if name and self._raises_once(name):
                    for compared in self._compared(test):
                        yield "raise if", (name, *compared), (node.lineno, at(raised)[1])

    def _raises_once(self, name: str) -> bool:
        raised = (each.exc for each in self._own if isinstance(each, ast.Raise))
        return sum(exc is not None and error(exc) == name for exc in raised) == 1

    def _values(self, node: ast.AST) -> Iterator[_Found]:
        match node:
            case ast.Return(value=ast.Name() | ast.Constant() | ast.Attribute() as value):
                if text := self._short(value):
                    yield "return", (text,), at(node)
            case ast.Attribute(value=ast.Name("self"), attr=attr, ctx=ast.Store()):
                yield "attribute", (f"self.{attr}",), at(node)
            case ast.If(test=test) | ast.While(test=test):
                for left, sign, right in self._compared(test):
                    if sign in _ORDERING:
                        yield "comparison", (left, sign, right), at(test)

    def _compared(self, test: ast.expr) -> Iterator[tuple[str, str, str]]:
        match test:
            case ast.Compare(left=left, ops=[sign], comparators=[right]) if type(sign) in _SIGNS:
                one, other = self._short(left), self._short(right)
                if one and other:
                    yield one, _SIGNS[type(sign)], other

    def _order(self) -> None:
        """Calls of statements that come one after the other, each made once in the function."""
        made = [callee(each.func) for each in self._own if isinstance(each, ast.Call)]
        names = [name.rpartition(".")[2] for name in made]
        steps: list[tuple[str, int]] = []
        for step in self._node.body:
            if isinstance(step, ast.Expr | ast.Assign | ast.AnnAssign | ast.Return):
                calls = [each for each in own([step]) if isinstance(each, ast.Call)]
                name = callee(calls[0].func) if len(calls) == 1 else ""
                if name and names.count(name.rpartition(".")[2]) == 1:
                    steps.append((name, calls[0].lineno))
        for (first, begin), (then, end) in pairwise(steps):
            self._add("order", (first, then), (begin, end))


def _parts(node: Function) -> Iterator[tuple[Lines, list[tuple[str, tuple[str, ...]]]]]:
    """What somebody could say of the function with some right, inner functions included."""
    for each in ast.walk(node):
        possible: list[tuple[str, tuple[str, ...]]] = []
        match each:
            case ast.arg(arg=name):
                possible.append(("parameter", (name,)))
            case ast.Call(func=func, args=args):  # what is handed on may be called there
                names = (callee(func), *map(last, args))
                possible += (("call", (name,)) for name in names if name)
            case ast.Return(value=value) if value is not None:
                possible.append(("return", (ast.unparse(value),)))
            case ast.Constant(value=str(text)):
                possible.append(("string", (repr(text),)))
            case ast.Attribute(attr=attr, ctx=ast.Store()):
                possible.append(("attribute", (attr,)))
            case ast.Compare(left=left, ops=ops, comparators=rest):
                sides = pairwise(map(ast.unparse, (left, *rest)))
                signs = (_SIGNS.get(type(sign), "") for sign in ops)
                possible += (
                    ("comparison", (one, sign, other))
                    for (one, other), sign in zip(sides, signs, strict=True)
                )
            case ast.FunctionDef() | ast.AsyncFunctionDef() if each is not node:
                possible += (("async", ()), ("generator", ()))
        if possible:
            yield at(each), possible
