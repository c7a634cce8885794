"""What a shell command says, as far as that is plain.

Understood are programs with literal words, joined by `;`, `&&`, `||`, `|` and line ends, and
redirections to literal names. Everything else is `Unclear`: whatever expands, substitutes, assigns,
loops, defines, quotes in rare ways or runs in the background. The grammar is more lenient than a
shell is, so three things must agree: the tree holds only kinds of nodes named here, what lies
between them is blank, and a plain tokeniser (`shlex`) finds the same tokens.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace

from glossator.workspace.shell_tree import Piece, shell_tree


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirection to or from a file; `>&` to a number only joins two streams."""

    operator: str
    target: str
    descriptor: str = ""

    @property
    def writes(self) -> bool:
        """Whether it may create or change a file."""
        return self.operator not in {"<", ">&"} and self.target != "/dev/null"


@dataclass(frozen=True, slots=True)
class Simple:
    """One program with its words, literal and without their quotes."""

    words: tuple[str, ...]
    redirects: tuple[Redirect, ...] = ()

    @property
    def text(self) -> str:
        """The words joined by blanks; one that is not plain is quoted. Redirections are not in."""
        return shlex.join(self.words)

    @property
    def writes(self) -> tuple[str, ...]:
        """The files that redirections may create or change, as they are named."""
        return tuple(each.target for each in self.redirects if each.writes)


@dataclass(frozen=True, slots=True)
class Script:
    """The programs that a command runs, in order; whether one runs may depend on those before."""

    commands: tuple[Simple, ...]


@dataclass(frozen=True, slots=True)
class Unclear:
    """What a command does is not plain from its text; `reason` is a sentence for the user."""

    reason: str


def parse(command: str) -> Script | Unclear:
    """What `command` says, as bash and as a plain POSIX shell take it."""
    if _CONTROL.search(command):
        return Unclear("It holds control characters.")
    source = command.encode("utf-8", "replace")
    tree = shell_tree(source)
    if tree is None:
        return Unclear("It is too long or too deeply nested.")
    try:
        script = Script(tuple(_Reader(source).statements(tree)))
        if _tokens(source) != list(_leaves(source, tree)):
            return Unclear("Its quoting is unusual.")
    except _NotPlain as error:
        return Unclear(str(error))
    return script if script.commands else Unclear("It runs nothing.")


class _NotPlain(Exception):
    """Something that is not understood; the message is the reason."""


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
_PROGRAM = re.compile(r"[A-Za-z0-9_./+-]+")
_WORD = re.compile(r"(?:[A-Za-z0-9_./:,@%+=^-]|(?<=[A-Za-z0-9^~])~)+")
_NUMBER = re.compile(r"\d")
_BLANK = re.compile(rb"[ \t]*")
_BLANK_OR_LINE = re.compile(rb"[ \t\n]*")
_RESERVED = frozenset(
    "if then else elif fi case esac for select while until do done in function time coproc".split()
)
_JOINING = frozenset({";", "&&", "||", "|", "\n"})
_REDIRECTING = frozenset({"<", ">", ">>", ">|", ">&"})
_WORDS = frozenset({"word", "number", "string", "raw_string", "concatenation"})
_REASONS = {
    "variable_assignment": "It sets a variable.",
    "declaration_command": "It sets or exports a variable.",
    "unset_command": "It changes a variable.",
    "simple_expansion": "It holds a variable.",
    "expansion": "It holds a variable.",
    "arithmetic_expansion": "It holds arithmetic.",
    "command_substitution": "It holds a command substitution.",
    "process_substitution": "It holds a process substitution.",
    "brace_expression": "It holds a brace expansion.",
    "heredoc_redirect": "It holds a here-document.",
    "herestring_redirect": "It holds a here-string.",
    "function_definition": "It defines a function.",
    "comment": "It holds a comment.",
    "subshell": "It starts a subshell.",
    "compound_statement": "It groups commands.",
    "negated_command": "It negates a command.",
    "test_command": "It holds a test in brackets.",
    "&": "It runs something in the background.",
    "ERROR": "It is no valid command.",
    "MISSING": "It is no valid command.",
}


class _Reader:
    """Reads simple commands off a tree; raises `_NotPlain`."""

    def __init__(self, source: bytes) -> None:
        self._source = source

    def statements(self, piece: Piece) -> Iterator[Simple]:
        match piece.kind:
            case "program" | "list" | "pipeline":
                whole = Piece("", 0, len(self._source)) if piece.kind == "program" else piece
                self._only_blank(piece.pieces, whole, _BLANK_OR_LINE)
                for each in piece.pieces:
                    if each.kind not in _JOINING:
                        yield from self.statements(each)
            case "redirected_statement":
                self._only_blank(piece.pieces, piece, _BLANK)
                *inner, last = self.statements(piece.pieces[0])
                redirects = tuple(self._redirect(each) for each in piece.pieces[1:])
                yield from inner
                yield replace(last, redirects=last.redirects + redirects)
            case "command":
                yield self._simple(piece)
            case kind:
                raise _NotPlain(_REASONS.get(kind, "It holds more than programs and their words."))

    def _simple(self, piece: Piece) -> Simple:
        self._only_blank(piece.pieces, piece, _BLANK)
        name, *rest = piece.pieces
        if name.kind != "command_name":
            raise _NotPlain(_REASONS.get(name.kind, "It does not begin with a program."))
        program = self._text(name)
        if [each.kind for each in name.pieces] != ["word"] or not _PROGRAM.fullmatch(program):
            raise _NotPlain("The name of a program in it is not plain.")
        if program in _RESERVED:
            raise _NotPlain(f"It holds the shell's word {program}.")
        words = [self._word(each) for each in rest if each.kind != "file_redirect"]
        redirects = [self._redirect(each) for each in rest if each.kind == "file_redirect"]
        return Simple((program, *words), tuple(redirects))

    def _word(self, piece: Piece) -> str:
        text = self._text(piece)
        match piece.kind:
            case "word" | "number" if not piece.pieces:
                if not _WORD.fullmatch(text):
                    raise _NotPlain(f"It holds {text!r}, which the shell may expand.")
                return text
            case "raw_string":
                return text[1:-1]
            case "string":
                inner = text[1:-1]
                kinds = {each.kind for each in piece.pieces}
                if not kinds <= {'"', "string_content"} or re.search(r'[$`\\"]', inner):
                    raise _NotPlain("It holds quotes with something to expand in them.")
                return inner
            case "concatenation":
                self._only_blank(piece.pieces, piece, re.compile(b""))
                return "".join(map(self._word, piece.pieces))
            case kind:
                raise _NotPlain(_REASONS.get(kind, "It holds a word that the shell may expand."))

    def _redirect(self, piece: Piece) -> Redirect:
        if piece.kind != "file_redirect":
            raise _NotPlain(_REASONS.get(piece.kind, "It redirects in an unusual way."))
        self._only_blank(piece.pieces, piece, _BLANK)
        pieces = list(piece.pieces)
        descriptor = ""
        if pieces and pieces[0].kind == "file_descriptor":
            descriptor = self._text(pieces.pop(0))
        if len(pieces) != 2 or pieces[0].kind not in _REDIRECTING or pieces[1].kind not in _WORDS:
            raise _NotPlain("It redirects in an unusual way.")
        target = self._word(pieces[1])
        if not target or (pieces[0].kind == ">&" and not _NUMBER.fullmatch(target)):
            raise _NotPlain("It redirects in an unusual way.")
        return Redirect(pieces[0].kind, target, descriptor)

    def _text(self, piece: Piece) -> str:
        return self._source[piece.start : piece.end].decode()

    def _only_blank(
        self, pieces: tuple[Piece, ...], whole: Piece, blank: re.Pattern[bytes]
    ) -> None:
        """Raise unless `pieces` are all that is in `whole`, but for blanks."""
        at = whole.start
        for piece in (*pieces, Piece("", whole.end, whole.end)):
            if not blank.fullmatch(self._source, at, max(at, piece.start)):
                raise _NotPlain("It holds something between its words that is not blank.")
            at = piece.end


def _leaves(source: bytes, piece: Piece) -> Iterator[str]:
    """The words and operators of a tree, in order."""
    if piece.kind in _WORDS or not piece.pieces:
        text = source[piece.start : piece.end].decode()
        if text.strip():
            yield "".join(shlex.split(text)) if piece.kind in _WORDS else text
    else:
        for each in piece.pieces:
            yield from _leaves(source, each)


def _tokens(source: bytes) -> list[str]:
    lexer = shlex.shlex(source.decode(), posix=True, punctuation_chars=";&|<>()")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\n", True, ""
    try:
        return list(lexer)
    except ValueError:  # quotes that are not closed
        raise _NotPlain(_REASONS["ERROR"]) from None
