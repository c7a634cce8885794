"""Lines that only name things, without saying anything of them: imports."""

from __future__ import annotations

import re
from collections.abc import Sequence

_IMPORT = re.compile(r"\s*(?:from|import|(?:pub )?use|using|require|#include)\b")
_LISTED = re.compile(  # an item of a longer import
    r"""\s*(?:
        [\w.:*]+ (?:::\{[^}]*\}?)? (?:\ as\ \w+)? ,?  # a name
        | (?:[\w.]+\ )? (?:"[^"]*"|'[^']*') ,?  # a module
        | (?:[)\]}]\ *from\b.*) | [()\[\]{},;]+ | if\ [\w.]*TYPE_CHECKING:
    )\s*$""",
    re.VERBOSE,
)
_COMMENT = re.compile(r"\s*(?:#|//|/?\*)")


def is_import(line: str) -> bool:
    """Whether an import begins on the line."""
    return _IMPORT.match(line) is not None


def are_imports(lines: Sequence[str]) -> bool:
    """Whether at least three quarters of the lines belong to imports, comments aside."""
    begun = [is_import(line) for line in lines]
    told = [
        at
        for at, line in enumerate(lines)
        if line.strip() and (begun[at] or not _COMMENT.match(line))
    ]
    named = sum(begun[at] or _LISTED.match(lines[at]) is not None for at in told)
    return any(begun) and 4 * named >= 3 * len(told)
