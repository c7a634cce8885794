"""`textDocument/codeAction`: what can be done with selected lines or a symbol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from glossator.core.text import Position

if TYPE_CHECKING:
    from glossator.lsp.server import Server

_EXPLAIN = "Explain with Glossator"
# Explaining changes nothing and repairs nothing, so it is neither a refactoring nor a quick fix.
# Editors list an action of the empty kind in the light bulb of any selection (VS Code under "More
# Actions") and, unlike a quick fix, never run it on save or as the preferred fix.
_KIND = types.CodeActionKind.Empty


def register(server: Server) -> None:
    """Offer actions; all are complete at once, there is nothing to resolve."""
    options = types.CodeActionOptions(code_action_kinds=[_KIND], resolve_provider=False)
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(code_action)


async def code_action(
    ls: Server, params: types.CodeActionParams
) -> list[types.CodeAction | types.Command]:
    """The actions for a selection, or for a name where it is defined; else none."""
    only = params.context.only
    if only is not None and _KIND not in only:
        return []
    if params.range.start != params.range.end:
        title, lines = _EXPLAIN, _selection(params)
    else:
        start = Position(params.range.start.line, params.range.start.character)
        symbol = await ls.service.symbol_named_at(ls.application, params.text_document.uri, start)
        if symbol is None:
            return []
        title = f"Explain {symbol.name} with Glossator"
        lines = _lines(params, symbol.first_line, symbol.last_line)
    command = types.Command(title, "glossator.explain", arguments=[lines])
    if not ls.client.code_actions:
        return [command]
    return [types.CodeAction(title, kind=_KIND, command=command)]


def _selection(params: types.CodeActionParams) -> dict[str, Any]:
    """The selected lines, 1-based; one on which the selection only ends is not selected."""
    start, end = params.range.start, params.range.end
    ends_before = end.character == 0 and end.line > start.line
    return _lines(params, start.line + 1, end.line if ends_before else end.line + 1)


def _lines(params: types.CodeActionParams, first: int, last: int) -> dict[str, Any]:
    return {"uri": params.text_document.uri, "firstLine": first, "lastLine": last}
