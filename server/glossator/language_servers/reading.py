"""What servers answer, read leniently: a part of a wrong form is left out, the rest counts.

Source: LSP 3.17; of its unions each server uses other members.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from glossator.core.attached import Diagnostic, Severity
from glossator.core.code import CodeEdit, CodePlace
from glossator.core.shown import shown, shown_prose

_SEVERITIES = {1: Severity.ERROR, 2: Severity.WARNING, 3: Severity.INFORMATION, 4: Severity.HINT}
_MAX_FINDINGS = 500  # of one file
_MAX_MESSAGE = 1_000  # characters of a finding
_MAX_NAME = 200  # characters of who calls, and of the source and code of a finding
_MAX_TEXT = 100_000  # characters of a hover


def places_in(result: object) -> tuple[CodePlace, ...]:
    """The places of `Location | Location[] | LocationLink[] | null`, each once."""
    found: dict[CodePlace, None] = {}
    for each in result if isinstance(result, list) else [result]:
        match each:
            case {"targetUri": str() as uri, **rest} if (
                line := _line(rest.get("targetSelectionRange") or rest.get("targetRange"))
            ) is not None:
                found[CodePlace(uri, line)] = None
            case {"uri": str() as uri, "range": span} if (line := _line(span)) is not None:
                found[CodePlace(uri, line)] = None
    return tuple(found)


def callers_in(result: object) -> Iterator[CodePlace]:
    """The places of the calls in `CallHierarchyIncomingCall[]`."""
    for each in _objects(result):
        match each:
            case {"from": {"uri": str() as uri, "name": str() as name}}:
                for line in _lines(each.get("fromRanges")):
                    yield CodePlace(uri, line, _brief(name))


def callees_in(result: object) -> Iterator[CodePlace]:
    """The definitions of what is called in `CallHierarchyOutgoingCall[]`, and from which lines."""
    for each in _objects(result):
        match each:
            case {"to": {"uri": str() as uri, "name": str() as name} as item} if (
                line := _line(item.get("selectionRange") or item.get("range"))
            ) is not None:
                calls = tuple(dict.fromkeys(_lines(each.get("fromRanges"))))
                yield CodePlace(uri, line, _brief(name), calls)


def text_of(hover: object) -> str:
    """The text of a hover, in Markdown."""
    contents = hover.get("contents") if isinstance(hover, dict) else None
    parts = contents if isinstance(contents, list) else [contents]
    text = "\n\n".join(filter(None, map(_marked, parts)))
    return shown_prose(text[:_MAX_TEXT])


def edits_in(result: object) -> tuple[tuple[CodeEdit, ...], bool]:
    """The edits of a `WorkspaceEdit`, and whether files are created, moved or deleted, too."""
    if not isinstance(result, dict):
        return (), False
    changed = _objects(result.get("documentChanges"))
    files_too = any("kind" in each for each in changed)
    texts: list[tuple[object, object]] = [
        (document.get("uri"), each.get("edits"))
        for each in changed
        if isinstance(document := each.get("textDocument"), dict)
    ]
    if not changed and isinstance(changes := result.get("changes"), dict):
        texts = list(changes.items())
    edits = (_edit(uri, each) for uri, every in texts for each in _objects(every))
    return tuple(each for each in edits if each is not None), files_too


def findings_in(result: object) -> tuple[Diagnostic, ...]:
    """The findings of `Diagnostic[]`, the first of many."""
    found = []
    for each in _objects(result)[:_MAX_FINDINGS]:
        line, severity = _line(each.get("range")), _SEVERITIES.get(each.get("severity", 1))
        if line is None or severity is None:
            continue
        source, code = each.get("source"), each.get("code")
        named = f" ({_brief(str(code))})" if isinstance(code, str | int) and code != "" else ""
        message = shown_prose(str(each.get("message", ""))[:_MAX_MESSAGE])
        by = _brief(source) if isinstance(source, str) else ""
        found.append(Diagnostic(line + 1, severity, f"{message}{named}", by))
    return tuple(found)


def _brief(name: str) -> str:
    return shown(name[:_MAX_NAME])


def _objects(result: object) -> list[dict[str, Any]]:
    return [each for each in result if isinstance(each, dict)] if isinstance(result, list) else []


def _line(range_: object) -> int | None:
    match range_:
        case {"start": {"line": int() as line}} if line >= 0:
            return line
    return None


def _lines(ranges: object) -> Iterator[int]:
    for each in ranges if isinstance(ranges, list) else []:
        if (line := _line(each)) is not None:
            yield line


def _edit(uri: object, edit: dict[str, Any]) -> CodeEdit | None:
    match edit:
        case {
            "range": {
                "start": {"line": int() as line, "character": int() as character},
                "end": {"line": int() as end_line, "character": int() as end_character},
            },
            "newText": str() as text,
        } if isinstance(uri, str):
            return CodeEdit(uri, line, character, end_line, end_character, text)
    return None


def _marked(part: object) -> str:
    match part:
        case str():
            return part.strip()
        case {"language": str() as language, "value": str() as value}:
            return f"```{language}\n{value}\n```"
        case {"value": str() as value}:
            return value.strip()
    return ""
