"""How deep lines of code stand, which tells inside of what they are."""

from __future__ import annotations

import re

_TAB = 4  # columns
_OUTSIDE = re.compile(  # what stands at the margin inside of functions: directives and labels of C
    r"\s*#\s*(?:if|ifdef|ifndef|elif|else|endif|define|undef|pragma|error)\b| ?\w+:\s*$"
)


def is_inside(line: str) -> bool:
    """Whether how deep a line stands says anything: it is not empty, and no directive or label."""
    return bool(line.strip()) and not _OUTSIDE.match(line)


def depth(line: str) -> int:
    """The columns before its first character."""
    expanded = line.expandtabs(_TAB)
    return len(expanded) - len(expanded.lstrip())


def level(line: str) -> int:
    """How deep a line stands: a bracket in front of it belongs to what began as deep above."""
    return depth(line) + (line.lstrip()[0] in ")]}{")
