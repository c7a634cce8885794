"""Simple commands, read off the syntax tree of a shell command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from glossator.shell.script import MOVES, Loose, Simple, Unknown
from glossator.shell.tree import Piece
from glossator.shell.words import BLANK, NOTHING, REASONS, WORDS, NotPlain, WordReader, outer

_PROGRAM = re.compile(r"[A-Za-z0-9_./+-]+")
_BLANK_OR_LINE = re.compile(rb"[ \t\n]*")
_LOOP_NAME = re.compile(r"[a-z][a-z0-9_]*")  # none that a shell or a program obeys
_QUOTING = re.compile(r"['\"\\]")
_RESERVED = frozenset(
    "if then else elif fi case esac for select while until do done in function time coproc".split()
)
# of the shell: they may give a variable another value
_SETTING = frozenset(
    "read mapfile readarray getopts let eval source . builtin command shift set trap".split()
)
_TESTING = frozenset({"test_operator", "=", "==", "!=", "!"})
_JOINING = frozenset({";", "&&", "||", "|", "\n"})
_NO_WORDS = frozenset({"variable_assignment", "file_redirect", "heredoc_redirect", "comment"})
_MOST_COMMANDS = 200  # with every round of a loop
TOO_MANY = f"It has more than {_MOST_COMMANDS} commands, and Glossator looks at no more."

# what holds statements -> the words of the shell around them
_HOLDING: Mapping[str, frozenset[str]] = {
    "program": frozenset(),
    "list": frozenset(),
    "pipeline": frozenset(),
    "subshell": frozenset("()"),
    "compound_statement": frozenset("{}"),
    "negated_command": frozenset("!"),
    "do_group": frozenset({"do", "done"}),
    "while_statement": frozenset({"while", "until"}),
    "if_statement": frozenset({"if", "then", "fi"}),
    "elif_clause": frozenset({"elif", "then"}),
    "else_clause": frozenset({"else"}),
}


class Reader(WordReader):
    """Reads the parts of one command.

    `documents` are the texts of here-documents, by where a here-string stands in their place.
    """

    def __init__(self, source: bytes, documents: Mapping[int, str]) -> None:
        super().__init__(source, documents)
        self._repeats = False  # in a loop of which the rounds are not known
        self._count = 0
        self._pipelines = 0

    def parts(self, piece: Piece) -> list[Simple | Unknown]:
        """The simple commands in `piece`; what is not understood is as small a part as it can."""
        repeats = self._repeats
        try:
            return self._parts(piece)
        except NotPlain as error:
            return [self._unknown(piece, str(error))]
        finally:
            self._repeats = repeats

    def _parts(self, piece: Piece) -> list[Simple | Unknown]:
        if (around := _HOLDING.get(piece.kind)) is not None:
            return self._held(piece, around)
        match piece.kind:
            case "for_statement":
                return self._rounds(piece)
            case "test_command":
                return [self._test(piece)]
            case "redirected_statement":
                return self._redirected_parts(piece)
            case "command":
                self._count += 1
                if self._count > _MOST_COMMANDS:
                    raise NotPlain(TOO_MANY)
                return [self._simple(piece)]
            case kind:
                raise NotPlain(REASONS.get(kind, "It holds more than programs and their words."))

    def _held(self, piece: Piece, around: frozenset[str]) -> list[Simple | Unknown]:
        whole = Piece("", 0, len(self.source)) if piece.kind == "program" else piece
        self.only_blank(piece.pieces, whole, _BLANK_OR_LINE)
        if piece.kind == "subshell" and self.source[piece.start : piece.start + 2] == b"((":
            raise NotPlain(REASONS["arithmetic_expansion"])
        self._repeats = self._repeats or piece.kind == "while_statement"
        found: list[Simple | Unknown] = []
        ended: int | None = None  # the statement before, if nothing joins it to the next
        for each in piece.pieces:
            if each.kind == "comment":
                self._check_comment(each)
            elif each.kind in around or each.kind in _JOINING:
                ended = None
            elif not each.pieces:
                raise NotPlain(REASONS.get(each.kind, "It joins programs in an unusual way."))
            else:
                if ended is not None and b"\n" not in self.source[ended : each.start]:
                    raise NotPlain(REASONS["ERROR"])
                ended = None if each.kind in _HOLDING and each.kind.endswith("clause") else each.end
                found += self.parts(each)
        if piece.kind == "pipeline":
            self._pipelines += 1
            number = self._pipelines
            return [replace(e, pipeline=number) if isinstance(e, Simple) else e for e in found]
        return found

    def _rounds(self, piece: Piece) -> list[Simple | Unknown]:
        """A loop over words, as the programs of each round."""
        self.only_blank(piece.pieces, piece, _BLANK_OR_LINE)
        first, name, inside, *words, body = piece.pieces
        if words and words[-1].kind in _JOINING:
            words.pop()
        variable = self.text(name)
        if first.kind != "for" or inside.kind != "in" or body.kind != "do_group" or not words:
            raise NotPlain("It loops in an unusual way.")
        if not _LOOP_NAME.fullmatch(variable) or variable in self.values:
            raise NotPlain(REASONS["variable_assignment"])
        if any(each.kind not in WORDS for each in words):
            raise NotPlain("It loops in an unusual way.")
        repeats = self._repeats
        found: list[Simple | Unknown] = []
        try:
            for value in [self.word(each) for each in words]:
                if self._count > _MOST_COMMANDS:
                    raise NotPlain(TOO_MANY)
                self.values[variable] = value
                self._repeats = repeats or isinstance(value, Loose)
                round_ = self.parts(body)
                is_used = any(isinstance(e, Simple) and value in e.words for e in round_)
                if isinstance(value, Loose) and not is_used:
                    raise NotPlain("It loops over names that it does not use.")
                found += round_
        finally:
            self.values.pop(variable, None)
        return found

    def _redirected_parts(self, piece: Piece) -> list[Simple | Unknown]:
        self.only_blank(piece.pieces, piece, BLANK)
        body, *redirects = piece.pieces
        inner = self.parts(body)
        is_fed = any(each.kind == "herestring_redirect" for each in redirects)
        if is_fed and body.kind != "command":
            raise NotPlain("It redirects in an unusual way.")
        end = body
        while end.kind in ("list", "pipeline"):
            end = end.pieces[-1]
        alone = len(inner) - 1 if end.kind == "command" else 0  # else it is of all of a group
        before, inner = inner[:alone], inner[alone:]
        if unknown := [each for each in inner if isinstance(each, Unknown)]:
            raise NotPlain(unknown[0].reason)
        if not inner:
            raise NotPlain("It redirects what is not plain.")
        known = [each for each in inner if isinstance(each, Simple)]
        return [*before, *(self._redirected(each, tuple(redirects)) for each in known)]

    def _test(self, piece: Piece) -> Simple:
        """A `[ ... ]`, as a program of that name."""
        first, *inner, last = list(outer(piece, WORDS))
        texts = [self.text(first), self.text(last)]
        at = first.end
        for each in (*inner, last):
            if each.start == at or not BLANK.fullmatch(self.source, at, each.start):
                raise NotPlain(REASONS["test_command"])
            at = each.end
        is_plain = all(e.kind in WORDS or e.kind in _TESTING for e in inner)
        if texts != ["[", "]"] or not is_plain:
            raise NotPlain(REASONS["test_command"])
        words = (self.word(e) if e.kind in WORDS else self.text(e) for e in inner)
        return Simple(("[", *words, "]"))

    def _simple(self, piece: Piece) -> Simple:
        self.only_blank(piece.pieces, piece, BLANK)
        pieces = list(piece.pieces)
        variables = []
        while pieces and pieces[0].kind == "variable_assignment":
            variables.append(self._assigned(pieces.pop(0)))
        if not pieces or pieces[0].kind != "command_name":
            kind = pieces[0].kind if pieces else ""
            raise NotPlain(REASONS.get(kind, "It does not begin with a program."))
        name = pieces.pop(0)
        program = self.text(name)
        if [each.kind for each in name.pieces] != ["word"] or not _PROGRAM.fullmatch(program):
            raise NotPlain("The name of a program in it is not plain.")
        self._check_program(program)
        is_word = [each.kind in WORDS for each in pieces]
        words = [self.word(each) for each, is_one in zip(pieces, is_word, strict=True) if is_one]
        others = tuple(e for e, is_one in zip(pieces, is_word, strict=True) if not is_one)
        if self.values and program == "printf" and "".join(words[:1]).startswith("-v"):
            raise NotPlain(REASONS["variable_assignment"])
        simple = Simple((program, *words), variables=tuple(variables))
        return self._redirected(simple, others)

    def _check_program(self, program: str) -> None:
        if program in _RESERVED:
            raise NotPlain(f"It holds the shell's word {program}.")
        if program in MOVES and self._repeats:
            raise NotPlain("It changes the folder in a loop.")
        if program in _SETTING and self.values:
            raise NotPlain(REASONS["variable_assignment"])

    def _assigned(self, piece: Piece) -> str:
        """`NAME=value` before a program."""
        self.only_blank(piece.pieces, piece, NOTHING)
        if [each.kind for each in piece.pieces[:2]] != ["variable_name", "="]:
            raise NotPlain(REASONS["variable_assignment"])
        value = "".join(self.word(each) for each in piece.pieces[2:])
        if len(piece.pieces) > 3 or any(map(self._is_loose, piece.pieces[2:])):
            raise NotPlain(REASONS["variable_assignment"])
        return f"{self.text(piece.pieces[0])}={value}"

    def _is_loose(self, piece: Piece) -> bool:
        return isinstance(self.word(piece), Loose)

    def _redirected(self, simple: Simple, pieces: tuple[Piece, ...]) -> Simple:
        for piece in pieces:
            if piece.kind == "herestring_redirect":
                if simple.fed is not None:
                    raise NotPlain("It redirects in an unusual way.")
                simple = replace(simple, fed=self.fed(piece))
            else:
                simple = replace(simple, redirects=(*simple.redirects, self.redirect(piece)))
        return simple

    def _unknown(self, piece: Piece, reason: str) -> Unknown:
        below = list(_all(piece))
        hints = tuple(self._hints(below))
        programs = sum(each.kind == "command" for each in below)
        invalid = any(each.kind in ("ERROR", "MISSING") for each in below)
        opaque = len(hints) != programs or invalid
        writes = tuple(self._written(below))
        return Unknown(self.text(piece).strip(), reason, hints, writes, opaque)

    def _written(self, below: list[Piece]) -> Iterator[str]:
        """The literal names in redirections that write."""
        for each in below:
            if each.kind != "file_redirect" or any(part.kind == "<" for part in each.pieces):
                continue
            target = self._hint(each.pieces[-1])
            if not isinstance(target, Loose) and not target.isdigit():
                yield target

    def _hints(self, below: list[Piece]) -> Iterator[Simple]:
        """The programs that are named plainly among `below`, with what their words look like."""
        for each in below:
            if each.kind != "command":
                continue
            words = [part for part in each.pieces if part.kind not in _NO_WORDS]
            program = _QUOTING.sub("", self.text(words[0])) if words else ""
            if words and words[0].kind == "command_name" and _PROGRAM.fullmatch(program):
                yield Simple((program, *map(self._hint, words[1:])))

    def _hint(self, piece: Piece) -> str:
        try:
            return self.word(piece)
        except NotPlain:
            return Loose(_QUOTING.sub("", self.text(piece)))

    def _check_comment(self, piece: Piece) -> None:
        before = self.source[max(piece.start - 1, 0) : piece.start]
        if before.strip(b" \t\n") or b"\n" in self.source[piece.start : piece.end]:
            raise NotPlain("It holds a comment in an unusual place.")


def _all(piece: Piece) -> Iterator[Piece]:
    yield piece
    for each in piece.pieces:
        yield from _all(each)
