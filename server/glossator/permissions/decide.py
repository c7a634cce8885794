"""Decides about a tool call: a pure function; the strictest rule wins.

Limits deny a call or ask about it: paths that cannot be resolved, deny rules, plan mode, a run that
only reads, protected paths, scripts outside a sandbox, scripts that are not understood (in auto
the sandbox holds them) or use the network, ask rules, and rules that may concern what is not
understood. Grants allow it: an allow rule, for a script also the fact that parts only read, or the
mode. No grant lifts a limit, whatever the order of the rules, but for one: a rule about a command
line as it stands is the answer to what is not understood of it, and to its use of the network.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from glossator.core.errors import UsageError
from glossator.core.permission import Access, Mode
from glossator.core.shown import shown, some_of
from glossator.permissions.command_words import CommandWords, command_text, without_variables
from glossator.permissions.matching import (
    command_covered,
    concerning,
    covered,
    line_covered,
    named_by_user,
    path_covered,
    uncertain,
    uncovered,
    without_harmless,
)
from glossator.permissions.policy import (
    FAMILIES,
    MCP,
    CommandRule,
    LineRule,
    Policy,
    Rule,
    ToolRule,
    parse_rule,
)
from glossator.permissions.protected import why_protected
from glossator.permissions.subject import CallSubject, ResolvedPath, ShellScript
from glossator.shell import TOO_MANY
from glossator.workspace import is_inside

_SPECIAL = re.compile(r"[\\*?\[\]]| (?= *$)")
# the first words of commands that say what they do; * is any word
_STARTS = tuple(
    tuple(start.split())
    for start in """
        npm test; npm run *; pnpm test; pnpm run *; yarn test; yarn run *; bun test; bun run *;
        pytest; tox; nox; python -m pytest; python -m unittest; python -m mypy; python -m ruff;
        python -m black; ruff check; ruff format; black; isort; mypy; pyright; flake8; tsc;
        eslint; prettier; biome; jest; vitest; mocha; cargo build; cargo check; cargo clippy;
        cargo doc; cargo fmt; cargo test; go build; go fmt; go test; go vet; gofmt;
        dotnet build; dotnet format; dotnet test; mvn compile; mvn test; mvnw test;
        gradle build; gradle test; gradlew build; gradlew test; swift build; swift test;
        bundle exec rspec; bundle exec rubocop; rspec; rubocop; phpunit; ctest; cmake --build;
        ninja; make *; just *; git add; git status; mkdir
    """.split(";")
)
_WRAPPERS = tuple(
    tuple(line.split())
    for line in ("uv run", "poetry run", "pipenv run", "hatch run", "pnpm exec", "yarn", "npx")
)
_PYTHON = re.compile(r"python[0-9.]*")
_OWN_PROGRAM = re.compile(r"(?:\.{0,2}/|\S*/)?(?:\.?venv/bin|node_modules/\.bin)/(?P<name>[^/]+)")
_AT_TOP = re.compile(r"\./(?P<name>mvnw|gradlew)")


def suggestions(subject: CallSubject, policy: Policy) -> tuple[Rule, ...]:
    """Rules that, added to the allow rules, cover all of the subject; empty if none can say it."""
    if subject.script is not None:
        found = _for_script(subject.script, policy)
        return () if subject.targets else found or _for_line(subject)
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


def _for_line(subject: CallSubject) -> tuple[Rule, ...]:
    """The rule about the very line of a script; none if people cannot judge it by what they see."""
    script = subject.script
    if script is None or subject.targets or script.excess or "" in script.unclear:
        return ()
    line = script.line
    if script.open_reason is not None or not 0 < len(line) <= _LINE_LETTERS:
        return ()
    if line != line.strip() or "\n" in line or ">" in _HARMLESS_REDIRECT.sub("", line):
        return ()
    said = _said(str(LineRule(line, script.network)))
    return () if said is None else (said,)


def _for_command(command: CommandWords) -> Rule | None:
    command = without_harmless(command)
    plain = without_variables(command)
    if length := _known_start(plain):
        start = command[: len(command) - len(plain) + length]
        return _said(str(CommandRule(start, prefix=True)))
    return _said(str(CommandRule(command, prefix=False)))


def _for_targets(subject: CallSubject, policy: Policy) -> tuple[Rule, ...]:
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
    """The rule `text`; None if it cannot be written, or not be shown as it is."""
    if shown(text) != text:
        return None
    try:
        return parse_rule(text)
    except UsageError:
        return None


def _known_start(command: CommandWords) -> int:
    """How many of the first words say what the command does; 0 if they do not.

    Known commands build, check, format, test or stage what is in the workspace.
    Programs that run anything (`python -c`, `sh`, `env`, `xargs`, `sudo`, `npx`), reach other
    places (`curl`, `git push`), install or delete are not: a rule names all words of those.
    """
    for runner in ((), *_WRAPPERS):
        if command[: len(runner)] != runner:
            continue
        words = command[len(runner) :]
        named = (_name(words[0]), *words[1:]) if words else ()
        for start in _STARTS:
            if len(named) >= len(start) and all(map(_fits, start, named)):
                return len(runner) + len(start)
    return 0


def _fits(known: str, word: str) -> bool:
    return known == word or (known == "*" and word[:1] not in ("", "-"))


def _name(program: str) -> str:
    """The name of a program, without its version or the workspace's."""
    own = _OWN_PROGRAM.fullmatch(program) or _AT_TOP.fullmatch(program)
    name = own["name"] if own else program
    return "python" if _PYTHON.fullmatch(name) else name


_MAX_NAMED = 5  # protected paths, or commands
_COMMAND_LETTERS = 80  # of a command
_HARMLESS_REDIRECT = re.compile(r"\d?>&\d\b|\d?>\s?/dev/null\b")
_LINE_LETTERS = 300  # of a command line that a rule may name
_OTHER_NAMES = "it has other names (hard links), perhaps outside the workspace"
_NETWORK = "It would use the network."
_PLAN_MODE = "Plan mode"  # how its refusals begin
_READING = "What was asked for"  # … and those of a run that only reads
_ONLY_READS = (
    "only reads: no file is changed, and only shell commands run that are known to change nothing."
)


@dataclass(frozen=True, slots=True)
class Allow:
    """Do it."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the user first, for these reasons.

    `suggestions` are the rules that would together allow it next time; empty when none can.
    """

    reasons: tuple[str, ...]
    suggestions: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class Deny:
    """Do not do it; `reason` says why in its first line, and then what the model should do.

    `told` is the first line in words for the user; "" if they are the same.
    """

    reason: str
    told: str = ""


Decision = Allow | Ask | Deny


def decision_about(subject: CallSubject, policy: Policy) -> Decision:
    """Decide whether to make a call."""
    limits = [limit for find in _LIMITS if (limit := find(subject, policy)) is not None]
    grant = _grant(subject, policy)
    for decision in (*limits, grant):
        if isinstance(decision, Deny):
            return decision
    asking = [limit for limit in limits if isinstance(limit, Ask)]
    if asking:
        reasons = tuple(reason for limit in asking for reason in limit.reasons)
        # a rule that lifts one of several limits would not spare the next question
        return Ask(reasons, asking[0].suggestions if len(asking) == 1 else ())
    return grant


def _unresolved(subject: CallSubject, _policy: Policy) -> Deny | None:
    for target in subject.targets:
        if not target.real:
            return Deny(
                f"{shown(target.asked)} cannot be resolved (a loop of links, a closed folder, or a"
                " name that no file can have).\nUse another path."
            )
    return None


def _denied(subject: CallSubject, policy: Policy) -> Deny | None:
    rules = concerning(policy.deny, subject, policy.places)
    if subject.access is Access.WRITE and subject.targets:
        # an edit shows lines of a file, and a moved file has another name afterwards
        as_read = replace(subject, tool="Read")
        hiding_it = concerning(policy.deny, as_read, policy.places)
        rules = tuple(dict.fromkeys((*rules, *hiding_it)))
    if not rules:
        return None
    return Deny(
        f"The user's permission rules do not allow this (denied: {', '.join(map(shown, rules))})."
        "\nDo not try to get the same result another way; go on without it, or tell the user."
    )


def _planning(subject: CallSubject, policy: Policy) -> Deny | None:
    if policy.mode is not Mode.PLAN or _only_reads(subject):
        return None
    if subject.tool.startswith(MCP) and named_by_user(policy, subject.tool):
        return None  # the settings say so; an answer in another mode does not
    return Deny(
        f"{_PLAN_MODE} {_ONLY_READS}"
        "\nPut what you want to do into the plan; the user ends plan mode."
    )


def _looking(subject: CallSubject, policy: Policy) -> Deny | None:
    if not policy.only_reads or _only_reads(subject):
        return None
    return Deny(f"{_READING} {_ONLY_READS}\nSay in your answer what you would change.")


def lifted_refusals(mode: Mode) -> tuple[str, ...]:
    """The first lines of refusals that no longer hold when the run that got them is over."""
    lifted = (_READING,) if mode is Mode.PLAN else (_PLAN_MODE, _READING)
    return tuple(f"{each} {_ONLY_READS}\n" for each in lifted)


def _protected(subject: CallSubject, policy: Policy) -> Ask | None:
    if subject.access is Access.READ:
        return None
    reasons = [
        f"{shown(target.asked)} is protected: {reason}."
        for target in subject.targets
        if (reason := _protection(target, subject.tool, policy)) is not None
    ]
    if (more := len(reasons) - _MAX_NAMED) > 0:  # a folder, with what is in it
        reasons[_MAX_NAMED:] = [f"{more:,} more protected paths would change."]
    return Ask(tuple(reasons)) if reasons else None


def _unclear(subject: CallSubject, policy: Policy) -> Ask | None:
    script = subject.script
    if script is None or (script.open_reason is None and line_covered(policy.allow, script)):
        return None
    reasons = []
    is_held = script.open_reason is None and not script.network
    if script.unclear and (policy.mode is not Mode.AUTO or not is_held):
        if script.excess:
            reasons.append(TOO_MANY)
        if unclear := [text for text in script.unclear if text not in script.excess]:
            what = "this command" if "" in unclear else _quoted(unclear)
            reasons.append(f"Glossator cannot tell what {what} would do.")
        if missing := uncovered(policy.allow, script, policy.places):
            reasons.append(_needing(missing, policy))
    if script.open_reason is not None:
        reasons.append(script.open_reason)
    elif script.network:
        reasons.append(_NETWORK)
    return Ask(tuple(reasons), _for_line(subject)) if reasons else None


def _uncertain(subject: CallSubject, policy: Policy) -> Ask | None:
    if subject.script is None or not (rules := uncertain(policy, subject.script)):
        return None
    which = ", ".join(map(shown, rules))
    return Ask((f"Glossator cannot tell whether a rule is about this: {which}.",))


def _asked(subject: CallSubject, policy: Policy) -> Ask | None:
    rules = concerning(policy.ask, subject, policy.places)
    if not rules:
        return None
    return Ask((f"A rule says to ask each time: {', '.join(map(shown, rules))}.",))


_LIMITS: tuple[Callable[[CallSubject, Policy], Ask | Deny | None], ...] = (
    _unresolved,
    _denied,
    _planning,
    _looking,
    _protected,
    _unclear,
    _uncertain,
    _asked,
)


def _grant(subject: CallSubject, policy: Policy) -> Decision:
    """What allow rules say, or otherwise the mode."""
    script = subject.script
    if covered(policy.allow, subject, policy.places):
        if script is None or all(_may_write(target, policy) for target in subject.targets):
            return Allow()
    elif script is None and (outside := _outside(subject.targets, policy)):
        return Deny(
            f"{_that_is(outside, policy)}; only paths inside its folders can be"
            f" {'read' if subject.access is Access.READ else 'changed'}."
        )
    if _mode_allows(subject, policy):
        return Allow()
    return Ask((_why(subject, policy),), suggestions(subject, policy))


def _mode_allows(subject: CallSubject, policy: Policy) -> bool:
    """Whether the mode alone allows this inside the workspace.

    No sandbox holds an MCP server, so no mode allows its calls.
    """
    if subject.tool.startswith(MCP):
        return False
    if subject.script is not None:
        return policy.mode is Mode.AUTO and _outside(_lasting(subject, policy), policy) is None
    if subject.access is Access.REMEMBER:
        return False  # it steers later sessions, as protected files do: only a rule allows it
    if subject.access is Access.READ or policy.mode is Mode.AUTO:
        return True
    is_edit = subject.access is Access.WRITE and subject.tool in FAMILIES["Edit"]
    return policy.mode is Mode.ACCEPT_EDITS and is_edit and bool(subject.targets)


def _only_reads(subject: CallSubject) -> bool:
    if subject.script is not None:
        return subject.script.read_only and not subject.targets
    return subject.access is Access.READ


def _may_write(target: ResolvedPath, policy: Policy) -> bool:
    """Whether a redirect may write there without a question, as an edit might."""
    if policy.mode in (Mode.ACCEPT_EDITS, Mode.AUTO):
        return _outside((target,), policy) is None
    return path_covered(policy.allow, target, "Write", policy.places)


def _lasting(subject: CallSubject, policy: Policy) -> tuple[ResolvedPath, ...]:
    """The targets; in auto, without the sandbox's own, which end with the command."""
    if subject.script is None or policy.mode is not Mode.AUTO:
        return subject.targets
    passing = subject.script.passing
    return tuple(target for target in subject.targets if target not in passing)


def _outside(targets: tuple[ResolvedPath, ...], policy: Policy) -> ResolvedPath | None:
    """The first target that leads out of the workspace."""
    for target in targets:
        if not all(map(policy.places.holds, target.real)):
            return target
    return None


def _that_is(outside: ResolvedPath, policy: Policy) -> str:
    """A path may lead out by a link, such as the Python of a virtual environment."""
    verb = "leads" if policy.places.holds(outside.asked) else "is"
    return f"{shown(outside.asked)} {verb} outside the workspace"


def _protection(target: ResolvedPath, tool: str, policy: Policy) -> str | None:
    reasons = (why_protected(name, policy.places.own) for name in target.names)
    other_names = (
        _OTHER_NAMES if target.hard_linked and tool != "Move" else None
    )  # which keeps the text
    return next((reason for reason in reasons if reason is not None), other_names)


def _why(subject: CallSubject, policy: Policy) -> str:
    script = subject.script
    if script is not None and (
        outside := _outside(_lasting(subject, policy) + script.named, policy)
    ):
        return f"{_that_is(outside, policy)}."
    if script is not None and subject.targets:
        return f"It would write to {', '.join(shown(target.asked) for target in subject.targets)}."
    if script is not None:
        missing = uncovered(policy.allow, script, policy.places)
        return _needing(missing if len(set(script.commands)) > 1 else (), policy)
    if subject.access is Access.REMEMBER:
        return "Later sessions are told of it, so you are asked in every mode."
    if subject.tool.startswith(MCP):
        return "No sandbox holds what an MCP server does, so you are asked in every mode."
    needing = "every edit" if subject.tool in FAMILIES["Edit"] else subject.tool
    return f"In mode {policy.mode}, {needing} needs your permission."


def _needing(commands: Iterable[CommandWords], policy: Policy) -> str:
    which = _quoted(map(command_text, commands))
    needing = "a command that may change something needs your permission"
    return f"In mode {policy.mode}, {needing}{which and f': {which}'}."


def _quoted(texts: Iterable[str]) -> str:
    """Some of the texts, shortened, each marked as code."""
    known = [shown(text) for text in texts]
    short = [
        f"{text[:_COMMAND_LETTERS]}…" if len(text) > _COMMAND_LETTERS else text for text in known
    ]
    return some_of([f"`{text}`" for text in short], _MAX_NAMED)
