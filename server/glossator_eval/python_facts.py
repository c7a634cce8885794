"""The facts of a Python file, from its syntax tree."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence

from glossator.core.text import split_lines
from glossator_eval.facts import Definition, Fact, FileFacts, Lines
from glossator_eval.python_functions import function_facts
from glossator_eval.python_nodes import (
    Function,
    assigned,
    at,
    dotted,
    is_plain,
    last,
    short,
    stored,
    whole,
)


def python_facts(path: str, text: str) -> FileFacts | None:
    """None if the text is not Python of this version."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    reader = _Reader(path, text)
    reader.read(tree)
    return reader.file


class _Reader:
    """Walks one file."""

    def __init__(self, path: str, text: str) -> None:
        self.file = FileFacts(path, "python", tuple(split_lines(text)))
        self._stored: Counter[str] = Counter()  # how often each name is assigned
        self._defined: Counter[str] = Counter()  # and how often it is defined

    def read(self, tree: ast.Module) -> None:
        """All of it."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                self._stored[stored(node)] += 1
            if isinstance(node, ast.ClassDef):
                names = tuple(filter(None, (last(each) for each in node.bases)))
                known = self.file.bases.get(node.name, ())
                self.file.bases[node.name] = (*known, *names)
            if isinstance(node, ast.ClassDef | Function):
                self._defined[node.name] += 1
                self.file.definitions.append(Definition(node.name, *whole(node), node.lineno))
        self.file.definitions.sort(key=lambda each: (each.first, -each.last))
        self._imports(tree)
        self._constants(tree.body, "", None)
        self._scope(tree.body, "")

    def _scope(self, body: Sequence[ast.stmt], owner: str) -> None:
        for node in body:
            if isinstance(node, Function):
                function_facts(self.file, node, owner, once=self._defined[node.name] == 1)
            elif isinstance(node, ast.ClassDef):
                self._class(node)
                self._scope(node.body, node.name)

    def _imports(self, tree: ast.Module) -> None:
        top = set(map(id, tree.body))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                module = "." * node.level + (node.module or "")
                for alias in node.names:
                    self.file.allow("import", (alias.asname or alias.name, module), at(node))
                    terms = alias.name, module
                    if id(node) in top and alias.name != "*" and node.module:
                        here = node.lineno, alias.lineno
                        self.file.add(Fact("import", terms, here, self._around(here), here))
                    else:
                        self.file.allow("import", terms, at(node))

    def _constants(self, body: Sequence[ast.stmt], owner: str, within: Lines | None) -> None:
        for node in body:
            target, value = assigned(node)
            if target is None or value is None:
                continue
            text = short(self.file.lines, value)
            once = self._stored[target.id] == 1
            if once and text and is_plain(value) and not target.id.startswith("__"):
                here = at(node)
                around = within or self._around(here)
                self.file.add(Fact("constant", (target.id, text), here, around, here, owner))
            else:
                self.file.allow("constant", (target.id, ast.unparse(value)), at(node))

    def _around(self, lines: Lines) -> Lines:
        return max(1, lines[0] - 3), min(len(self.file.lines), lines[1] + 3)

    def _class(self, node: ast.ClassDef) -> None:
        within = whole(node)
        head = node.lineno, max(node.lineno, node.body[0].lineno - 1)
        for base in node.bases:
            if name := dotted(base):
                here = node.lineno, at(base)[1]
                self.file.add(Fact("base", (node.name, name), here, within, here))
        for method in node.body:
            if isinstance(method, Function):
                here, top = (method.lineno, method.lineno), (node.lineno, node.lineno)
                self.file.add(Fact("member", (node.name, method.name), here, within, top))
        for each in ast.walk(node):
            names = [each.name] if isinstance(each, Function | ast.ClassDef) else []
            if isinstance(each, ast.Name | ast.Attribute) and isinstance(each.ctx, ast.Store):
                names = [stored(each)]
            for name in names:
                self.file.allow("member", (node.name, name), head)
        self._constants(node.body, node.name, within)
