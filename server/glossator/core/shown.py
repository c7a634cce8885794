r"""Text as it is shown: nothing in it hides, moves other text, or passes for what it is not.

`shown` is for one line (a path, a rule, a title, an option), `shown_text` for many (a command, the
content of a file, a question), where line ends and tabs stay; both escape

- what cannot be seen and what a terminal obeys: control characters, line and paragraph separators,
  zero-width and bidirectional characters, tags, variation selectors and fillers (`unseen`), but
  for what joins an emoji, or two letters of a script that is written joined;
- spaces other than the ASCII one, and what looks like a slash, a dot, a colon, a hyphen or a letter
  or digit of ASCII in another form (`posing`);
- letters that look like Latin ones in a word that has Latin letters, too; and in words that are all
  of such letters, if the line has no letter of their script that looks like none (`alike`): names
  that are honestly Greek, Cyrillic or Armenian stay readable.

`shown_prose` is for Markdown that a model or a file wrote: only what is unseen is escaped.

An escape is `\n`, `\r`, `\t`, `\u202e` or `\U000e0041`. In one line that has any, a backslash is
written twice, and `meant` takes the escapes back. The VS Code client shows text by the same
`PATTERNS`; `tests/core/shown_cases.json` has cases for both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_EMOJI = (
    r"\u00a9\u00ae\u2122\u2139\u2190-\u21ff\u2300-\u2bff\u3030\u303d\u3297\u3299"
    r"\U0001f000-\U0001faff"
)
_JOINED = r"\u0620-\u0dff"  # Arabic to Sinhala: letters that a joiner stands between
_JOINING = (
    rf"(?<=[{_EMOJI}])[\ufe0e\ufe0f]|(?<=[#*0-9])\ufe0f(?=\u20e3)"
    rf"|(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])|(?<=[{_JOINED}])[\u200c\u200d](?=[{_JOINED}])"
)
_UNSEEN = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_SPACES = r"\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000"
_FORMS = (  # of ASCII: full-width ones, those of mathematics, and what passes for / \ . : ; -
    r"\uff0d-\uff19\uff21-\uff3a\uff3c\uff3f\uff41-\uff5a\U0001d400-\U0001d7ff"
    r"\u2010\u2011\u2024\u2044\u2215\u29f5\u29f8\u2236\ua789\u037e"
)
_LIKE_LATIN = (
    r"\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"  # Greek
    r"\u03bd\u03bf\u03c1\u03c5\u03f2\u03f3\u037f"
    r"\u0430\u0441\u0435\u04bb\u0456\u0458\u043e\u0440\u0455\u0443\u0445\u0475\u04af"  # Cyrillic
    r"\u04cf\u0501\u051b\u051d\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422"
    r"\u0423\u0425\u0406\u0408\u0405\u0474\u04ae\u04ba\u04c0\u050c\u051a\u051c"
    r"\u0555\u054d\u053c\u0585\u057d\u0570\u0578\u0581"  # Armenian
)
_RARE = r"\u13a0-\u13ff\uab70-\uabbf\u2c80-\u2cff\ua4d0-\ua4ff\u0251\u0261"  # Cherokee, Coptic, …

# Regular expressions, about code points; the client has the same.
PATTERNS = {
    "unseen": rf"(?!{_JOINING})[{_UNSEEN}]",
    "posing": rf"[{_SPACES}{_FORMS}]",
    "latin": r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]",
    "alike": rf"[{_LIKE_LATIN}{_RARE}]",
    "allAlike": rf"[{_LIKE_LATIN}]{{2,}}",
    "ownLetter": rf"(?![{_LIKE_LATIN}])[\u0370-\u0373\u0376-\u037d\u0386-\u0587]",
}
_UNSEEN_ONE = re.compile(PATTERNS["unseen"])
_POSING = re.compile(PATTERNS["posing"])
_LATIN, _ALIKE, _ALL_ALIKE, _OWN_LETTER = (
    re.compile(PATTERNS[name]) for name in ("latin", "alike", "allAlike", "ownLetter")
)
_WORD = re.compile(r"[^\W_]+")  # letters and digits
_ENDS = re.compile(r"[\t\n]")
_PLAIN = re.compile(r"[\x20-\x7e]*")
_PLAIN_TEXT = re.compile(r"[\x20-\x7e\t\n]*")
_ESCAPED = re.compile(r"\\(?:([nrt\\])|u([0-9a-f]{4})|U([0-9a-f]{8}))")
_LETTERS = {"\n": "n", "\r": "r", "\t": "t", "\\": "\\"}
_MEANT = {letter: character for character, letter in _LETTERS.items()}


def shown(text: str) -> str:
    """A path, or another text, on one line, with hidden characters escaped."""
    if _PLAIN.fullmatch(text):
        return text
    hidden = _hidden(text) | {found.start() for found in _ENDS.finditer(text)}
    if not hidden:
        return text
    hidden |= {at for at, character in enumerate(text) if character == "\\"}
    return _escape(text, hidden)


def shown_text(text: str) -> str:
    """A text of many lines, escaped; a CR LF ends a line as LF does."""
    if _PLAIN_TEXT.fullmatch(text):
        return text
    text = text.replace("\r\n", "\n")
    return "\n".join(_escape(line, _hidden(line)) for line in text.split("\n"))


def shown_prose(text: str) -> str:
    """Markdown of many lines, escaped; letters of every script stay."""
    text = text.replace("\r\n", "\n")
    return _UNSEEN_ONE.sub(lambda found: _escaped(found[0]), text)


def some_of(texts: Sequence[str], most: int) -> str:
    """The first texts, and how many more there are: `a, b and 3 more`."""
    more = len(texts) - most
    names = ", ".join(texts[:most])
    return f"{names} and {more:,} more" if more > 0 else names


def meant(path: str) -> str:
    """The path that is shown as `path`, whose escapes are undone."""
    return _ESCAPED.sub(_taken_back, path)


def _hidden(line: str) -> set[int]:
    """The places of characters that must be escaped."""
    hidden = {found.start() for found in _UNSEEN_ONE.finditer(line)}
    hidden |= {found.start() for found in _POSING.finditer(line)}
    if _ALIKE.search(line) is None:
        return hidden
    is_own = _OWN_LETTER.search(line) is not None
    for word in _WORD.finditer(line):
        poses = not is_own and _ALL_ALIKE.fullmatch(word[0]) is not None
        if poses or _LATIN.search(word[0]) is not None:
            hidden |= {word.start() + found.start() for found in _ALIKE.finditer(word[0])}
    return hidden


def _escape(text: str, hidden: set[int]) -> str:
    if not hidden:
        return text
    return "".join(_escaped(each) if at in hidden else each for at, each in enumerate(text))


def _escaped(character: str) -> str:
    if letter := _LETTERS.get(character):
        return f"\\{letter}"
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _taken_back(escape: re.Match[str]) -> str:
    letter, short, long = escape.groups()
    if letter:
        return _MEANT[letter]
    code = int(short or long, 16)
    return chr(code) if code <= 0x10FFFF else escape[0]


_VALUE = 40  # characters of an argument's value that are shown


def brief_arguments(arguments: Mapping[str, Any]) -> str:
    """Arguments in a line: `pattern="foo" limit=3 2 edits`; long texts are cut, lists counted.

    A long path is cut to its end.
    """
    return " ".join(_brief(name, value) for name, value in arguments.items())


def _brief(name: str, value: object) -> str:
    match value:
        case [{}]:
            return f"1 {name.removesuffix('s')}"
        case [{}, *_]:
            return f"{len(value)} {name}"
    text = _json(value)
    if len(text) <= _VALUE:
        return f"{name}={text}"
    match value:
        case str():
            return f"{name}={_end_of_path(value) if name.endswith('path') else _cut(value)}"
        case [*_]:
            return f"{len(value):,} {name}"
    return f"{name}=…"


def _end_of_path(path: str) -> str:
    """The last folders and the name of a path, or the end of a name that is as long."""
    kept = path[-_VALUE:]
    while len(text := _json(f"…{kept}")) > _VALUE:
        kept = kept[1:]
    whole = kept[kept.find("/", 0, -1) :] if "/" in kept[:-1] else kept
    return _json(f"…{whole}") if whole != kept else text


def _cut(value: str) -> str:
    """A long text, cut inside its quotes, so that people see that it is cut."""
    kept = value[:_VALUE]
    while len(text := _json(f"{kept}…")) > _VALUE:
        kept = kept[:-1]
    return text


def _json(value: object) -> str:
    return shown_text(json.dumps(value, ensure_ascii=False))


def in_tags(text: str) -> str:
    """The text between a pair of tags that it does not contain."""
    tag = "material"
    lowered = text.lower()
    while f"</{tag}" in lowered:
        tag += "-"
    return f"<{tag}>\n{text}\n</{tag}>"
