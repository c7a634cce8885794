"""The syntax tree of a shell command: its nodes, words, redirections and here-documents."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node, Parser

from glossator.shell.script import Redirect, UncertainWord
from glossator.symbols import grammar_of

MAX_BYTES = 10_000  # parsed in about a millisecond
MAX_DEPTH = 40
WORD_KINDS = frozenset(
    "word number string raw_string concatenation simple_expansion expansion".split()
)
_WHOLE = WORD_KINDS | {"variable_assignment"}
_OPERATORS = ";&|<>()"
_PLAIN = r"[A-Za-z0-9_./:,@%+=^-]|(?<=[A-Za-z0-9^~])~"
_WORD = re.compile(f"(?:{_PLAIN})+")
_PATTERN = re.compile(f"(?:{_PLAIN}|[*?])+")
_NUMBER = re.compile(r"\d")
_VALUE = re.compile(r"\$(?:(\?|[A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})", re.ASCII)
_REDIRECTING = frozenset({"<", ">", ">>", ">|", ">&"})
BLANK = re.compile(rb"[ \t]*")
NOTHING = re.compile(b"")
REASONS = {
    "variable_assignment": "It sets a variable.",
    "variable_assignments": "It sets variables.",
    "declaration_command": "It sets or exports a variable.",
    "unset_command": "It changes a variable.",
    "simple_expansion": "It holds a variable.",
    "expansion": "It holds a variable.",
    "arithmetic_expansion": "It holds arithmetic.",
    "command_substitution": "It holds a command substitution.",
    "process_substitution": "It holds a process substitution.",
    "brace_expression": "It holds a brace expansion.",
    "heredoc_redirect": "It holds a here-document that is not plain.",
    "function_definition": "It defines a function.",
    "case_statement": "It holds a case.",
    "c_style_for_statement": "It holds arithmetic.",
    "test_command": "It holds a test in brackets.",
    "&": "It runs something in the background.",
    "ERROR": "It is no valid command.",
    "MISSING": "It is no valid command.",
}
_MAX_DOCUMENTS = 8
_PLACE = b"<<<_"  # what stands in for a here-document
# its beginning, up to the end of the line; what could quote a line end may not follow
_DOCUMENT = re.compile(
    rb"""<<[ \t]*(?:'(?P<raw>\w+)'|"(?P<quoted>\w+)"|(?P<bare>\w+))(?=[ \t\n;|&)>])"""
    rb"""(?P<rest>[^\n'"\\`$<#]*)\n"""
)
_EXPANDING = re.compile(rb"[$`\\]")


@dataclass(frozen=True, slots=True)
class ShellNode:
    """A node of the tree: its kind (`ERROR` and `MISSING` included) and its bytes, as UTF-8."""

    kind: str
    start: int
    end: int
    children: tuple[ShellNode, ...] = ()


def syntax_tree(command: bytes) -> ShellNode | None:
    """`command` by the grammar of bash; None if it is longer or deeper than what people write."""
    if len(command) > MAX_BYTES:
        return None
    return _plain_node(Parser(grammar_of("bash")).parse(command).root_node, MAX_DEPTH)


def _plain_node(parsed: Node, depth: int) -> ShellNode | None:
    if not depth:
        return None
    children = []
    for each in parsed.children:
        child = _plain_node(each, depth - 1)
        if child is None:
            return None
        children.append(child)
    kind = "MISSING" if parsed.is_missing else parsed.type
    return ShellNode(kind, parsed.start_byte, parsed.end_byte, tuple(children))


class NotPlain(Exception):
    """Something that is not understood; the message is the reason."""


class WordReader:
    """Reads single words.

    `documents` are the texts of here-documents, by where a here-string stands in their place.
    """

    def __init__(self, source: bytes, documents: Mapping[int, str]) -> None:
        self.source = source
        self._documents = documents
        self.values: dict[str, str] = {}  # of loop variables

    def word(self, node: ShellNode) -> str:
        """A word as the program gets it, or `UncertainWord`. Raises `NotPlain`, as all of these."""
        text = self.text(node)
        match node.kind:
            case "word" | "number" if not node.children:
                if _WORD.fullmatch(text):
                    return text
                if _PATTERN.fullmatch(text):
                    return UncertainWord(text)
                raise NotPlain(f"It holds {text!r}, which the shell may expand.")
            case "raw_string":
                return text[1:-1]
            case "string":
                return self._filled(text[1:-1], quoted=True)
            case "simple_expansion" | "expansion":
                return self._filled(text, quoted=False)
            case "concatenation":
                self.only_blank(node.children, node, NOTHING)
                parts = [self.word(each) for each in node.children]
                if any(isinstance(part, UncertainWord) for part in parts):
                    raise NotPlain("It holds a word that the shell may expand.")
                return "".join(parts)
            case kind:
                raise NotPlain(REASONS.get(kind, "It holds a word that the shell may expand."))

    def _filled(self, text: str, *, quoted: bool) -> str:
        """`text` with the values of loop variables; a `$?` is some number."""
        if re.search(r'[$`\\"]', _VALUE.sub("", text)):
            raise NotPlain(
                "It holds quotes with something to expand in them."
                if quoted
                else REASONS["expansion"]
            )
        names = [match[1] or match[2] for match in _VALUE.finditer(text)]
        values = {name: self._value(name, quoted=quoted) for name in names}
        filled = _VALUE.sub(lambda match: values[match[1] or match[2]], text)
        whole = len(names) == 1 and _VALUE.fullmatch(text)
        if not any(isinstance(value, UncertainWord) for value in values.values()):
            return filled
        if not whole and any(
            name != "?" for name in names if isinstance(values[name], UncertainWord)
        ):
            raise NotPlain(REASONS["expansion"])
        return UncertainWord(filled)

    def _value(self, name: str, *, quoted: bool) -> str:
        if name == "?":
            return UncertainWord("$?")
        value = self.values.get(name)
        if value is None or not (
            quoted or isinstance(value, UncertainWord) or _WORD.fullmatch(value)
        ):
            raise NotPlain(REASONS["expansion"])
        return value

    def fed(self, node: ShellNode) -> str:
        """What a here-string or a here-document gives to a program, its line end aside."""
        self.only_blank(node.children, node, BLANK)
        if [each.kind for each in node.children[:1]] != ["<<<"] or len(node.children) != 2:
            raise NotPlain("It redirects in an unusual way.")
        document = self._documents.get(node.start)
        return self.word(node.children[1]) if document is None else document

    def redirect(self, node: ShellNode) -> Redirect:
        """A redirection to or from a file of a literal name."""
        if node.kind != "file_redirect":
            raise NotPlain(REASONS.get(node.kind, "It redirects in an unusual way."))
        self.only_blank(node.children, node, BLANK)
        children = list(node.children)
        descriptor = ""
        if children and children[0].kind == "file_descriptor":
            descriptor = self.text(children.pop(0))
        if (
            len(children) != 2
            or children[0].kind not in _REDIRECTING
            or children[1].kind not in WORD_KINDS
        ):
            raise NotPlain("It redirects in an unusual way.")
        target = self.word(children[1])
        is_number = _NUMBER.fullmatch(target) is not None
        if (
            not target
            or isinstance(target, UncertainWord)
            or (children[0].kind == ">&" and not is_number)
        ):
            raise NotPlain("It redirects in an unusual way.")
        return Redirect(children[0].kind, target, descriptor)

    def text(self, node: ShellNode) -> str:
        """What stands there."""
        return self.source[node.start : node.end].decode("utf-8", "replace")

    def only_blank(
        self, children: tuple[ShellNode, ...], whole: ShellNode, blank: re.Pattern[bytes]
    ) -> None:
        """Raise unless `children` are all that is in `whole`, but for blanks."""
        at = whole.start
        for node in (*children, ShellNode("", whole.end, whole.end)):
            if not blank.fullmatch(self.source, at, max(at, node.start)):
                raise NotPlain("It holds something between its words that is not blank.")
            at = node.end


def leaves(node: ShellNode, whole: frozenset[str]) -> Iterator[ShellNode]:
    """What has nothing below it, or is of a kind in `whole`, in order."""
    if node.kind in whole or not node.children:
        yield node
    else:
        for each in node.children:
            yield from leaves(each, whole)


def without_documents(source: bytes) -> tuple[bytes, ShellNode, Mapping[int, str]]:
    """`source` and its tree with a here-string for each here-document; the texts of these."""
    documents: dict[int, str] = {}
    while True:
        tree = syntax_tree(source)
        if tree is None:
            raise NotPlain("It is too long or too deeply nested.")
        found = next(_below(tree, "heredoc_redirect"), None)
        if found is None:
            return source, tree, documents
        if len(documents) == _MAX_DOCUMENTS:
            raise NotPlain("It holds many here-documents.")
        source, documents[found.start] = _cut(source, found.start)


def _cut(source: bytes, start: int) -> tuple[bytes, str]:
    """`source` without the here-document that begins at `start`, and its text."""
    match = _DOCUMENT.match(source, start)
    if match is None or source[start - 1 : start] not in (b" ", b"\t", b")"):
        raise NotPlain("It holds a here-document that is not plain.")
    end = match["raw"] or match["quoted"] or match["bare"]
    lines = source[match.end() :].split(b"\n")
    if end not in lines:
        raise NotPlain("It holds a here-document without an end.")
    count = lines.index(end)
    text = b"".join(line + b"\n" for line in lines[:count])
    if match["bare"] and _EXPANDING.search(text):
        raise NotPlain("It holds a here-document with something to expand in it.")
    rest = b"\n".join(lines[count + 1 :])
    cut = source[:start] + _PLACE + match["rest"] + b"\n" + rest
    return cut, text.decode("utf-8", "replace")


def _below(node: ShellNode, kind: str) -> Iterator[ShellNode]:
    if node.kind == kind:
        yield node
    for each in node.children:
        yield from _below(each, kind)


def shlex_agrees(source: bytes, tree: ShellNode) -> bool:
    """Whether a plain tokeniser finds the same words and operators. Raises `NotPlain`."""
    return _shlex_tokens(source) == _tree_tokens(source, tree)


def _tree_tokens(source: bytes, tree: ShellNode) -> list[str]:
    """The words and operators of a tree, in order; operators without blanks between are one."""
    found: list[str] = []
    end = -1  # of the operator before
    for node in leaves(tree, _WHOLE):
        text = source[node.start : node.end].decode()
        if node.kind == "comment" or not text.strip():
            continue
        is_word = node.kind in _WHOLE
        is_operator = not is_word and not text.strip(_OPERATORS)
        if is_operator and node.start == end:
            found[-1] += text
        else:
            found.append("".join(shlex.split(text)) if is_word else text)
        end = node.end if is_operator else -1
    return found


def _shlex_tokens(source: bytes) -> list[str]:
    lexer = shlex.shlex(source.decode(), posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\n", True, "#"
    try:
        return list(lexer)
    except ValueError:  # quotes that are not closed
        raise NotPlain(REASONS["ERROR"]) from None
