"""Jobs on one document: its outline, imports, names, calls, and its statements.

Statements are nested, so that an extract can keep to whole ones.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, TypeVar

from tree_sitter import Node

from glossator.core.span import Statement
from glossator.core.text import split_lines
from glossator.symbols.imports import Import, imports
from glossator.symbols.references import calls_in, is_name
from glossator.symbols.sources import Library, SourceText, editor_text, outlines
from glossator.symbols.symbol import Symbol
from glossator.symbols.tree import parse
from glossator.worker import Job, JobFailed, Slices, Trouble, attempt

R = TypeVar("R")

_MAX_DEPTH = 200  # nodes from the root
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


@dataclass(frozen=True, slots=True)
class _DocumentJob(Job[R]):
    """A job that parses one document."""

    urgent: ClassVar[bool] = True

    library: Library
    path: str
    text: str

    def run(self) -> Slices[R]:
        """Hash the text, then parse it. Raises `JobFailed` if that fails at the text."""
        text = editor_text(self.path, self.text)
        yield None
        done = attempt(text.item("is not parsed"), partial(self.result, text))
        if isinstance(done, Trouble):
            raise JobFailed(f"{done.in_words}. It is tried again when the file changes.")
        return done

    @abstractmethod
    def result(self, text: SourceText) -> R:
        """What the job returns."""


@dataclass(frozen=True, slots=True)
class OutlineOf(_DocumentJob[tuple[Symbol, ...]]):
    """The symbols of a document; none in a language without a grammar.

    With `name`, only those of that name; with `name_line`, only those whose name is on that line.
    """

    name: str | None = None
    name_line: int | None = None

    def result(self, text: SourceText) -> tuple[Symbol, ...]:
        """The kept outline, or a newly parsed one."""
        with outlines(self.library) as kept:
            return tuple(
                symbol
                for symbol in kept.of(text, self.name or "")
                if (self.name is None or symbol.name == self.name)
                and (self.name_line is None or symbol.name_line == self.name_line)
            )


@dataclass(frozen=True, slots=True)
class ImportsOf(_DocumentJob[tuple[Import, ...]]):
    """What a document imports; nothing in a language without a grammar."""

    def result(self, text: SourceText) -> tuple[Import, ...]:
        """The imports, in document order."""
        return () if text.language is None else imports(text.text, text.language)


@dataclass(frozen=True, slots=True)
class IsName(_DocumentJob[bool]):
    """Whether an identifier of code stands at an offset of a document; see `is_name`."""

    offset: int

    def result(self, text: SourceText) -> bool:
        """The answer; False in a language without a grammar."""
        return text.language is not None and is_name(text.text, text.language, self.offset)


@dataclass(frozen=True, slots=True)
class CallsOf(_DocumentJob[tuple[tuple[str, int], ...]]):
    """What lines of a document call: names with their 1-based lines, in document order."""

    first_line: int
    last_line: int

    def result(self, text: SourceText) -> tuple[tuple[str, int], ...]:
        """The result; None if the text is above the library's `parse_limit`."""
        if text.language is None or len(text.text) > self.library.parse_limit:
            return ()
        lines = split_lines(text.text)
        called = calls_in(text.text, text.language, self.first_line, self.last_line)
        return tuple((lines[at.line - 1][at.start : at.end], at.line) for at in called)


@dataclass(frozen=True, slots=True)
class StatementsIn(_DocumentJob[tuple[Statement, ...]]):
    """The statements that touch lines of a document; see `statements`."""

    first_line: int
    last_line: int

    def result(self, text: SourceText) -> tuple[Statement, ...]:
        """The result; None if the text is above the library's `parse_limit`."""
        if text.language is None or len(text.text) > self.library.parse_limit:
            return ()
        return statements(text.text, text.language, self.first_line, self.last_line)


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
        """The statements in a body, each with its node."""
        for child in body.named_children:
            start, end = _rows(child)
            if end < self.first:
                continue
            if start > self.last:
                return
            if depth < _MAX_DEPTH and self._is_body(child):
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
        for child in node.named_children if depth < _MAX_DEPTH else ():
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
