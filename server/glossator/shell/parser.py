"""Splits a shell command into simple commands, as far as it is plain.

Plain are programs with literal words and patterns (`*.py`), with variables that are set for one
program, joined by `;`, `&&`, `||`, `|` and line ends; redirections to literal names; here-documents
and here-strings without expansions; comments, subshells, groups, `!`, `[`, `if`, `while`, and `for`
over such words. Everything else is an `UnknownPart`: expansions, substitutions, variables set for
what follows, functions, rare quotes, background commands. The grammar is more lenient than a shell,
so three things must agree: the tree holds only known kinds of nodes, only blanks lie between them,
and a plain tokeniser (`shlex`) finds the same tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from glossator.shell.script import (
    FOLDER_CHANGERS,
    Script,
    ScriptPart,
    SimpleCommand,
    UncertainWord,
    UnclearScript,
    UnknownPart,
)
from glossator.shell.syntax import (
    BLANK,
    NOTHING,
    REASONS,
    WORD_KINDS,
    NotPlain,
    ShellNode,
    WordReader,
    leaves,
    shlex_agrees,
    without_documents,
)

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
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
_MAX_COMMANDS = 200  # with every round of a loop
TOO_MANY = f"It has more than {_MAX_COMMANDS} commands, and Glossator looks at no more."

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


def parse(command: str) -> Script | UnclearScript:
    """Parse `command` as bash and as a plain POSIX shell read it."""
    if _CONTROL.search(command):
        return _unclear(command, "It holds control characters.")
    try:
        source, tree, documents = without_documents(command.encode("utf-8", "replace"))
        parts = tuple(CommandReader(source, documents).parts(tree))
        if not parts:
            return _unclear(command, "It runs nothing.")
        if unknown := [each for each in parts if isinstance(each, UnknownPart)]:
            return UnclearScript(unknown[0].reason, parts)
        if not shlex_agrees(source, tree):
            return _unclear(command, "Its quoting is unusual.")
    except NotPlain as error:
        return _unclear(command, str(error))
    return Script(tuple(each for each in parts if isinstance(each, SimpleCommand)))


def _unclear(command: str, reason: str) -> UnclearScript:
    return UnclearScript(reason, (UnknownPart(command.strip(), reason),))


class CommandReader(WordReader):
    """Reads the parts of one command.

    `documents` are the texts of here-documents, by where a here-string stands in their place.
    """

    def __init__(self, source: bytes, documents: Mapping[int, str]) -> None:
        super().__init__(source, documents)
        self._repeats = False  # in a loop of which the rounds are not known
        self._count = 0
        self._pipelines = 0

    def parts(self, node: ShellNode) -> list[ScriptPart]:
        """The simple commands in `node`; parts that are not understood are as small as possible."""
        repeats = self._repeats
        try:
            return self._parts(node)
        except NotPlain as error:
            return [self._unknown(node, str(error))]
        finally:
            self._repeats = repeats

    def _parts(self, node: ShellNode) -> list[ScriptPart]:
        if (around := _HOLDING.get(node.kind)) is not None:
            return self._statements(node, around)
        match node.kind:
            case "for_statement":
                return self._rounds(node)
            case "test_command":
                return [self._test(node)]
            case "redirected_statement":
                return self._redirected_parts(node)
            case "command":
                self._count += 1
                if self._count > _MAX_COMMANDS:
                    raise NotPlain(TOO_MANY)
                return [self._simple(node)]
            case kind:
                raise NotPlain(REASONS.get(kind, "It holds more than programs and their words."))

    def _statements(self, node: ShellNode, around: frozenset[str]) -> list[ScriptPart]:
        whole = ShellNode("", 0, len(self.source)) if node.kind == "program" else node
        self.only_blank(node.children, whole, _BLANK_OR_LINE)
        if node.kind == "subshell" and self.source[node.start : node.start + 2] == b"((":
            raise NotPlain(REASONS["arithmetic_expansion"])
        self._repeats = self._repeats or node.kind == "while_statement"
        found: list[ScriptPart] = []
        ended: int | None = None  # the statement before, if nothing joins it to the next
        for each in node.children:
            if each.kind == "comment":
                self._check_comment(each)
            elif each.kind in around or each.kind in _JOINING:
                ended = None
            elif not each.children:
                raise NotPlain(REASONS.get(each.kind, "It joins programs in an unusual way."))
            else:
                if ended is not None and b"\n" not in self.source[ended : each.start]:
                    raise NotPlain(REASONS["ERROR"])
                ended = None if each.kind in _HOLDING and each.kind.endswith("clause") else each.end
                found += self.parts(each)
        if node.kind == "pipeline":
            self._pipelines += 1
            number = self._pipelines
            return [
                replace(e, pipeline=number) if isinstance(e, SimpleCommand) else e for e in found
            ]
        return found

    def _rounds(self, node: ShellNode) -> list[ScriptPart]:
        """A loop over words, as the programs of each round."""
        self.only_blank(node.children, node, _BLANK_OR_LINE)
        first, name, inside, *words, body = node.children
        if words and words[-1].kind in _JOINING:
            words.pop()
        variable = self.text(name)
        if first.kind != "for" or inside.kind != "in" or body.kind != "do_group" or not words:
            raise NotPlain("It loops in an unusual way.")
        if not _LOOP_NAME.fullmatch(variable) or variable in self.values:
            raise NotPlain(REASONS["variable_assignment"])
        if any(each.kind not in WORD_KINDS for each in words):
            raise NotPlain("It loops in an unusual way.")
        repeats = self._repeats
        found: list[ScriptPart] = []
        try:
            for value in [self.word(each) for each in words]:
                if self._count > _MAX_COMMANDS:
                    raise NotPlain(TOO_MANY)
                self.values[variable] = value
                self._repeats = repeats or isinstance(value, UncertainWord)
                round_ = self.parts(body)
                is_used = any(isinstance(e, SimpleCommand) and value in e.words for e in round_)
                if isinstance(value, UncertainWord) and not is_used:
                    raise NotPlain("It loops over names that it does not use.")
                found += round_
        finally:
            self.values.pop(variable, None)
        return found

    def _redirected_parts(self, node: ShellNode) -> list[ScriptPart]:
        self.only_blank(node.children, node, BLANK)
        body, *redirects = node.children
        inner = self.parts(body)
        is_fed = any(each.kind == "herestring_redirect" for each in redirects)
        if is_fed and body.kind != "command":
            raise NotPlain("It redirects in an unusual way.")
        end = body
        while end.kind in ("list", "pipeline"):
            end = end.children[-1]
        alone = len(inner) - 1 if end.kind == "command" else 0  # else it is of all of a group
        before, inner = inner[:alone], inner[alone:]
        if unknown := [each for each in inner if isinstance(each, UnknownPart)]:
            raise NotPlain(unknown[0].reason)
        if not inner:
            raise NotPlain("It redirects what is not plain.")
        known = [each for each in inner if isinstance(each, SimpleCommand)]
        return [*before, *(self._redirected(each, tuple(redirects)) for each in known)]

    def _test(self, node: ShellNode) -> SimpleCommand:
        """A `[ ... ]`, as a program of that name."""
        first, *inner, last = list(leaves(node, WORD_KINDS))
        texts = [self.text(first), self.text(last)]
        at = first.end
        for each in (*inner, last):
            if each.start == at or not BLANK.fullmatch(self.source, at, each.start):
                raise NotPlain(REASONS["test_command"])
            at = each.end
        is_plain = all(e.kind in WORD_KINDS or e.kind in _TESTING for e in inner)
        if texts != ["[", "]"] or not is_plain:
            raise NotPlain(REASONS["test_command"])
        words = (self.word(e) if e.kind in WORD_KINDS else self.text(e) for e in inner)
        return SimpleCommand(("[", *words, "]"))

    def _simple(self, node: ShellNode) -> SimpleCommand:
        self.only_blank(node.children, node, BLANK)
        children = list(node.children)
        variables = []
        while children and children[0].kind == "variable_assignment":
            variables.append(self._assigned(children.pop(0)))
        if not children or children[0].kind != "command_name":
            kind = children[0].kind if children else ""
            raise NotPlain(REASONS.get(kind, "It does not begin with a program."))
        name = children.pop(0)
        program = self.text(name)
        if [each.kind for each in name.children] != ["word"] or not _PROGRAM.fullmatch(program):
            raise NotPlain("The name of a program in it is not plain.")
        self._check_program(program)
        words = [self.word(each) for each in children if each.kind in WORD_KINDS]
        others = tuple(each for each in children if each.kind not in WORD_KINDS)
        if self.values and program == "printf" and "".join(words[:1]).startswith("-v"):
            raise NotPlain(REASONS["variable_assignment"])
        simple = SimpleCommand((program, *words), variables=tuple(variables))
        return self._redirected(simple, others)

    def _check_program(self, program: str) -> None:
        if program in _RESERVED:
            raise NotPlain(f"It holds the shell's word {program}.")
        if program in FOLDER_CHANGERS and self._repeats:
            raise NotPlain("It changes the folder in a loop.")
        if program in _SETTING and self.values:
            raise NotPlain(REASONS["variable_assignment"])

    def _assigned(self, node: ShellNode) -> str:
        """`NAME=value` before a program."""
        self.only_blank(node.children, node, NOTHING)
        if [each.kind for each in node.children[:2]] != ["variable_name", "="]:
            raise NotPlain(REASONS["variable_assignment"])
        value = "".join(self.word(each) for each in node.children[2:])
        is_uncertain = any(isinstance(self.word(e), UncertainWord) for e in node.children[2:])
        if len(node.children) > 3 or is_uncertain:
            raise NotPlain(REASONS["variable_assignment"])
        return f"{self.text(node.children[0])}={value}"

    def _redirected(self, simple: SimpleCommand, children: tuple[ShellNode, ...]) -> SimpleCommand:
        for node in children:
            if node.kind == "herestring_redirect":
                if simple.fed is not None:
                    raise NotPlain("It redirects in an unusual way.")
                simple = replace(simple, fed=self.fed(node))
            else:
                simple = replace(simple, redirects=(*simple.redirects, self.redirect(node)))
        return simple

    def _unknown(self, node: ShellNode, reason: str) -> UnknownPart:
        below = list(_descendants(node))
        hints = tuple(self._hints(below))
        programs = sum(each.kind == "command" for each in below)
        invalid = any(each.kind in ("ERROR", "MISSING") for each in below)
        opaque = len(hints) != programs or invalid
        writes = tuple(self._written(below))
        return UnknownPart(self.text(node).strip(), reason, hints, writes, opaque)

    def _written(self, below: list[ShellNode]) -> Iterator[str]:
        """The literal names in redirections that write."""
        for each in below:
            if each.kind != "file_redirect" or any(part.kind == "<" for part in each.children):
                continue
            target = self._hint(each.children[-1])
            if not isinstance(target, UncertainWord) and not target.isdigit():
                yield target

    def _hints(self, below: list[ShellNode]) -> Iterator[SimpleCommand]:
        """The programs named plainly among `below`, with their words as they look."""
        for each in below:
            if each.kind != "command":
                continue
            words = [part for part in each.children if part.kind not in _NO_WORDS]
            program = _QUOTING.sub("", self.text(words[0])) if words else ""
            if words and words[0].kind == "command_name" and _PROGRAM.fullmatch(program):
                yield SimpleCommand((program, *map(self._hint, words[1:])))

    def _hint(self, node: ShellNode) -> str:
        try:
            return self.word(node)
        except NotPlain:
            return UncertainWord(_QUOTING.sub("", self.text(node)))

    def _check_comment(self, node: ShellNode) -> None:
        before = self.source[max(node.start - 1, 0) : node.start]
        if before.strip(b" \t\n") or b"\n" in self.source[node.start : node.end]:
            raise NotPlain("It holds a comment in an unusual place.")


def _descendants(node: ShellNode) -> Iterator[ShellNode]:
    yield node
    for each in node.children:
        yield from _descendants(each)
