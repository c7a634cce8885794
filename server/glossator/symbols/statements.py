"""The statements of a text, nested, so that an extract can keep to whole ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from glossator.core.span import Statement
from glossator.symbols.tree import parse

_MOST_DEEP = 200  # nodes from the root
_BODIES = re.compile(  # nodes whose children are statements; of lists only those of declarations
    r"""(?:.*_)?(?:block|body|body_statement|suite|program|source_file|unit|chunk
        |statements?_list|do_group
    |compound_statement|then|begin|document|section)
    |(?:field_|ordered_field_)?declaration_list|enum_variant_list|enumerator_list|var_spec_list
    |const_declaration|object_type|interface_type|preproc_.*""",
    re.VERBOSE,
)
_BODIES_OF = {  # by language
    "json": frozenset({"object", "array"}),
    "markdown": frozenset({"list", "section"}),
    "python": frozenset({"module"}),
    "toml": frozenset({"table", "table_array_element"}),
    "yaml": frozenset({"block_mapping", "block_sequence"}),
}
_NOT_BODIES = frozenset(
    "preproc_def preproc_function_def preproc_include preproc_call fenced_code_block"
    " indented_code_block html_block".split()
)
_LEADING = re.compile(r".*comment.*|attribute_item|inner_attribute_item|attribute_list|annotation")


def statements(text: str, language: str, first_line: int, last_line: int) -> tuple[Statement, ...]:
    """The statements that touch these lines (1-based, inclusive); none in too large a text."""
    tree = parse(text, language)
    if tree is None:
        return ()
    reader = _Reader(language, first_line - 1, last_line - 1)
    return tuple(_joined(reader.statements(tree.root, 0)))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads statements that touch rows (0-based, inclusive)."""

    language: str
    first: int
    last: int

    def statements(self, body: Node, depth: int) -> Iterator[tuple[Node, Statement]]:
        """Those in a body, each with its node."""
        for child in body.named_children:
            start, end = _rows(child)
            if end < self.first:
                continue
            if start > self.last:
                return
            if depth < _MOST_DEEP and self._is_body(child):
                yield from self.statements(child, depth + 1)
                continue
            inner = tuple(
                each
                for inside in self._bodies(child, depth)
                for each in _joined(self.statements(inside, depth + 1))
                if each.first_line - 1 > start
            )
            yield child, Statement(start + 1, end + 1, self._head(child, depth) + 1, inner)

    def _bodies(self, node: Node, depth: int) -> Iterator[Node]:
        """The outermost bodies below `node`."""
        for child in node.named_children if depth < _MOST_DEEP else ():
            if self._is_body(child):
                yield child
            elif (rows := _rows(child))[0] < rows[1]:
                yield from self._bodies(child, depth + 1)

    def _head(self, node: Node, depth: int) -> int:
        """The last row before the body of `node`, or of the docstring that begins it."""
        start, end = _rows(node)
        for body in self._bodies(node, depth):
            if body.named_children and (row := _rows(body.named_children[0])[0]) > start:
                return _docstring(body) or row - 1
        return end

    def _is_body(self, node: Node) -> bool:
        kind = node.type
        if kind in _BODIES_OF.get(self.language, ()):
            return True
        return _BODIES.fullmatch(kind) is not None and kind not in _NOT_BODIES


def _rows(node: Node) -> tuple[int, int]:
    start, end = node.start_point.row, node.end_point.row
    return start, max(start, end - 1 if node.end_point.column == 0 else end)


def _docstring(body: Node) -> int:
    """The last row of the string that begins a body as its documentation; 0: there is none."""
    first = body.named_children[0]
    if first.type == "expression_statement" and first.named_children:
        string = first.named_children[0]
    else:
        string = first
    return _rows(string)[1] if string.type == "string" else 0


def _joined(found: Iterable[tuple[Node, Statement]]) -> Iterator[Statement]:
    """The statements in order: comments with what stands below them, one for shared lines."""
    last: Statement | None = None
    leading = False
    for node, each in found:
        leads = _LEADING.fullmatch(node.type) is not None
        if last is None:
            last, leading = each, leads
        elif each.first_line <= last.last_line:
            end = max(last.last_line, each.last_line)
            last, leading = Statement(last.first_line, end, end), False
        elif leading and each.first_line == last.last_line + 1:
            last = Statement(last.first_line, each.last_line, each.head_line, each.inner)
            leading = leads
        else:
            yield last
            last, leading = each, leads
    if last is not None:
        yield last
