"""What a shell command says, as far as that is plain.

Understood are programs with literal words and patterns (`*.py`), with variables that are set for
one program, joined by `;`, `&&`, `||`, `|` and line ends; redirections to literal names, here-
documents and here-strings without expansions; comments, subshells, groups, `!`, `[`, `if`, `while`,
and `for` over such words, with its variable. Each part of it that is anything else is `Unknown`:
what expands, substitutes, sets variables for what follows, defines, quotes in rare ways or runs in
the background. The grammar is more lenient than a shell is, so three things must agree: the tree
holds only kinds of nodes that `reader.py` and `words.py` name, what lies between them is blank,
and a plain tokeniser (`shlex`) finds the same tokens.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

from glossator.shell.reader import Reader
from glossator.shell.script import Loose, Redirect, Script, Simple, Unclear, Unknown
from glossator.shell.tree import Piece, shell_tree
from glossator.shell.words import WORDS, NotPlain, outer

__all__ = ["Loose", "Redirect", "Script", "Simple", "Unclear", "Unknown", "parse"]


def parse(command: str) -> Script | Unclear:
    """What `command` says, as bash and as a plain POSIX shell take it."""
    if _CONTROL.search(command):
        return _unclear(command, "It holds control characters.")
    try:
        source, tree, documents = _without_documents(command.encode("utf-8", "replace"))
        parts = tuple(Reader(source, documents).parts(tree))
        if not parts:
            return _unclear(command, "It runs nothing.")
        if unknown := [each for each in parts if isinstance(each, Unknown)]:
            return Unclear(unknown[0].reason, parts)
        if _tokens(source) != _leaves(source, tree):
            return _unclear(command, "Its quoting is unusual.")
    except NotPlain as error:
        return _unclear(command, str(error))
    return Script(tuple(each for each in parts if isinstance(each, Simple)))


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
_OPERATORS = ";&|<>()"
_INVALID = "It is no valid command."
_MOST_DOCUMENTS = 8
_PLACE = b"<<<_"  # what stands in for a here-document
# its beginning, up to the end of the line; what could quote a line end may not follow
_DOCUMENT = re.compile(
    rb"""<<[ \t]*(?:'(?P<raw>\w+)'|"(?P<quoted>\w+)"|(?P<bare>\w+))(?=[ \t\n;|&)>])"""
    rb"""(?P<rest>[^\n'"\\`$<#]*)\n"""
)
_EXPANDING = re.compile(rb"[$`\\]")


def _unclear(command: str, reason: str) -> Unclear:
    return Unclear(reason, (Unknown(command.strip(), reason),))


def _without_documents(source: bytes) -> tuple[bytes, Piece, Mapping[int, str]]:
    """`source` and its tree with a here-string for each here-document; the texts of these."""
    documents: dict[int, str] = {}
    while True:
        tree = shell_tree(source)
        if tree is None:
            raise NotPlain("It is too long or too deeply nested.")
        found = next(_below(tree, "heredoc_redirect"), None)
        if found is None:
            return source, tree, documents
        if len(documents) == _MOST_DOCUMENTS:
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


def _below(piece: Piece, kind: str) -> Iterator[Piece]:
    if piece.kind == kind:
        yield piece
    for each in piece.pieces:
        yield from _below(each, kind)


def _leaves(source: bytes, tree: Piece) -> list[str]:
    """The words and operators of a tree, in order; operators without blanks between are one."""
    found: list[str] = []
    end = -1  # of the operator before
    for piece in outer(tree, _WHOLE):
        text = source[piece.start : piece.end].decode()
        if piece.kind == "comment" or not text.strip():
            continue
        is_word = piece.kind in _WHOLE
        is_operator = not is_word and not text.strip(_OPERATORS)
        if is_operator and piece.start == end:
            found[-1] += text
        else:
            found.append("".join(shlex.split(text)) if is_word else text)
        end = piece.end if is_operator else -1
    return found


_WHOLE = WORDS | {"variable_assignment"}


def _tokens(source: bytes) -> list[str]:
    lexer = shlex.shlex(source.decode(), posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\n", True, "#"
    try:
        return list(lexer)
    except ValueError:  # quotes that are not closed
        raise NotPlain(_INVALID) from None
