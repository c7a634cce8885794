"""File-name patterns in linear time: `*`, `**`, `?`, `[abc]`, `{a,b}` and a leading `!`."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import re2

from glossator.core.errors import UsageError

_TOKEN = re.compile(
    r"(?P<folders>(?<![^/{,])\*\*/)"  # at the start of a folder name: any number of folders
    r"|(?P<anything>\*\*)"
    r"|(?P<name>\*)"
    r"|(?P<one>\?)"
    r"|\[(?P<negated>[!^]?)(?P<members>\]?[^\]]*)\]"
    r"|(?P<open>\{)"
    r"|(?P<close>\})"
    r"|(?P<comma>,)"
    r"|\\(?P<escaped>.)"
    r"|(?P<plain>.)",
    re.DOTALL,
)
_FIXED = {"folders": "(?:.*/)?", "anything": ".*", "name": "[^/]*", "one": "[^/]"}


@lru_cache(maxsize=256)
def compile_glob(pattern: str) -> Callable[[str], bool]:
    """A test for "/"-separated relative paths. Raises `UsageError` for a malformed pattern.

    A pattern without "/" is about the file's name, in whatever folder, as in .gitignore.
    """
    wanted = not pattern.startswith("!")
    body = pattern if wanted else pattern[1:]
    body = body.removeprefix("./")
    regex = _translate(body.removeprefix("/"))
    if "/" not in body:
        regex = f"(?:.*/)?{regex}"
    try:
        compiled = re2.compile(f"(?s){regex}")
    except re2.error as error:
        raise UsageError(f"The pattern {pattern!r} cannot be used: {error}.") from error
    return lambda path: (compiled.fullmatch(path) is not None) == wanted


def _translate(pattern: str) -> str:
    parts: list[str] = []
    depth = 0  # of braces
    for token in _TOKEN.finditer(pattern):
        kind, text = token.lastgroup or "", token[0]
        if kind == "open":
            depth += 1
            parts.append("(?:")
        elif kind == "close" and depth:
            depth -= 1
            parts.append(")")
        elif kind == "comma" and depth:
            parts.append("|")
        elif kind == "members":
            parts.append(_character_class(token["negated"], token["members"]))
        else:
            parts.append(_FIXED.get(kind) or re2.escape(token["escaped"] or text))
    if depth:
        raise UsageError(f"The pattern {pattern!r} has a {{ without its }}; write \\{{ for itself.")
    return "".join(parts)


def _character_class(negated: str, members: str) -> str:
    literal = re.sub(r"([\\\[\]])", r"\\\1", members)
    return f"[^/{literal}]" if negated else f"[{literal}]"
