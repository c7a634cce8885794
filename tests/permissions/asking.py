"""Policies and subjects in few words, about the workspace `/ws` unless a real one is given."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from glossator.core.permission import Access, Mode
from glossator.permissions.decide import Allow, Ask, Decision, Deny, decision_about
from glossator.permissions.policy import Places, Policy, Restrictions, UserRules
from glossator.permissions.subject import CallSubject, ResolvedPath, ShellScript
from glossator.shell.parser import parse
from glossator.shell.script import Redirect, Script, SimpleCommand

PLACES = Places(("/ws",), "/home/me", ("/home/me/.config/glossator",))
NOTHING: tuple[str, ...] = ()


def policy(
    mode: str = "ask",
    *,
    deny: Sequence[str] = NOTHING,
    ask: Sequence[str] = NOTHING,
    allow: Sequence[str] = NOTHING,
    session: Sequence[str] = NOTHING,
    workspace_deny: Sequence[str] = NOTHING,
    workspace_ask: Sequence[str] = NOTHING,
    root: Path | None = None,
) -> Policy:
    return Policy(
        Mode(mode),
        Places((str(root),), "/home/me") if root else PLACES,
        UserRules.parse(deny, ask, allow),
        UserRules.parse(NOTHING, NOTHING, session),
        Restrictions.parse(workspace_deny, workspace_ask),
    )


def target(path: str, *names: str) -> ResolvedPath:
    """`path` that leads, by way of `names`, to the last of them; to itself without any."""
    return ResolvedPath(path, (path, *names), (names[-1] if names else path,))


def files(tool: str, *paths: str | ResolvedPath) -> CallSubject:
    access = Access.WRITE if tool in ("Edit", "MultiEdit", "Write", "Move") else Access.READ
    return CallSubject(tool, access, tuple(target(p) if isinstance(p, str) else p for p in paths))


def shell(
    *commands: str,
    read_only: bool = False,
    named: Sequence[str] = NOTHING,
    writes: Sequence[str] = NOTHING,
    open_reason: str | None = None,
) -> CallSubject:
    """A script of these commands that would run in a sandbox; without any, one not understood."""
    words = tuple(tuple(shlex.split(command)) for command in commands)
    script = ShellScript(
        words,
        frozenset(words if read_only and not writes else ()),
        tuple(map(target, named)),
        open_reason,
        () if words else ('x "$y"',),
    )
    return CallSubject("Bash", Access.EXECUTE, tuple(map(target, writes)), script)


def of_words(
    *commands: Sequence[str],
    cwd: Path | str,
    reads: Sequence[str] = NOTHING,
    writes: Sequence[str] = NOTHING,
    read_only: bool = False,
) -> CallSubject:
    """A script of these commands, as it is on disk; the last one has the redirections."""
    redirects = [Redirect("<", each) for each in reads] + [Redirect(">", each) for each in writes]
    simple = [SimpleCommand(tuple(words)) for words in commands]
    simple[-1] = replace(simple[-1], redirects=tuple(redirects))
    reading = simple if read_only else ()
    return CallSubject.of_shell(
        Script(tuple(simple)), cwd=str(cwd), reading=reading, open_reason=None
    )


def of_line(line: str, cwd: Path | str, *reading: str) -> CallSubject:
    """A command line; `reading` are the programs in it that only read."""
    script = parse(line)
    only_read = [each for each in script.known if each.words[0] in reading]
    return CallSubject.of_shell(script, cwd=str(cwd), reading=only_read, open_reason=None)


def verdict(subject: CallSubject, held: Policy) -> str:
    return name(decision_about(subject, held))


def name(decision: Decision) -> str:
    match decision:
        case Allow():
            return "allow"
        case Ask():
            return "ask"
        case Deny():
            return "deny"
