"""The rules that would allow a call next time, as narrow as they are useful."""

from __future__ import annotations

import os
import re

from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.files.roots import is_inside
from glossator.permissions.matching import (
    command_covered,
    path_covered,
    uncovered,
    without_harmless,
)
from glossator.permissions.policy import Policy
from glossator.permissions.prefixes import known_start
from glossator.permissions.rules import FAMILIES, CommandRule, Rule, ToolRule, parse_rule
from glossator.permissions.subject import ShellScript, Subject
from glossator.permissions.words import Words, bare

_SPECIAL = re.compile(r"[\\*?\[\]]| (?= *$)")


def suggestions(subject: Subject, policy: Policy) -> tuple[Rule, ...]:
    """Rules that, added to the allow rules, cover all of the subject; empty if none can say it."""
    if subject.script is not None:
        found = _for_script(subject.script, policy)
        return found if not subject.targets else ()
    if not subject.targets:
        return (ToolRule(subject.tool),)
    return _for_targets(subject, policy)


def _for_script(script: ShellScript, policy: Policy) -> tuple[Rule, ...]:
    if script.unclear:
        return ()
    missing = uncovered(policy.allow, script, policy.places)
    rules = tuple(dict.fromkeys(map(_for_command, missing)))
    said = tuple(rule for rule in rules if rule is not None)
    return said if all(command_covered(said, command) for command in missing) else ()


def _for_command(command: Words) -> Rule | None:
    command = without_harmless(command)
    plain = bare(command)
    if length := known_start(plain):
        start = command[: len(command) - len(plain) + length]
        return _said(str(CommandRule(start, prefix=True)))
    return _said(str(CommandRule(command, prefix=False)))


def _for_targets(subject: Subject, policy: Policy) -> tuple[Rule, ...]:
    family = next((family for family, tools in FAMILIES.items() if subject.tool in tools), None)
    if family is None:
        return ()
    said: list[Rule] = []
    for target in subject.targets:
        if path_covered((*policy.allow, *said), target, subject.tool, policy.places):
            continue
        texts = (f"{family}({_pattern(path, policy)})" for path in target.real)
        said += dict.fromkeys(rule for rule in map(_said, texts) if rule is not None)
        if not path_covered((*policy.allow, *said), target, subject.tool, policy.places):
            return ()
    return tuple(said)


def _pattern(path: str, policy: Policy) -> str:
    """A pattern for the files in the folder of `path`, or for a file at the top alone."""
    roots = policy.places.roots
    at_top = os.path.dirname(path) in (*roots, os.sep)
    meant = path if at_top else os.path.dirname(path)
    one = len(roots) == 1 and is_inside(path, roots[0])
    if one:
        meant = meant[len(roots[0].rstrip(os.sep)) :]
    meant = _SPECIAL.sub(r"\\\g<0>", meant.replace(os.sep, "/"))
    return ("" if one else "/") + meant + ("" if at_top else "/**")


def _said(text: str) -> Rule | None:
    """The rule `text`; None where it cannot be written, or not be shown as it is."""
    if shown(text) != text:
        return None
    try:
        return parse_rule(text)
    except UsageError:
        return None
