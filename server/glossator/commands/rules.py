"""The current permission rules, and removing one that the user's answers added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from glossator.application import Application
from glossator.commands.answers.context import (
    ContextAction,
    ContextSource,
    ContextState,
    ListedRule,
    RuleList,
    Source,
)
from glossator.core.context_kinds import ContextKind
from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.permissions import Grants, Rule, parse_rule

_EFFECTS = {"allow": "allowed", "ask": "asked about", "deny": "denied"}
_SOURCES: Mapping[Source, str] = {
    "settings": "by your settings",
    "session": "answered for this session",
    "always": "answered for always, in this workspace",
}


@dataclass(frozen=True, slots=True)
class ListRulesRequest:
    """With a session, what was allowed in it is listed, too."""

    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class RemoveRuleRequest:
    """A rule as it is listed, and where it is from; one of a session takes the session.

    It is an error where there is no such rule, or it stands in the settings.
    """

    text: str
    source: Source
    session_id: str | None = None


async def list_rules(app: Application, request: ListRulesRequest) -> RuleList:
    """The rules that deny, ask and allow. Raises like `Sessions.open`."""
    return _listed(app, await _grants(app, request.session_id))


async def rule_sources(app: Application, session_id: str | None) -> Iterator[ContextSource]:
    """The rules as the Context view lists them. Raises as `Sessions.open`."""
    return map(_source, (await list_rules(app, ListRulesRequest(session_id))).rules)


async def remove_rule(app: Application, request: RemoveRuleRequest) -> RuleList:
    """Remove a rule that was answered; gives those that are left.

    Raises as `Sessions.open`, and `UsageError` for a rule that is not there or cannot be removed.
    """
    rule = parse_rule(request.text)
    grants = await _grants(app, request.session_id)
    if request.source == "settings":
        raise UsageError(
            f"{shown(str(rule))} stands in the settings or options of your editor or terminal;"
            " remove it there."
        )
    if request.source == "always":
        found = grants.remove_from_always(rule)
    elif request.session_id is None:
        raise UsageError(f"Name the session in which {shown(str(rule))} was allowed.")
    else:
        found = grants.remove_from_session(rule)
    if not found:
        rules = grants.of_session if request.source == "session" else grants.for_always
        kept = ", ".join(shown(str(each)) for each in rules) or "none"
        raise UsageError(f"There is no rule {shown(str(rule))} to remove; there are: {kept}.")
    return _listed(app, grants)


async def _grants(app: Application, session_id: str | None) -> Grants:
    if session_id is None:
        return Grants(app.host.snapshot().roots, app.port.tell, app.acting.always)
    return app.acting.of(await app.sessions.open(session_id)).grants


def _listed(app: Application, grants: Grants) -> RuleList:
    policy = app.acting.policy()
    return RuleList(
        (
            *_told(policy.deny, "deny", "settings"),
            *_told(policy.ask, "ask", "settings"),
            *_told(policy.allow, "allow", "settings"),
            *_told(grants.for_always, "allow", "always"),
            *_told(grants.of_session, "allow", "session"),
        )
    )


def _told(
    rules: Iterable[Rule], effect: Literal["allow", "ask", "deny"], source: Source
) -> Iterator[ListedRule]:
    for rule in dict.fromkeys(rules):
        yield ListedRule(str(rule), effect, source, removable=source != "settings")


def _source(rule: ListedRule) -> ContextSource:
    action = ContextAction.FORGET if rule.removable else ContextAction.CONFIGURE
    detail = f"{_EFFECTS[rule.effect]}, {_SOURCES[rule.source]}"
    key, kind, on = f"{rule.source} {rule.text}", ContextKind.RULE, ContextState.ON
    return ContextSource(kind, key, rule.text, "user", on, "", detail, "", (action,))
