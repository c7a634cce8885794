"""Suggests rules that would allow a call next time, as narrow as they are useful."""

from __future__ import annotations

import os
import re

from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.permissions.command_words import CommandWords, without_variables
from glossator.permissions.matching import (
    command_covered,
    path_covered,
    uncovered,
    without_harmless,
)
from glossator.permissions.policy import FAMILIES, CommandRule, Policy, Rule, ToolRule, parse_rule
from glossator.permissions.subject import CallSubject, ShellScript
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
    """The rule `text`; None where it cannot be written, or not be shown as it is."""
    if shown(text) != text:
        return None
    try:
        return parse_rule(text)
    except UsageError:
        return None


def _known_start(command: CommandWords) -> int:
    """How many of the first words say what the command does; 0 if they do not.

    Known are commands that build, check, format and test what is in the workspace, or stage it.
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
    """What a program is called, whatever its version, or that of the workspace."""
    own = _OWN_PROGRAM.fullmatch(program) or _AT_TOP.fullmatch(program)
    name = own["name"] if own else program
    return "python" if _PYTHON.fullmatch(name) else name
