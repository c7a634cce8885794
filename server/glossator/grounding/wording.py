"""Splits a statement about code into tokens: names, numbers, texts, files and ordinary words.

Text between back-ticks is code. Elsewhere a word counts as a name only if it is spelled like code:
`snake_case`, `camelCase`, `dotted.names`, `calls()`. Numbers are compared by value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from math import isclose
from typing import Final

SUFFIXES: Final = (
    "py|pyi|js|jsx|mjs|cjs|ts|tsx|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|sh|sql|md|rst"
    "|txt|toml|yaml|yml|json|cfg|ini|html|css|vue|lock|xml|proto"
)
_IDENTIFIER = r"(?:[^\W\d]|\$)[\w$]*"
_DOTTED = rf"[@#]?{_IDENTIFIER}(?:(?:\.|::|->|#){_IDENTIFIER})*"
_NUMBER = r"-?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|\d[\d_,]*(?:\.\d+)?(?:[eE][-+]?\d+)?)"
_STRING = r"\"(?:[^\"\\\n]|\\.)*\"|(?<!\w)'(?:[^'\\\n]|\\.)*'(?!\w)|\u201c[^\u201d\n]*\u201d"
_FILE = rf"(?:[\w.@-]+/)*[\w.@-]+\.(?:{SUFFIXES})(?![\w(])|(?:[\w.@-]+/)+[\w.@-]+"
_BARE_FILE = (  # "and/or", "HTTP/2" and "Node.js" are none
    rf"(?:(?:[\w.@-]+/)+[\w.@-]+|[a-z_][\w.@-]*)\.(?:{SUFFIXES})(?![\w(])|\.{{1,2}}/[\w./@-]*\w"
)
_OPERATOR = r"===?|!==?|[<>]=?|="
_INDEXED = rf"{_DOTTED}\[(?:[^\[\]\n]|\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\])*\]"
_GENERIC = rf"{_DOTTED}<(?:[^<>\s]|,\s|<(?:[^<>\s]|,\s)*>)+>"
_BARE_CODE = (  # types as signatures write them, and tuples of numbers
    rf"(?:{_INDEXED}|{_DOTTED})(?:\s\|\s(?:{_INDEXED}|{_DOTTED}))+|{_INDEXED}|{_GENERIC}|{_DOTTED}\([^()\s][^()\n]+\)"
    r"|\(\d+(?:,\s*\d+)+\)"
)

NEGATION: Final = (
    r"(?:not|no|never|neither|nor|without|nothing|none|nowhere|nobody|cannot|lacks?|omits?"
    r"|fails? to|\w+n't)"
)
_NEGATION = re.compile(rf"{NEGATION}|rather|instead|unlike")
_DENIAL = re.compile(
    rf"\b(?:{_NEGATION.pattern}|only|alone|solely|exclusively|unused|skip\w*|ignor\w+|avoid\w*)(?!\w)"
)
_CONDITION = r"(?:if|when|whenever|once|unless|until|provided|in case|as long as|whether)"
_START = r"(?:(?<=[,;:.] )|^)"  # of a clause
_MAIN = (  # it may belong to the main clause: "It stops when it is empty without closing the file"
    r"(?:never|only|alone|solely|exclusively|instead|rather|unlike|without|(?:skipp|ignor|avoid)ing)"
)
_CLAUSE = rf"(?:(?! (?:and|or|but|so|then|while|{_MAIN})\b)[^,;:.])*"
_NO_DENIAL = re.compile(  # of what a statement is about: words of conditions, quotations, names
    r"\bnot only\b|\bno matter\b|\bwhether or not\b"
    rf"|{_START}without (?!\w+ing\b)"  # "Without a copy it fails", but not "Without closing it"
    rf"|{_START}{_CONDITION}\b(?:(?! {_MAIN}\b)[^,;:.])*(?=,)"
    rf"|(?<=\w )(?<!only ){_CONDITION}\b{_CLAUSE}"
    r"|\b(?:says?|states|notes|warns?|asks|tells|explains|mentions|promises|claims) (?:\w+ ){0,2}?"
    rf"that\b{_CLAUSE}"
    r"|\b(?:an?|the|every|each|any|all|for|of|with|in|these|those) (?:skipped|ignored) (?=\w)"
)
_SIGNS = {"(": ",", ")": ",", "\u2013": ",", "\u2014": ",", "!": ".", "?": "."}  # between clauses
_MAX_CHARACTERS = 2_000
_ASIDE = frozenset("besides unlike except apart aside addition".split())
_JOINING = frozenset("and or the a an for from to of class method function".split())

_PROSE = re.compile(
    rf"(?P<code>(?P<tick>`+)\s?(?P<inside>.+?)\s?(?P=tick))|(?P<string>{_STRING})"
    rf"|(?P<bare>(?<![\w`.]){_BARE_CODE})"
    rf"|(?P<file>(?<![\w`]){_BARE_FILE})"
    rf"|(?P<number>(?<![\w.`])(?<!\w[-/]){_NUMBER}(?![\w]|\.\w))"
    rf"|(?P<call>{_DOTTED}(?=\(\))(?:\(\)))"
    rf"|(?P<word>{_IDENTIFIER}(?:(?:\.|::){_IDENTIFIER})*(?:['\u2019]\w+)?|\d+\w+)"
    rf"|(?P<operator>{_OPERATOR})|(?P<mark>[,;:.!?()\u2013—])"
)
_INSIDE = re.compile(
    rf"(?P<string>{_STRING})|(?P<number>(?<!\w){_NUMBER}(?!\w|\.\w))|(?P<name>{_DOTTED})"
    rf"|(?P<operator>{_OPERATOR})"
)
_SHAPED = re.compile(
    r"\w*[a-z0-9]_\w+|_\w+|[a-z]+[A-Z]\w*|[A-Z][A-Z0-9]*_[A-Z0-9_]+|\w+(?:\.|::)\w+|\w*\$\w*"
)
_NO_NAME = re.compile(r"(?:e\.g|i\.e|etc|vs|cf|al)\b|[KMGTP]iB$|kB$|kHz$|MHz$", re.IGNORECASE)
_COMPARISON = re.compile(
    r"(?P<left>[^<>=!]+?)\s*(?P<sign>===|!==|[<>!=]=|(?<!-)[<>](?![<>=])|\bis\s+not\b|\bis\b)\s*"
    r"(?P<right>[^<>=!]+)"
)
_SELF = re.compile(r"(?:self|cls|this)(?:\.|->)")
_SUFFIXED = re.compile(rf".+\.(?:{SUFFIXES})")
_NUMBER_LITERAL = re.compile(
    r"(?<![\w.])(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+"
    r"|(?:\d[\d_]*(?:,\d{3})*)(?:\.\d+)?(?:[eE][-+]?\d+)?)(?:[uif](?:8|16|32|64|size)|[lLnfFuU]+)?(?![\w])"
)
_POWER = re.compile(r"(\d+)\s*(<<|\*\*)\s*(\d+)")
_PRODUCT = re.compile(r"\d[\d_.]*(?:\s*\*\s*\d[\d_.]*)+")
_SCALES = (60.0, 3600.0, 86400.0, 100.0, 1e3, 1e6, 1e9, 1024.0, 1024.0**2, 1024.0**3)
_DIGITS = 9  # of a base or a power
_SUFFIX = re.compile(r"(?:[uif](?:8|16|32|64|size)|[lLnfFuU]+)$")


class Kind(Enum):
    """The kind of a token; `FRAGMENT` is quoted code of several tokens, which follow it."""

    NAME = auto()
    NUMBER = auto()
    STRING = auto()
    FILE = auto()
    FRAGMENT = auto()
    OPERATOR = auto()
    WORD = auto()
    MARK = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A token; `quoted` if it stands between back-ticks, `inside` if it belongs to a fragment."""

    kind: Kind
    text: str
    quoted: bool = False
    inside: bool = False

    @property
    def last(self) -> str:
        """The last part of a dotted name."""
        return re.split(r"\.|::|->|#", self.text)[-1]

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of a dotted name."""
        return tuple(re.split(r"\.|::|->|#", self.text))


def tokens_of(statement: str) -> tuple[Token, ...]:
    """The tokens of a statement's first 2,000 characters, in order."""
    return tuple(_tokens(_without_markup(statement[:_MAX_CHARACTERS])))


def _without_markup(text: str) -> str:
    """The text without links and stars; text between back-ticks stays."""
    pieces = re.split(r"(`+[^`]+`+)", re.sub(r"\[([^\]\n]+)\]\([^)\s]+\)", r"\1", text))
    pieces[::2] = (
        re.sub(r"\*\*|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)", "", each) for each in pieces[::2]
    )
    return "".join(pieces)


def _tokens(text: str) -> Iterator[Token]:
    for match in _PROSE.finditer(text):
        kind = match.lastgroup
        if match["code"]:
            yield from _of_code(match["inside"])
        elif kind == "bare":
            yield from (replace(each, quoted=False) for each in _of_code(match["bare"]))
        elif kind == "string":
            yield Token(Kind.STRING, match[0][1:-1])
        elif kind == "file":
            yield Token(Kind.FILE, match[0])
        elif kind == "number":
            yield Token(Kind.NUMBER, match[0].rstrip(","))
        elif kind == "call":
            yield Token(Kind.NAME, _plain(match[0][:-2]))
        elif kind == "operator":
            yield Token(Kind.OPERATOR, match[0])
        elif kind == "mark":
            yield Token(Kind.MARK, match[0])
        else:
            yield _of_word(match["word"])


def _of_word(word: str) -> Token:
    bare = re.sub(r"['\u2019]s$|['\u2019]$", "", word)
    if _SHAPED.fullmatch(bare) and not _NO_NAME.match(bare):
        return Token(Kind.NAME, _plain(bare))
    return Token(Kind.WORD, word.replace("\u2019", "'"))


def _of_code(code: str) -> Iterator[Token]:
    """The tokens of quoted code."""
    called = re.fullmatch(rf"(?:\d+\.)*({_DOTTED})(?:\(\)|\(\.\.\.\)|\(…\))?", code)
    if called:
        name = called[1]
        is_file = _SUFFIXED.fullmatch(code) and "(" not in code
        yield Token(Kind.FILE if is_file else Kind.NAME, code if is_file else _plain(name), True)
    elif re.fullmatch(_NUMBER, code):
        yield Token(Kind.NUMBER, code, quoted=True)
    elif re.fullmatch(_STRING, code):
        yield Token(Kind.STRING, code[1:-1], quoted=True)
    elif re.fullmatch(_FILE, code):
        yield Token(Kind.FILE, code, quoted=True)
    elif (compared := _COMPARISON.fullmatch(code)) and _is_even(compared["left"]):
        yield from _of_code(compared["left"].strip())
        yield Token(Kind.OPERATOR, " ".join(compared["sign"].split()), quoted=True)
        yield from _of_code(compared["right"].strip())
    elif assigned := re.fullmatch(rf"({_DOTTED})\s*=\s*({_NUMBER}|{_STRING}|[A-Z]\w+)", code):
        yield from _of_code(assigned[1])
        yield Token(Kind.OPERATOR, "=", quoted=True)
        yield from _of_code(assigned[2])
    else:
        yield Token(Kind.FRAGMENT, code, quoted=True)
        for match in _INSIDE.finditer(code):
            text, kind = match[0], Kind[str(match.lastgroup).upper()]
            if kind is Kind.STRING:
                text = text[1:-1]
            if kind is Kind.NUMBER:
                text = text.rstrip(",")
            yield Token(kind, _plain(text) if kind is Kind.NAME else text, True, True)


def _is_even(text: str) -> bool:
    """Whether every bracket is closed."""
    return all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))


def _plain(name: str) -> str:
    return _SELF.sub("", name.lstrip("@#"))


def is_set_aside(at: int, tokens: Sequence[Token]) -> bool:
    """Whether the statement sets a name aside: "Besides `a` and `b`, …"."""
    for token in reversed(tokens[:at]):
        word = token.text.lower()
        if token.kind is Kind.WORD and word in _ASIDE:
            return True
        if token.kind is not Kind.NAME and word not in _JOINING:
            return False
    return False


def is_negation(word: str) -> bool:
    """Whether a lower-case word negates."""
    return _NEGATION.fullmatch(word) is not None


def is_denial(statement: str) -> bool:
    """Whether a statement denies something, or says it of some things alone.

    What is not so in a condition, or in what somebody says, denies nothing. In doubt, it is a
    denial.
    """
    words = " ".join(map(_as_said, tokens_of(statement)))
    return _DENIAL.search(_NO_DENIAL.sub(" ", words)) is not None


def _as_said(token: Token) -> str:
    """A word in lower case, a comma or another sign between clauses, or `x` for code."""
    if token.kind is Kind.WORD:
        return token.text.lower()
    return _SIGNS.get(token.text, token.text) if token.kind is Kind.MARK else "x"


def value_of(text: str) -> float | None:
    """The value of a written number; None if the text is no number."""
    plain = text.replace("_", "").replace(",", "")
    if not plain.lower().startswith(("0x", "-0x")):
        plain = _SUFFIX.sub("", plain)
    try:
        return float(int(plain, 0))
    except (OverflowError, ValueError):
        pass
    try:
        return float(plain)
    except (OverflowError, ValueError):
        return None


def numbers_in(text: str) -> Iterator[float]:
    """The numbers in a text, and the values of products and powers in it."""
    for match in _NUMBER_LITERAL.finditer(text):
        if (value := value_of(match[0])) is not None:
            yield value
            yield -value
    for match in _POWER.finditer(text):
        if len(match[1]) > _DIGITS or len(match[3]) > _DIGITS:
            continue
        base, power = int(match[1]), int(match[3])
        if power <= 64:
            yield float(base << power if match[2] == "<<" else base**power)
    for match in _PRODUCT.finditer(text):
        product = 1.0
        for factor in match[0].split("*"):
            product *= value_of(factor.strip()) or 0.0
        yield product


def is_among(value: float, numbers: frozenset[float]) -> bool:
    """Whether a number is there, in the same unit or another: 5 MB is `5 * 1024 * 1024`."""
    if value in numbers:
        return True
    scaled = {value * scale for scale in _SCALES} | {value / scale for scale in _SCALES}
    return value != 0 and any(isclose(a, b) for a in scaled for b in numbers)
