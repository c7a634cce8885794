r"""Unicode's words, digits and space for RE2, to which `\w`, `\d`, `\s` and `\b` are ASCII's.

They mean what they mean to ripgrep (UTS #18, "Compatibility Properties"). Classes are written out
by categories. No class is an edge of a word, so texts are searched without edges, and what was
found is searched again with marks, which are no characters, at each edge (docs/decisions/0013).
"""

from __future__ import annotations

import re
from typing import NamedTuple

import re2

# Each ends with a class: in a set, a hyphen may follow.
_WORD = (
    r"\x{200c}\x{200d}\x{24b6}-\x{24e9}\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}\x{1f170}-\x{1f189}"
    r"\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}"
)
_SPACE = r"\t-\r\x{85}\x{2028}\x{2029}\p{Zs}"
_NO_SPACE = (
    r"\x{0}-\x{8}\x{e}-\x{1f}\x{7f}-\x{84}\x{86}-\x{9f}\p{Cf}\p{Co}\p{L}\p{M}\p{N}\p{P}\p{S}"
)
_UNICODE = {  # what a set in brackets holds for each class
    "w": _WORD,
    "W": r"\p{No}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\p{S}\p{Z}\p{C}",
    "d": r"\p{Nd}",
    "D": r"\p{L}\p{M}\p{Nl}\p{No}\p{P}\p{S}\p{Z}\p{C}",
    "s": _SPACE,
    "S": _NO_SPACE,
}
_ASCII = {"w": r"\w", "W": r"\W", "d": r"\d", "D": r"\D", "s": r"\v\s", "S": _NO_SPACE}

# Unicode keeps these for such use; no text holds them. All stand twice, and edges on either side of
# the places where lines begin and end, as a pattern may ask for several in a row.
_START, _END, _FIRST, _LAST = "\ufdd0\ufdd1\ufdd2\ufdd3"
_MARKS = _START + _END + _FIRST + _LAST
_ENCODED_MARKS = frozenset(each.encode() for each in _MARKS)  # 3 bytes each
_PLACED = [
    (re2.compile(pattern.encode()), marked.encode())
    for pattern, marked in (
        (f"([{_WORD}]+)", rf"{_START}{_START}\1{_END}{_END}"),
        (f"(?m)^({_START}*)", rf"\1{_FIRST}\1{_FIRST}\1"),
        (f"(?m)({_END}*)$", rf"\1{_LAST}\1{_LAST}\1"),
    )
]
_EDGES = {"b": f"[{_START}{_END}]", "<": _START, ">": _END, "^": _FIRST, "$": _LAST}

_TOKEN = re.compile(
    r"(?P<set>\[(?P<not>\^?)(?P<members>\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*)\])"
    r"|\\Q(?P<quoted>.*?)(?:\\E|\Z)"
    r"|\\(?P<edge>[b<>])|(?P<line>[$^])"
    r"|\\(?P<named>[wWdDsS])"
    r"|(?P<other>\\[ABCz]|[|)]|\((?:\?(?:P?<\w+>|[a-zA-Z-]*[:)]))?|(?:[*+?]|\{\d+(?:,\d*)?\})\??)"
    r"|(?P<character>\\[pP](?:\{[^}]*\}|.)|\\x(?:\{[^}]*\}|..)|\\[0-7]{1,3}|\\.|.)",
    re.DOTALL,
)
_IN_SET = re.compile(r"\\([wWdDsS])|\\.|[^\\]+", re.DOTALL)
_ASKS = re.compile(r"\\[wWdDsSbB<>]")


class Forms(NamedTuple):
    r"""A pattern for RE2.

    `ascii` is for ASCII texts; there `\<` and `\>` are any edge of a word. `wide` is for others,
    and without edges. `marked` is for texts from `mark_edges`; None if it asks for no edge.
    `directed`: it asks where a word begins or where one ends, which only `marked` knows. `inner`:
    it asks for a place that is no edge (`\B`), which only `ascii` can.
    """

    ascii: str
    wide: str
    marked: str | None
    directed: bool
    inner: bool


def forms(pattern: str) -> Forms | None:
    """The pattern as Unicode has it; None if it is the same for all texts."""
    tokens = list(_TOKEN.finditer(pattern))
    if not _ASKS.search(pattern):
        return None
    edges = {token["edge"] for token in tokens} - {None}
    return Forms(
        "".join(
            r"\b" if token["edge"] else _classes(token, _ASCII) or token[0] for token in tokens
        ),
        "".join(
            "(?:)" if token["edge"] else _classes(token, _UNICODE) or token[0] for token in tokens
        ),
        "".join(_marked(token) for token in tokens) if edges else None,
        bool(edges - {"b"}),
        any(token[0] == r"\B" for token in tokens),
    )


def mark_edges(text: bytes) -> bytes:
    """A text for the pattern `Forms.marked`, with the same lines."""
    for pattern, marked in _PLACED:
        text = pattern.sub(marked, text)
    return text


def less_marks(text: bytes, start: int, end: int) -> int:
    """The end of what is from `start` up to `end`, less the marks at its end."""
    while end > start and text[end - 3 : end] in _ENCODED_MARKS:
        end -= 3
    return end


def unmarked(text: bytes) -> bytes:
    """A text from `mark_edges` as it was."""
    for mark in _ENCODED_MARKS:
        text = text.replace(mark, b"")
    return text


def _marked(token: re.Match[str]) -> str:
    if place := token["edge"] or token["line"]:
        return f"(?:[{_MARKS}]*{_EDGES[place]})"
    if token["other"]:
        return token[0]
    if token["quoted"] is not None:
        return "".join(f"(?:[{_MARKS}]*{re.escape(each)})" for each in token["quoted"])
    character = _classes(token, _UNICODE, _MARKS) or token[0]
    if character == ".":  # matches line ends, which the text of a line does not have
        character = f"[^{_MARKS}]"
    elif character.startswith(r"\P"):
        character = rf"[^\p{character[2:]}{_MARKS}]"
    return f"(?:[{_MARKS}]*{character})"


def _classes(token: re.Match[str], classes: dict[str, str], outside: str = "") -> str:
    """A set or a named class, written out; "" for other tokens. `outside` is in no set."""
    if name := token["named"]:
        if classes[name] == f"\\{name}":
            return classes[name]
        outer = f"^{outside}{classes[name.lower()]}" if name.isupper() else classes[name]
        return f"[{outer}]"
    if not token["set"]:
        return ""
    inner = _IN_SET.sub(lambda each: classes[each[1]] if each[1] else each[0], token["members"])
    if not token["not"]:
        return f"[{inner}]"
    first = "\\" if outside and inner[0] in "-]" else ""  # which it is no longer
    return f"[^{outside}{first}{inner}]"
