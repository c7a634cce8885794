"""`textDocument/codeAction`: what can be done with the selected lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

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


def code_action(
    ls: Server, params: types.CodeActionParams
) -> list[types.CodeAction | types.Command]:
    """The actions for a selection; without one, or when other kinds are wanted, none."""
    only = params.context.only
    if params.range.start == params.range.end or (only is not None and _KIND not in only):
        return []
    command = types.Command(_EXPLAIN, "glossator.explain", arguments=[_selection(params)])
    if not ls.client.code_actions:
        return [command]
    return [types.CodeAction(_EXPLAIN, kind=_KIND, command=command)]


def _selection(params: types.CodeActionParams) -> dict[str, Any]:
    """The selected lines, 1-based; one on which the selection only ends is not selected."""
    start, end = params.range.start, params.range.end
    ends_before = end.character == 0 and end.line > start.line
    return {
        "uri": params.text_document.uri,
        "firstLine": start.line + 1,
        "lastLine": end.line if ends_before else end.line + 1,
    }
