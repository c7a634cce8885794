"""Answers questions about cited lines: which names they hold, and what they define.

Definitions are recognised without a grammar: cited lines are few and often parts of a definition,
which no parser accepts. A definition begins with a line of a known form and ends where the
indentation goes back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from glossator.grounding.wording import numbers_in

_MODIFIERS = (
    r"(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|async|abstract"
    r"|final|override|unsafe|const|extern|virtual|inline|data|sealed|open|suspend|declare)\s+"
)
_GENERICS = r"<(?:=>|[^<>]|<(?:=>|[^<>]|<(?:=>|[^<>]){0,200}>){0,200}>){0,300}>"
_BY_KEYWORD = re.compile(
    rf"^\s*(?P<before>(?:{_MODIFIERS})*)(?P<word>def|class|func|fn|function|interface|struct|enum"
    r"|trait|impl|type|module|object|record|namespace|mod)\b\s*\*?\s*(?:{_GENERICS}\s*)?"
    r"(?:\([^)]*\)\s*)?(?P<name>[\w$]+)(?:\s+(?P<sort>struct|interface)\b)?"
)
_FOR = re.compile(r"\bfor\s+&?(?:mut\s+)?(?:\w+::)*(?P<name>\w+)")
_BOUND = re.compile(
    rf"^\s*(?P<before>(?:{_MODIFIERS})*)(?:const|let|var)?\s*(?:[\w$]+\.)*(?P<name>[\w$]+)\s*(?::[^=]*)?=\s*"
    rf"(?P<word>async\s*)?(?:func(?:tion)?\b|(?:{_GENERICS})?\([^()]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>|lambda\b)"
)
_METHOD = re.compile(
    rf"^\s+(?P<before>(?:{_MODIFIERS}|get\s+|set\s+)*)\*?(?P<name>[\w$#]+)\s*(?:{_GENERICS})?\("
    r"(?P<rest>.*)$"
)
_NO_METHODS = frozenset(
    "if for while switch catch return function else do with synchronized super await throw new"
    " assert print elif except raise and or not in yield del lambda".split()
)
_CLASSES = frozenset(
    "class interface struct enum trait impl type module object record namespace mod".split()
)
_NO_TYPES = _NO_METHODS | frozenset(
    "case match when let var const select using lock foreach goto defer go unless until elsif from"
    " typeof sizeof is try loop".split()
)
_TYPE = re.compile(r"[\w$@:<>\[\],.?~]+")
_QUALIFIED = re.compile(r"(?:[\w$]+::)*(?P<name>~?[^\W\d][\w$]*)")
_OBJECT = re.compile(r"&?(?:'\w+\s+)?(?:mut\s+)?(?:self|cls|this)\b(?!\s*:)")  # as a parameter
_COMPARED = re.compile(r"<-|<<|>>|\s[<>]=?\s|\blambda\b")  # signs that are no brackets of types
_MAX_LINE_CHARACTERS = 1_000  # characters of a line that begins a definition
_MAX_SIGNATURE_LINES = 60  # lines of a signature
_STRINGS = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'")
_LIFETIME = re.compile(r"(?<=[<&])'\w+(?!\w*')|(?<=, )'\w+(?=[,>:])")
_METHOD_ENDS = r"\{\s*\}?\s*$|\(\s*$|\)\s*:[^=;]+;\s*$"
_GOES_ON = re.compile(r"\s*(?:where\b|\{\s*$)")  # a signature of Rust's
_NO_CODE = re.compile(r"\s*(?:#|//|/\*|\*)(?!\[)")  # a comment or directive, at any indentation
_QUOTE = re.compile(  # of a text of several lines; or a text of one, or a comment
    r"(?P<opens>\"\"\"|'''|`)|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|(?<!\S)#.*|//.*"
)
_NAME_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
_OPENING, _CLOSING = "([{<", ")]}>"
_HOLE = re.compile(r"\$?\{[^{}]*\}|%\w")  # in a text, for a value
_SAYING = 6  # characters of a text with holes that tell it from others
_COMMENT = re.compile(r"^\s*(?:#+|//+[/!]?|/?\*+|--|>)")
_JOINED = re.compile(r"[\"']\s*\n\s*[rfb]*[\"']")  # two parts of a text
_LITERAL = re.compile(
    r"(?P<quote>\"\"\"|\'\'\'|[\"\'`])(?P<text>(?:\\.|(?!(?P=quote))[^\\])*)(?P=quote)"
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter; `is_rest` if it takes any number of arguments."""

    name: str
    is_rest: bool = False


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition whose first line is cited; holds indices into the lines, ends exclusive.

    `word` declares it (`def`, `class`, `struct`, …); "" if no word does.
    """

    name: str
    word: str
    header: str
    start: int
    end: int

    @property
    def is_class(self) -> bool:
        """Whether the definition has members."""
        return self.word in _CLASSES

    @property
    def parameters(self) -> tuple[Parameter, ...] | None:
        """The parameters without `self` and the like; None if some are not visible."""
        inner = _signature(self.header, self.name)
        is_plain = inner is not None and not _COMPARED.search(inner)
        return tuple(_parameters(inner, self.word)) if inner is not None and is_plain else None


def defined(line: str) -> tuple[str, str] | None:
    """The name that a line begins to define, and the word that declares it; None if none."""
    if len(line) > _MAX_LINE_CHARACTERS or not line.strip():
        return None
    if found := _BY_KEYWORD.match(line):
        implementing = _FOR.search(line) if found["word"] == "impl" else None
        return (implementing or found)["name"], found["sort"] or found["word"]
    if found := _BOUND.match(line):
        return found["name"], "function"
    found = _METHOD.match(line)
    if found and found["name"] not in _NO_METHODS and re.search(_METHOD_ENDS, line):
        return found["name"].lstrip("#"), ""
    typed = _typed(line)
    return (typed, "") if typed else None


def _typed(line: str) -> str | None:
    """The name that a line begins to define behind its type, as in `static int main(`."""
    head, opening, rest = line.partition("(")
    words = re.sub(r"[*&]", " ", head).split()
    if not opening or len(words) < 2 or rest.rstrip().endswith(";"):
        return None
    is_plain = not _NO_TYPES.intersection(words) and all(map(_TYPE.fullmatch, words[:-1]))
    found = _QUALIFIED.fullmatch(words[-1]) if is_plain else None
    return found["name"] if found else None


def definitions(lines: Sequence[str]) -> Iterator[Definition]:
    """The definitions that begin in the lines, in order."""
    for at, line in enumerate(lines):
        if (found := defined(line)) is None:
            continue
        name, word = found
        body = _body_of(lines, at)
        if not word and not _is_method(line, lines[body - 1]):
            continue  # a call
        yield Definition(
            name,
            word,
            "\n".join(lines[at:body]),
            at,
            _end_of(lines, at, body),
        )


def _is_method(first: str, last: str) -> bool:
    """Whether lines that look like a call declare a method."""
    found = _METHOD.match(first)
    is_marked = found is not None and bool(found["before"])
    return is_marked or re.search(r"(?:\{\s*\}?|;)\s*$", last) is not None


def _signature(header: str, name: str) -> str | None:
    """The text between the parentheses behind the name."""
    named = re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", header)
    start = header.find("(", named.end() if named else 0)
    if start < 0:
        return None
    depth = 0
    plain = _masked(header)
    for at in range(start, len(plain)):
        depth += (plain[at] in "([{") - (plain[at] in ")]}")
        if depth == 0:
            return header[start + 1 : at]
    return None


def _parameters(inner: str, word: str) -> Iterator[Parameter]:
    comment = "#" if word == "def" else "//"
    for part in (_uncommented(each, comment).strip() for each in _split(inner)):
        if part in ("*", "/", "", "void") or _OBJECT.match(part):
            continue
        is_rest = "..." in part or (word == "def" and part.startswith("*"))
        yield Parameter(_name_of(part.lstrip("*."), word), is_rest)


def _name_of(part: str, word: str) -> str:
    """The name in `name: type = value`, in `name type` of Go and `type name` of C and Java."""
    if word == "func":
        return part.partition(" ")[0]
    left = _cut(part, "=")
    name = _cut(left, ":")
    words = re.sub(r"^(?:mut|readonly|public|private|protected)\s+", "", name.strip()).split()
    if name == left and len(words) > 1:
        pointer = re.search(r"\(\s*\*\s*(\w+)", left)  # to a function
        return pointer[1] if pointer else words[-1].lstrip("*&").partition("[")[0]
    return name.strip().rstrip("?!")


def _uncommented(text: str, sign: str) -> str:
    """The text without comments, whose sign must stand outside strings."""
    lines = zip(text.split("\n"), _masked(text).split("\n"), strict=True)
    return "\n".join(line[: len(plain.partition(sign)[0])].rstrip() for line, plain in lines)


def _cut(text: str, sign: str) -> str:
    """The text before the first such sign outside brackets."""
    depth = 0
    plain = _masked(text)
    for at, character in enumerate(plain):
        depth += (character in "([{") - (character in ")]}")
        is_other = plain[at : at + 2] in ("=>", "==") or "::" in plain[max(at - 1, 0) : at + 2]
        if character == sign and depth == 0 and not is_other:
            return text[:at]
    return text


def _split(text: str) -> Iterator[str]:
    """The parts of the text between commas outside brackets."""
    depth, start = 0, 0
    plain = _masked(text).replace("=>", "xx").replace("->", "xx")
    for at, character in enumerate(plain):
        depth += (character in _OPENING) - (character in _CLOSING)
        if character == "," and depth == 0:
            yield text[start:at]
            start = at + 1
    yield text[start:]


def _masked(text: str) -> str:
    """The code with the contents of strings, and Rust's lifetimes, replaced by letters."""
    text = _LIFETIME.sub(lambda match: "x" * len(match[0]), text)
    return _STRINGS.sub(lambda match: "x" * len(match[0]), text)


def _body_of(lines: Sequence[str], start: int) -> int:
    """The index of the line behind the signature that begins at `start`."""
    depth = 0
    first = _behind_types(lines, start)
    for at in range(first, min(start + _MAX_SIGNATURE_LINES, len(lines))):
        line = _STRINGS.sub("", lines[at])
        line = re.sub(r"\s(?:#|//).*$", "", line)
        depth += line.count("(") + line.count("[") - line.count(")") - line.count("]")
        if depth <= 0 and (re.search(r"[:{;}]\s*$|=>", line) or at > first):
            return at + 1
        if depth <= 0 and "(" not in lines[first]:
            return at + 1
    return min(first + 1, len(lines))


def _behind_types(lines: Sequence[str], start: int) -> int:
    """The index of the line that closes type parameters which stand on lines below; or `start`."""
    if not lines[start].rstrip().endswith("<"):
        return start
    below = range(start + 1, min(start + _MAX_SIGNATURE_LINES, len(lines)))
    return next((at for at in below if lines[at].lstrip().startswith(">")), start)


def _end_of(lines: Sequence[str], start: int, body: int) -> int:
    indent = _indentation(lines[start])
    quote = _open_quote(lines[start:body])
    for at in range(body, len(lines)):
        line = lines[at]
        within, quote = quote, _open_quote([line], quote)
        if within or not line.strip() or _NO_CODE.match(line):
            continue
        if _indentation(line) <= indent and not _GOES_ON.match(line):
            return at + 1 if re.match(r"\s*[})\]]", line) else at
    return len(lines)


def _open_quote(lines: Sequence[str], quote: str = "") -> str:
    """The quote of a string that is open at the end; `quote` is one that was open before."""
    for line in lines:
        at = 0
        while at < len(line):
            if quote:
                found = re.compile(rf"(?:[^\\]|\\.)*?{quote}").match(line, at)
                quote = "" if found else quote
            else:
                found = _QUOTE.search(line, at)
                quote = (found["opens"] or "") if found else ""
            at = found.end() if found else len(line)
    return quote


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


class Removed(NamedTuple):
    """Lines that edits removed or replaced; they stood before what is line `at` now, 1-based."""

    at: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CitedLines:
    """Lines as they were shown; `enclosing` are the first lines of the definitions around them.

    The outermost comes first. `removed` are lines that stood there before the edits that the answer
    may tell of.
    """

    path: str
    first_line: int
    lines: tuple[str, ...]
    enclosing: tuple[str, ...] = ()
    removed: tuple[Removed, ...] = ()

    @property
    def before(self) -> CitedLines | None:
        """The lines removed, which have no numbers any more; None if there are none."""
        gone = tuple(line for each in self.removed for line in each.lines)
        return CitedLines(self.path, -len(gone), gone, self.enclosing) if gone else None


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call: its 1-based line, and the names of the definitions around it, outermost first.

    It is `sure` if the called name can mean only one definition. `held` are other names of what is
    around it: variables, keys and attributes.
    """

    path: str
    line: int
    within: tuple[str, ...]
    sure: bool
    held: frozenset[str] = frozenset()

    def is_by(self, names: Iterable[str]) -> bool:
        """Whether something of one of these names is around it."""
        return any(each in self.within or each in self.held for each in names)


def words_of_name(text: str) -> list[str]:
    """The words of a name or of code, in lower case: `evaluateShVars` is evaluate, sh, vars."""
    return [each.lower() for each in _NAME_WORD.findall(text)]


def squeezed(text: str) -> str:
    """The text without its spaces."""
    return "".join(text.split())


class Code:
    """The lines of one citation, prepared for questions about them."""

    def __init__(self, cited: CitedLines) -> None:
        self.cited = cited
        self.text = "\n".join(cited.lines)
        self._around = "\n".join((*cited.enclosing, cited.path))

    def has(self, name: str) -> bool:
        """Whether a name stands in the lines, in what encloses them or in their path."""
        return holds(self.text, name) or holds(self._around, name) or self.is_path(name)

    def is_path(self, name: str) -> bool:
        """Whether a name means their file, a folder of it, or its module, as in `a.b`."""
        path = self.cited.path.replace("\\", "/")
        if f"/{path}".endswith(f"/{name.removeprefix('./')}"):
            return True
        parts = re.split(r"[/.]", path)
        wanted = re.split(r"\.|::|/", name)
        return any(parts[at : at + len(wanted)] == wanted for at in range(len(parts)))

    def has_word(self, name: str) -> bool:
        """Whether a name of one word is a word of the names in or around the lines, in any case."""
        words = words_of_name(name)
        return len(words) == 1 and words[0] in self._words

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(words_of_name(f"{self.text}\n{self._around}"))

    @cached_property
    def numbers(self) -> frozenset[float]:
        """The numbers in the lines."""
        return frozenset(numbers_in(self.text))

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """The definitions that begin in the lines, in order."""
        return tuple(definitions(self.cited.lines))

    @cached_property
    def readings(self) -> tuple[str, ...]:
        """The lines without spaces: as they are, and as plain prose.

        Prose has no comment signs, no quotes between two parts of a string and no escapes.
        """
        prose = "".join(_COMMENT.sub("", line) for line in self.cited.lines)
        joined = re.sub(r"\\(.)", r"\1", _JOINED.sub("", self.text))
        return tuple(map(squeezed, (self.text, prose, joined)))

    def may_say(self, text: str) -> bool:
        """Whether a string with holes, such as `f"no {name}"`, can be this text."""
        return any(
            _fills(parts, text.rstrip("…."))
            for each in _strings_in(self.text)
            if len(parts := _HOLE.split(each)) > 1 and len("".join(parts)) >= _SAYING
        )

    def puts_together(self, name: str) -> bool:
        """Whether the lines may build this name from a string with holes: `f"before_{event}"`."""
        for text in _strings_in(self.text):
            if not re.fullmatch(r"\w{3,}", _HOLE.sub("", text)):
                continue
            if _HOLE.search(text):
                if _fills(_HOLE.split(text), name):
                    return True
            elif "_" in text.strip("_") and text in name:
                rest = name.replace(text, " ", 1).replace("_", " ").split()
                if all(map(self._has_word, rest)):
                    return True
        return False

    def _has_word(self, word: str) -> bool:
        """Whether a word is part of a name in the lines, as "after" is of `emit_after`."""
        return re.search(rf"(?<![a-zA-Z]){re.escape(word)}(?![a-z])", self.text) is not None


def _fills(parts: Sequence[str], text: str) -> bool:
    """Whether a text consists of these parts with something between any two of them."""
    first, *between, last = parts
    if not text.startswith(first) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for part in between:
        found = text.find(part, at + 1, end)
        if found < 0:
            return False
        at = found + len(part)
    return at < end


def _strings_in(text: str) -> Iterator[str]:
    """The contents of the string literals."""
    return (match["text"] for match in _LITERAL.finditer(text))


def holds(text: str, name: str) -> bool:
    """Whether the last part of a name occurs in a text as a word."""
    last = re.split(r"\.|::|->|#", name.rstrip("()"))[-1] or name
    return re.search(rf"(?<![\w$]){re.escape(last)}(?![\w$])", text) is not None


def spaced(text: str) -> str:
    """A pattern for a text that allows any space between its parts."""
    return r"\s*".join(re.escape(part) for part in re.findall(r"\w+|[^\w\s]", text))
