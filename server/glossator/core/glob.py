"""File-name patterns in linear time: `*`, `**`, `?`, `[abc]`, `{a,b}` and a leading `!`.

Braces are expanded first, as a shell does; each alternative is then a pattern of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import re2

from glossator.core.errors import UsageError

_MAX_ALTERNATIVES = 200
_FOLDERS = r"(?:[^\x00]*/)?"  # any number

_TOKEN = re.compile(
    r"\\(?P<escaped>.)"
    r"|\[(?P<negated>[!^]?)(?P<members>\]?(?:[^\]\\]|\\.)*)\]"
    r"|(?P<stars>\*\*)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_MEMBER = re.compile(r"\\?(?P<first>.)(?:-\\?(?P<last>.))?", re.DOTALL)

_Level = tuple[list[str], list[str]]  # complete alternatives, and those still being written


@lru_cache(maxsize=256)
def compile_glob(pattern: str) -> Callable[[str], bool]:
    """A test for "/"-separated relative paths. Raises `UsageError` for a malformed pattern.

    A pattern without "/" is about the file's name, in whatever folder, as in .gitignore.
    """
    regex, wanted = _regex(pattern)
    compiled = _compile(regex, pattern)

    def fits(path: str) -> bool:
        name = path.encode("utf-8", "replace")  # not every file name is Unicode
        return (compiled.fullmatch(name) is not None) == wanted

    return fits


@lru_cache(maxsize=256)
def compile_listed(pattern: str, under: str = "") -> tuple[re2.Pattern[bytes], bool]:
    """An expression for paths in a text, and whether those it matches are the ones that fit.

    In the text a NUL comes before each path and at the end; a match is a run of paths and the NUL
    after it. All begin with `under`, and the pattern is about the rest. Raises `UsageError`.
    """
    regex, wanted = _regex(pattern)
    return _compile(rf"(?:\x00{re2.escape(under)}(?:{regex}))+\x00", pattern), wanted


def _regex(pattern: str) -> tuple[str, bool]:
    """The expression for a pattern, which never matches a NUL; False if the pattern is negated."""
    if "\0" in pattern:
        raise UsageError(
            "The pattern contains a NUL character, which no file name has.\nRemove it."
        )
    wanted = not pattern.startswith("!")
    return "|".join(map(_translate, _expand(pattern if wanted else pattern[1:]))), wanted


def _compile(regex: str, pattern: str) -> re2.Pattern[bytes]:
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(f"(?s){regex}".encode("utf-8", "surrogatepass"), options)
    except re2.error as error:
        raise UsageError(
            f"The pattern {pattern!r} cannot be used: {error.args[0].decode('utf-8', 'replace')}."
        ) from error


def _expand(pattern: str) -> list[str]:
    """Every way to choose one alternative of each pair of braces."""
    levels: list[_Level] = [([], [""])]  # one for each brace that is open
    for piece in _pieces(pattern):
        complete, current = levels[-1]
        inside = len(levels) > 1
        if piece == "{":
            levels.append(([], [""]))
        elif piece == "," and inside:
            levels[-1] = ([*complete, *current], [""])
        elif piece == "}" and inside:
            levels.pop()
            levels[-1] = _followed_by([*complete, *current], levels[-1], pattern)
        else:
            levels[-1] = _followed_by([piece], levels[-1], pattern)
    if len(levels) > 1:
        raise UsageError(
            f"The pattern {pattern!r} has a {{ without its }}.\nWrite \\{{ for a literal one."
        )
    return levels[0][1]


def _followed_by(endings: list[str], level: _Level, pattern: str) -> _Level:
    complete, current = level
    if len(complete) + len(current) * len(endings) > _MAX_ALTERNATIVES:
        raise UsageError(
            f"The pattern {pattern!r} expands to more than {_MAX_ALTERNATIVES} patterns.\nUse"
            " fewer braces."
        )
    return complete, [before + after for before in current for after in endings]


def _translate(pattern: str) -> str:
    """One pattern without braces."""
    pieces = _pieces(pattern)
    anchored = "/" in pieces
    if pieces[:2] == [".", "/"]:
        del pieces[:2]
    if pieces[:1] == ["/"]:
        del pieces[:1]
    parts = [] if anchored else [_FOLDERS]
    position = 0
    while position < len(pieces):
        starts_folder = position == 0 or pieces[position - 1] == "/"
        if starts_folder and pieces[position : position + 2] == ["**", "/"]:
            parts.append(_FOLDERS)
            position += 2
        else:
            parts.append(_translate_piece(pieces[position]))
            position += 1
    return "".join(parts)


def _pieces(pattern: str) -> list[str]:
    """Escapes, classes, `**` and single characters."""
    return [match[0] for match in _TOKEN.finditer(pattern)]


def _translate_piece(piece: str) -> str:
    match piece:
        case "**":
            return r"[^\x00]*"
        case "*":
            return r"[^/\x00]*"
        case "?":
            return r"[^/\x00]"
    token = _TOKEN.fullmatch(piece)
    if token and token["members"] is not None:
        return _character_class(token["negated"], token["members"])
    return re2.escape(token["escaped"] or piece if token else piece)


def _character_class(negated: str, members: str) -> str:
    """A class that never holds "/", whatever its ranges span."""
    ranges = [
        f"{re2.escape(first)}-{re2.escape(last)}"
        for match in _MEMBER.finditer(members)
        for first, last in _around_slash(match["first"], match["last"] or match["first"])
    ]
    if negated:
        return rf"[^/\x00{''.join(ranges)}]"
    return f"[{''.join(ranges)}]" if ranges else r"[^\x00-\x{10FFFF}]"


def _around_slash(first: str, last: str) -> list[tuple[str, str]]:
    if not first <= "/" <= last:
        return [(first, last)]
    before, after = chr(ord("/") - 1), chr(ord("/") + 1)
    return [part for part in ((first, before), (after, last)) if part[0] <= part[1]]
