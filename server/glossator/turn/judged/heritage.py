"""What classes extend, as their heads name it and a language server tells it."""

from __future__ import annotations

import re
from pathlib import PurePath

from glossator.core.code import CodeKind
from glossator.symbols import NamePlace
from glossator.turn.judged.evidence import TYPES, Defined, Evidence

_DEPTH = 4  # classes above one another
_CALLING_NOTHING = frozenset("object ABC Generic Exception Error".split())
_BASES = {
    True: re.compile(r"\s*\((.*)\)\s*:"),  # of Python
    False: re.compile(r"\b(?:extends|implements)\s+([^{]*?)\s*(?=\bimplements\b|\{)"),
}
_PART = re.compile(r"(?:[^,\[\]<>]|\[[^\[\]]*\]|<[^<>]*>)+")  # between commas
_BASE = re.compile(r"(?P<name>[\w.]+)\s*(?:\[.*\]|<.*>)?")


async def extends_ours_alone(evidence: Evidence, at: Defined, depth: int = _DEPTH) -> bool:
    """Whether all classes above one are the workspace's, or call nothing that it defines."""
    bases = _bases_of(at)
    if bases is None or not depth:
        return False
    for base in bases:
        if base.name in _CALLING_NOTHING:
            continue
        told = await evidence.told(CodeKind.DEFINITIONS, base)
        for line in told or {("", 0)}:
            above = await evidence.outlined(line)
            if above is None or above.symbol.kind not in TYPES:
                return False
            if not await extends_ours_alone(evidence, above, depth - 1):
                return False
    return True


async def extends_another(
    evidence: Evidence, at: Defined, subject: Defined, depth: int = _DEPTH
) -> bool:
    """Whether all classes above one are known, and none is the subject."""
    bases = _bases_of(at)
    if bases is None or not depth or at.line == subject.line:
        return False
    for base in bases:
        told = await evidence.told(CodeKind.DEFINITIONS, base)
        for line in told or {("", 0)}:
            if _is_of_language(line[0]):
                continue
            above = await evidence.outlined(line)
            if above is None or above.symbol.kind not in TYPES:
                return False
            if not await extends_another(evidence, above, subject, depth - 1):
                return False
    return True


def _is_of_language(path: str) -> bool:
    """Whether a file describes what a language has itself, which extends nothing of ours."""
    name = PurePath(path).name
    return "typeshed" in path or (name.startswith("lib.") and name.endswith(".d.ts"))


def _bases_of(at: Defined) -> list[NamePlace] | None:
    """Where the bases of a class are named; None where that is not plain."""
    number, start = at.symbol.name_line, at.symbol.name_column + len(at.symbol.name)
    line, head = at.document.lines[number - 1], at.head
    if "\n" in head:
        return None
    lists = [match.span(1) for match in _BASES[at.language == "python"].finditer(line, start)]
    if not lists:
        return None if re.search(r"\(|\bextends\b|\bimplements\b", line[start:]) else []
    found: list[NamePlace] = []
    for begin, end in lists:
        for part in _PART.finditer(line, begin, end):
            if "=" in part[0]:  # `metaclass=…`
                continue
            base = _BASE.fullmatch(part[0].strip())
            if base is None:
                return None
            offset = part.start() + len(part[0]) - len(part[0].lstrip())
            last = base["name"].rpartition(".")[2]
            found.append(NamePlace(at.document, number, offset + base.end("name") - len(last)))
    return found
