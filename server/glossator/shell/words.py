"""Words and redirections, read off the syntax tree of a shell command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from glossator.shell.script import Loose, Redirect
from glossator.shell.tree import Piece

WORDS = frozenset("word number string raw_string concatenation simple_expansion expansion".split())


class NotPlain(Exception):
    """Something that is not understood; the message is the reason."""


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


class WordReader:
    """Reads single words.

    `documents` are the texts of here-documents, by where a here-string stands in their place.
    """

    def __init__(self, source: bytes, documents: Mapping[int, str]) -> None:
        self.source = source
        self._documents = documents
        self.values: dict[str, str] = {}  # of loop variables

    def word(self, piece: Piece) -> str:
        """A word as the program gets it, or `Loose`. Raises `NotPlain`, as all of these."""
        text = self.text(piece)
        match piece.kind:
            case "word" | "number" if not piece.pieces:
                if _WORD.fullmatch(text):
                    return text
                if _PATTERN.fullmatch(text):
                    return Loose(text)
                raise NotPlain(f"It holds {text!r}, which the shell may expand.")
            case "raw_string":
                return text[1:-1]
            case "string":
                return self._filled(text[1:-1], quoted=True)
            case "simple_expansion" | "expansion":
                return self._filled(text, quoted=False)
            case "concatenation":
                self.only_blank(piece.pieces, piece, NOTHING)
                parts = [self.word(each) for each in piece.pieces]
                if any(isinstance(part, Loose) for part in parts):
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
        if not any(isinstance(value, Loose) for value in values.values()):
            return filled
        if not whole and any(name != "?" for name in names if isinstance(values[name], Loose)):
            raise NotPlain(REASONS["expansion"])
        return Loose(filled)

    def _value(self, name: str, *, quoted: bool) -> str:
        if name == "?":
            return Loose("$?")
        value = self.values.get(name)
        if value is None or not (quoted or isinstance(value, Loose) or _WORD.fullmatch(value)):
            raise NotPlain(REASONS["expansion"])
        return value

    def fed(self, piece: Piece) -> str:
        """What a here-string or a here-document gives to a program, its line end aside."""
        self.only_blank(piece.pieces, piece, BLANK)
        if [each.kind for each in piece.pieces[:1]] != ["<<<"] or len(piece.pieces) != 2:
            raise NotPlain("It redirects in an unusual way.")
        document = self._documents.get(piece.start)
        return self.word(piece.pieces[1]) if document is None else document

    def redirect(self, piece: Piece) -> Redirect:
        """A redirection to or from a file of a literal name."""
        if piece.kind != "file_redirect":
            raise NotPlain(REASONS.get(piece.kind, "It redirects in an unusual way."))
        self.only_blank(piece.pieces, piece, BLANK)
        pieces = list(piece.pieces)
        descriptor = ""
        if pieces and pieces[0].kind == "file_descriptor":
            descriptor = self.text(pieces.pop(0))
        if len(pieces) != 2 or pieces[0].kind not in _REDIRECTING or pieces[1].kind not in WORDS:
            raise NotPlain("It redirects in an unusual way.")
        target = self.word(pieces[1])
        is_number = _NUMBER.fullmatch(target) is not None
        if not target or isinstance(target, Loose) or (pieces[0].kind == ">&" and not is_number):
            raise NotPlain("It redirects in an unusual way.")
        return Redirect(pieces[0].kind, target, descriptor)

    def text(self, piece: Piece) -> str:
        """What stands there."""
        return self.source[piece.start : piece.end].decode("utf-8", "replace")

    def only_blank(self, pieces: tuple[Piece, ...], whole: Piece, blank: re.Pattern[bytes]) -> None:
        """Raise unless `pieces` are all that is in `whole`, but for blanks."""
        at = whole.start
        for piece in (*pieces, Piece("", whole.end, whole.end)):
            if not blank.fullmatch(self.source, at, max(at, piece.start)):
                raise NotPlain("It holds something between its words that is not blank.")
            at = piece.end


def outer(piece: Piece, whole: frozenset[str]) -> Iterator[Piece]:
    """What has nothing below it, or is of a kind in `whole`, in order."""
    if piece.kind in whole or not piece.pieces:
        yield piece
    else:
        for each in piece.pieces:
            yield from outer(each, whole)
