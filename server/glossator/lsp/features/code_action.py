"""`textDocument/codeAction`: actions on selected lines, on a symbol and on diagnostics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from glossator.commands import EXPLAIN, FIX, LINE_ACTIONS, LineAction
from glossator.core.attached import Severity
from glossator.core.text import Position

if TYPE_CHECKING:
    from glossator.lsp.server import Server

_KINDS = tuple(dict.fromkeys(action.kind for action in LINE_ACTIONS))
_CANNOT_EDIT = "The editor cannot be asked to apply edits."


@dataclass(frozen=True, slots=True)
class _Offer:
    """An action on lines (1-based, inclusive); `name` says of what."""

    action: LineAction
    name: str
    first_line: int
    last_line: int
    diagnostics: Sequence[types.Diagnostic] = ()

    @property
    def title(self) -> str:
        return f"{self.action.titled(self.name)} with Glossator"

    def command(self, uri: str) -> types.Command:
        argument: dict[str, Any] = {
            "uri": uri,
            "firstLine": self.first_line,
            "lastLine": self.last_line,
        }
        if self.diagnostics:
            argument["diagnostics"] = list(map(_finding, self.diagnostics))
        return types.Command(self.title, self.action.command, arguments=[argument])


def register(server: Server) -> None:
    """Offer actions; all are complete at once, there is nothing to resolve."""
    options = types.CodeActionOptions(code_action_kinds=list(_KINDS), resolve_provider=False)
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(code_action)


async def code_action(
    ls: Server, params: types.CodeActionParams
) -> list[types.CodeAction | types.Command]:
    """The actions for a selection, for a name where it is defined, and for findings; else none."""
    only = params.context.only
    if not any(_is_asked_for(kind, only) for kind in _KINDS) or _is_saving(ls, params):
        return []
    offers = await _offers(ls, params)
    asked_for = (offer for offer in offers if _is_asked_for(offer.action.kind, only))
    obstacle = _obstacle(ls)
    shown = (_shown(ls, offer, params.text_document.uri, obstacle) for offer in asked_for)
    return [action for action in shown if action is not None]


async def _offers(ls: Server, params: types.CodeActionParams) -> list[_Offer]:
    findings = params.context.diagnostics
    about = f"{len(findings):,} problems" if len(findings) > 1 else ""
    span = _span([params.range, *(finding.range for finding in findings)])
    offers = [_Offer(FIX, about, *span, findings)] if findings else []
    place = await _place(ls, params)
    if place is not None:
        offers += [_Offer(action, *place) for action in LINE_ACTIONS if action is not FIX]
    elif findings:
        offers.append(_Offer(EXPLAIN, about, *span, findings))
    return offers


async def _place(ls: Server, params: types.CodeActionParams) -> tuple[str, int, int] | None:
    """The selected lines, without a name, or the symbol whose name the cursor is at."""
    if params.range.start != params.range.end:
        return "", *_span([params.range])
    start = Position(params.range.start.line, params.range.start.character)
    symbol = await ls.service.symbol_named_at(ls.application, params.text_document.uri, start)
    return None if symbol is None else (symbol.name, symbol.first_line, symbol.last_line)


def _shown(
    ls: Server, offer: _Offer, uri: str, obstacle: str | None
) -> types.CodeAction | types.Command | None:
    """The action, or why it cannot run now, if the client shows disabled actions.

    It names no diagnostics: editors list the actions that do first, and the fixes of compilers and
    linters, which are certain and cost nothing, shall come before these.
    """
    why_not = obstacle if offer.action.edits else None
    title, kind = offer.title, offer.action.kind
    if why_not is None:
        command = offer.command(uri)
        literal = ls.client.code_actions
        return types.CodeAction(title, kind=kind, command=command) if literal else command
    if not ls.client.disabled_actions:
        return None
    return types.CodeAction(title, kind=kind, disabled=types.CodeActionDisabled(why_not))


def _obstacle(ls: Server) -> str | None:
    """Why nothing can be edited now."""
    if not ls.client.edits.applies:
        return _CANNOT_EDIT
    chooses_sessions = ls.client.events
    return ls.service.why_not_edited(ls.application, not chooses_sessions)


def _is_asked_for(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether a kind, or one that contains it, is among those wanted."""
    if only is None:
        return True
    return any(wanted in ("", kind) or kind.startswith(wanted + ".") for wanted in only)


def _is_saving(ls: Server, params: types.CodeActionParams) -> bool:
    """Whether the editor asks because it saves: VS Code then runs all actions of some kinds.

    It asks for the whole document, without the user; that must not start a model.
    """
    automatic = params.context.trigger_kind == types.CodeActionTriggerKind.Automatic
    if not (automatic and params.context.only):
        return False
    document = ls.application.host.snapshot().open_document(params.text_document.uri)
    if document is None:
        return False
    last = len(document.table.starts) - 1
    return params.range.start == types.Position(0, 0) and params.range.end.line >= last


def _span(ranges: Iterable[types.Range]) -> tuple[int, int]:
    """The lines of ranges, 1-based; one on which a range only ends is not among them."""
    firsts, lasts = [], []
    for each in ranges:
        start, end = each.start, each.end
        ends_before = end.character == 0 and end.line > start.line
        firsts.append(start.line + 1)
        lasts.append(end.line if ends_before else end.line + 1)
    return min(firsts), max(lasts)


def _finding(found: types.Diagnostic) -> dict[str, Any]:
    severity = found.severity or types.DiagnosticSeverity.Error
    return {
        "line": found.range.start.line + 1,
        "severity": tuple(Severity)[severity - 1].value,
        "message": found.message,
        "source": found.source or "",
    }
