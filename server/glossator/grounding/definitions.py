"""Definitions in cited lines: their names, signatures and ends, told without a grammar.

Cited lines are few and often parts of a definition, which no parser takes. A definition begins with
a line of a known form, and ends where the indentation goes back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_MODIFIERS = (
    r"(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|async|abstract"
    r"|final|override|unsafe|const|extern|virtual|inline|data|sealed|open|suspend|declare)\s+"
)
_BY_KEYWORD = re.compile(
    rf"^\s*(?P<before>(?:{_MODIFIERS})*)(?P<word>def|class|func|fn|function|interface|struct|enum"
    r"|trait|impl|type|module|object|record|namespace|mod)\b\s*\*?\s*(?:<[^>]*>\s*)?"
    r"(?:\([^)]*\)\s*)?(?P<name>[\w$]+)(?:\s+(?P<sort>struct|interface)\b)?"
)
_FOR = re.compile(r"\bfor\s+&?(?:mut\s+)?(?:\w+::)*(?P<name>\w+)")
_BOUND = re.compile(
    rf"^\s*(?P<before>(?:{_MODIFIERS})*)(?:const|let|var)?\s*(?:[\w$]+\.)*(?P<name>[\w$]+)\s*(?::[^=]+)?=\s*"
    r"(?P<word>async\s*)?(?:function\b|\([^()]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>|lambda\b)"
)
_METHOD = re.compile(
    rf"^\s+(?P<before>(?:{_MODIFIERS}|get\s+|set\s+)*)\*?(?P<name>[\w$#]+)\s*(?:<[^>]*>)?\("
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
_TYPE_BEFORE = re.compile(rf"\s*(?:{_MODIFIERS}|get\s+|set\s+|\*|@\S+\s+)*(?P<type>.*)", re.DOTALL)
_MOST_HEADER = 60  # lines of a signature
_MOST_VALUE = 2_000  # characters of a value
_STRINGS = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'")
_LIFETIME = re.compile(r"(?<=[<&])'\w+(?!\w*')|(?<=, )'\w+(?=[,>:])")
_METHOD_ENDS = r"\{\s*\}?\s*$|\(\s*$|\)\s*:[^=;]+;\s*$"
_GOES_ON = re.compile(r"\s*(?:where\b|\{\s*$)")  # a signature of Rust's
_NO_CODE = re.compile(r"\s*(?:#|//|/\*|\*)(?!\[)")  # a comment or directive, at any indentation
_COMMENT = re.compile(r"\s*(?:#(?![\w\[])|//)")  # no directive, private field or attribute
_QUOTE = re.compile(  # of a text of several lines; or a text of one, or a comment
    r"(?P<opens>\"\"\"|'''|`)|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|(?<!\S)#.*|//.*"
)
_OPENING, _CLOSING = "([{<", ")]}>"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter; `default` and `type` are "" where none is written."""

    name: str
    type: str = ""
    default: str = ""
    keyword_only: bool = False


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition whose first line is cited: indices into the lines, ends exclusive.

    `word` is how it is declared (`def`, `class`, `struct`, …); "" if by none.
    """

    name: str
    word: str
    header: str
    decorators: str
    start: int
    body: int
    end: int

    @property
    def is_class(self) -> bool:
        """Whether it has members."""
        return self.word in _CLASSES

    @property
    def is_async(self) -> bool:
        """Whether its first line says so."""
        return re.search(r"\basync\b", self.header.partition("(")[0]) is not None

    @property
    def is_whole(self) -> bool:
        """Whether all of its signature is cited."""
        return signature(self.header, self.name) is not None

    @property
    def parameters(self) -> tuple[Parameter, ...] | None:
        """The parameters, without the one that stands for the object; None if not all are seen."""
        inner = signature(self.header, self.name)
        return None if inner is None else tuple(_parameters(inner[0], self.word))

    @property
    def returned(self) -> str:
        """The type that the signature says is returned; "" if it says none."""
        inner = signature(self.header, self.name)
        if inner is None:
            return ""
        found = re.match(
            r"\s*(?:->|:)\s*(?P<type>.+?)\s*(?::|\{|=>|where\b|$)", inner[1], re.DOTALL
        )
        if found is None and self.word == "func":
            found = re.match(r"\s*(?P<type>[^{]+?)\s*\{", inner[1])
        if found is None and not self.word:  # in front of the name
            found = _TYPE_BEFORE.match(self.header[: self.header.find(self.name)])
        return " ".join(found["type"].split()) if found else ""


def defined(line: str) -> tuple[str, str] | None:
    """The name that a line begins a definition of, and by which word; None if it begins none."""
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
    """The name that a line begins a definition of by its type: `static int main(`."""
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
            "\n".join(_above(lines, at)),
            at,
            body,
            _end_of(lines, at, body),
        )


def is_whole(found: Definition, lines: Sequence[str], behind: str) -> bool:
    """Whether a definition that begins in the lines ends there, too.

    `behind` is the next line of code, "" if there is none.
    """
    if _open_quote(lines[found.start : found.end]):
        return False
    indent = _indent(lines[found.start])
    is_braced = lines[found.body - 1].rstrip().endswith("{")
    *_, last = lines[: found.end]
    if found.end > found.body and _indent(last) <= indent and last.lstrip().startswith("}"):
        return True
    following = next((each for each in lines[found.end :] if each.strip()), behind)
    if is_braced:
        return following.lstrip().startswith("}") and _indent(following) <= indent
    goes_on = following.lstrip().startswith((")", "]", "{", "where")) or _NO_CODE.match(following)
    return not following or (_indent(following) <= indent and not goes_on)


def next_of_code(lines: Iterable[str]) -> str:
    """The first line that is neither blank nor a comment, "" if there is none."""
    return next((line for line in lines if line.strip() and not _COMMENT.match(line)), "")


def _is_method(first: str, last: str) -> bool:
    """Whether lines that may be a call declare a method."""
    found = _METHOD.match(first)
    is_marked = found is not None and bool(found["before"])
    return is_marked or re.search(r"(?:\{\s*\}?|;)\s*$", last) is not None


def signature(header: str, name: str) -> tuple[str, str] | None:
    """What stands between the parentheses behind the name, and what stands after them."""
    named = re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", header)
    start = header.find("(", named.end() if named else 0)
    if start < 0:
        return None
    depth = 0
    plain = _masked(header)
    for at in range(start, len(plain)):
        depth += (plain[at] in "([{") - (plain[at] in ")]}")
        if depth == 0:
            return header[start + 1 : at], header[at + 1 :]
    return None


def _parameters(inner: str, word: str) -> Iterator[Parameter]:
    keyword_only = False
    comment = "#" if word == "def" else "//"
    parts = [uncommented(part, comment).strip() for part in _split(inner)]
    for at, part in enumerate(parts):
        if part in ("*", "/", "", "void") or re.match(
            r"&?(?:'\w+\s+)?(?:mut\s+)?(?:self|cls|this)\b(?!\s*:)", part
        ):
            keyword_only = keyword_only or part == "*"
            continue
        starred = re.match(r"(\*\*?|\.\.\.)", part)
        yield _parameter(part.lstrip("*."), word, keyword_only=keyword_only, last=parts[at:])
        keyword_only = keyword_only or (starred is not None and starred[0] == "*")


def _parameter(part: str, word: str, *, keyword_only: bool, last: Sequence[str]) -> Parameter:
    left, _, default = _cut(part, "=")
    name, colon, kind = _cut(left, ":")
    if not colon and word == "func":  # Go: `a, b int`
        first, _, kind = left.strip().partition(" ")
        kind = kind or next((p.partition(" ")[2] for p in last if " " in p), "")
        return Parameter(first, kind.strip())
    if not colon and (words := left.split()) and len(words) > 1:  # C, Java: `int a`
        pointer = re.search(r"\(\s*\*\s*(\w+)", left)  # to a function
        name = pointer[1] if pointer else words[-1].lstrip("*&").partition("[")[0]
        return Parameter(name, " ".join(words[:-1]), default.strip())
    name = re.sub(r"^(?:mut|readonly|public|private|protected)\s+", "", name.strip())
    return Parameter(name.rstrip("?!"), kind.strip(), default.strip(), keyword_only)


def uncommented(text: str, sign: str) -> str:
    """The text without comments, which begin with a sign that stands in no string."""
    lines = zip(text.split("\n"), _masked(text).split("\n"), strict=True)
    return "\n".join(line[: len(plain.partition(sign)[0])].rstrip() for line, plain in lines)


def value_at(text: str, start: int) -> str:
    """The code from a place to the end of its line, or of the brackets that open there."""
    depth = 0
    plain = _masked(text[start : start + _MOST_VALUE])
    for at, character in enumerate(plain):
        depth += (character in "([{") - (character in ")]}")
        if depth < 0 or (depth == 0 and character in "\n;"):
            return text[start : start + at]
    return text[start:].partition("\n")[0] if depth else text[start : start + len(plain)]


def _cut(text: str, sign: str) -> tuple[str, str, str]:
    """As `partition`, at the first sign that is within no brackets."""
    depth = 0
    plain = _masked(text)
    for at, character in enumerate(plain):
        depth += (character in "([{") - (character in ")]}")
        is_other = plain[at : at + 2] in ("=>", "==") or "::" in plain[max(at - 1, 0) : at + 2]
        if character == sign and depth == 0 and not is_other:
            return text[:at], sign, text[at + 1 :]
    return text, "", ""


def _split(text: str) -> Iterator[str]:
    """What commas separate that are within no brackets."""
    depth, start = 0, 0
    plain = _masked(text).replace("=>", "xx").replace("->", "xx")
    for at, character in enumerate(plain):
        depth += (character in _OPENING) - (character in _CLOSING)
        if character == "," and depth == 0:
            yield text[start:at]
            start = at + 1
    yield text[start:]


def _masked(text: str) -> str:
    """Code with what strings say, and Rust's lifetimes, as letters."""
    text = _LIFETIME.sub(lambda match: "x" * len(match[0]), text)
    return _STRINGS.sub(lambda match: "x" * len(match[0]), text)


def _body_of(lines: Sequence[str], start: int) -> int:
    """Where the signature that begins at `start` has ended."""
    depth = 0
    for at in range(start, min(start + _MOST_HEADER, len(lines))):
        line = _STRINGS.sub("", lines[at])
        line = re.sub(r"\s(?:#|//).*$", "", line)
        depth += line.count("(") + line.count("[") - line.count(")") - line.count("]")
        if depth <= 0 and (re.search(r"[:{;}]\s*$|=>", line) or at > start):
            return at + 1
        if depth <= 0 and "(" not in lines[start]:
            return at + 1
    return min(start + 1, len(lines))


def _end_of(lines: Sequence[str], start: int, body: int) -> int:
    indent = _indent(lines[start])
    quote = _open_quote(lines[start:body])
    for at in range(body, len(lines)):
        line = lines[at]
        within, quote = quote, _open_quote([line], quote)
        if within or not line.strip() or _NO_CODE.match(line):
            continue
        if _indent(line) <= indent and not _GOES_ON.match(line):
            return at + 1 if re.match(r"\s*[})\]]", line) else at
    return len(lines)


def _open_quote(lines: Sequence[str], quote: str = "") -> str:
    """The quote of a text that goes on behind the lines; `quote` is that of one before them."""
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


def _above(lines: Sequence[str], start: int) -> list[str]:
    """The decorators and attributes right above a definition."""
    indent = _indent(lines[start])
    at = start
    while at > 0:
        line = lines[at - 1]
        is_own = _indent(line) == indent and re.match(r"\s*(?:@|#\[)", line)
        goes_on = re.match(r"\s*[)\]]", line) or (_indent(line) > indent and line.strip())
        if not line.strip() or not (is_own or goes_on):
            break
        at -= 1
    found = list(lines[at:start])
    return found if found and re.match(r"\s*(?:@|#\[)", found[0]) else []


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
