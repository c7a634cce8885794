"""Finds the rules about a call: widely to deny or ask, narrowly to allow.

A deny or ask rule *concerns* a call if any name of any path, or any command, may be what it means.
Allow rules *cover* it only if each command and each real path is exactly what one names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from glossator.core.permission import Access
from glossator.permissions.command_words import (
    CommandWords,
    program_of,
    runs_another,
    split_words,
    without_variables,
)
from glossator.permissions.policy import (
    FAMILIES,
    MCP,
    CommandRule,
    Family,
    LineRule,
    PathRule,
    PatternBase,
    Places,
    Policy,
    Rule,
    ToolRule,
    path_spec,
)
from glossator.permissions.protected import folded
from glossator.permissions.subject import CallSubject, ResolvedPath, ShellScript
from glossator.shell import UncertainWord, is_harmless
from glossator.workspace import is_inside, one_per_byte

_QUOTING = re.compile(r"['\"\\\\]")
# options of which it is known that no value follows
_FLAG = re.compile(r"--no-[\w-]+|--bare|--paginate|--(?:quiet|silent|verbose|debug)|-[pqv]")


def concerning(rules: Iterable[Rule], subject: CallSubject, places: Places) -> tuple[str, ...]:
    """The deny or ask rules that may concern the subject, as text, sorted."""
    return tuple(sorted({str(rule) for rule in rules if _concerns(rule, subject, places)}))


def covered(rules: Iterable[Rule], subject: CallSubject, places: Places) -> bool:
    """Whether allow rules hold for every part of the subject."""
    known = tuple(rules)
    script = subject.script
    if script is None:
        if subject.targets:
            return all(
                path_covered(known, target, subject.tool, places) for target in subject.targets
            )
        return _tool_covered(known, subject.tool)
    if line_covered(known, script):
        return True
    return not (script.unclear or script.network) and not uncovered(known, script, places)


def line_covered(rules: Iterable[Rule], script: ShellScript) -> bool:
    """Whether a rule allows the very line of a script, and the network if it uses it."""
    return script.line != "" and any(
        isinstance(rule, LineRule)
        and rule.line == script.line
        and (rule.network or not script.network)
        for rule in rules
    )


def named_by_user(policy: Policy, tool: str) -> bool:
    """Whether the user's settings allow a tool by its own name or by that of its MCP server."""
    rules = (rule for rule in policy.user.allow if isinstance(rule, ToolRule) and rule.name != "*")
    return _tool_covered(rules, tool)


def uncovered(
    rules: Iterable[Rule], script: ShellScript, places: Places
) -> tuple[CommandWords, ...]:
    """The commands of a script that no allow rule covers and that do more than read."""
    known = tuple(rules)
    inside = all(places.holds(path) for target in script.named for path in target.real)
    return tuple(
        command
        for command in dict.fromkeys(script.commands)
        if not command_covered(known, command) and not (inside and command in script.reading)
    )


def uncertain(policy: Policy, script: ShellScript) -> tuple[str, ...]:
    """The deny and ask rules that perhaps concern a script, as text, sorted.

    Of these rules the sandbox enforces only those about reading.
    """
    hidden = {rule for rule in policy.deny if isinstance(rule, PathRule) and rule.family == "Read"}
    rules = {*policy.deny, *policy.ask} - hidden
    return tuple(sorted(str(rule) for rule in rules if _may_concern(rule, script)))


def without_harmless(command: CommandWords) -> CommandWords:
    """A command without the variables set for it, if all of these are harmless."""
    plain = without_variables(command)
    variables = command[: len(command) - len(plain)]
    return plain if all(map(is_harmless, variables)) else command


def command_covered(rules: Iterable[Rule], command: CommandWords) -> bool:
    """Whether a rule holds for one simple command."""
    return any(
        rule.name in ("*", "Bash") if isinstance(rule, ToolRule) else _is_command(rule, command)
        for rule in rules
    )


def path_covered(rules: Iterable[Rule], target: ResolvedPath, tool: str, places: Places) -> bool:
    """Whether rules hold for every real path of a target; one about a tool, in the workspace."""
    known = tuple(rules)
    return bool(target.real) and all(
        (places.holds(path) and _tool_covered(known, tool))
        or any(
            isinstance(rule, PathRule)
            and tool in FAMILIES[rule.family]
            and _is_path(rule, path, places)
            for rule in known
        )
        for path in target.real
    )


def _tool_covered(rules: Iterable[Rule], tool: str) -> bool:
    return any(isinstance(rule, ToolRule) and is_about(rule, tool) for rule in rules)


def is_about(rule: ToolRule, tool: str) -> bool:
    """Whether a rule about all calls of a tool, a family or a server means this tool."""
    for family, tools in FAMILIES.items():
        if rule.name == family:
            return tool in tools
    is_server = rule.name.startswith(MCP) and rule.name.count("__") == 1
    of_server = is_server and tool.startswith(f"{rule.name}__")
    return rule.name in ("*", tool) or of_server


def _is_command(rule: Rule, command: CommandWords) -> bool:
    if not isinstance(rule, CommandRule):
        return False
    for spelling in (command, without_harmless(command)):
        start = spelling[: len(rule.words)]
        is_whole = rule.prefix or len(spelling) == len(rule.words)
        if (
            start == rule.words
            and is_whole
            and not any(isinstance(e, UncertainWord) for e in start)
        ):
            return True
    return False


def _is_path(rule: PathRule, path: str, places: Places) -> bool:
    return any(
        _matches(rule.pattern, inner, either=False)
        for base in _bases(rule, places)
        if (inner := _inner(path, base)) is not None
    )


def _concerns(rule: Rule, subject: CallSubject, places: Places) -> bool:
    match rule:
        case ToolRule():
            return is_about(rule, subject.tool)
        case CommandRule():
            script = subject.script
            commands = (*script.commands, *script.hints) if script else ()
            return any(_concerns_command(rule, command) for command in commands)
        case PathRule():
            targets = _targets(rule.family, subject)
            names = {name for target in targets for name in target.names}
            return any(_concerns_name(rule, name, places) for name in names)
        case LineRule():
            return False  # it only allows


def _targets(family: Family, subject: CallSubject) -> tuple[ResolvedPath, ...]:
    """The paths that a family's rules are about; of a script, all that its words may mean."""
    script = subject.script
    if script is not None:
        only_reads = family == "Edit" and script.read_only
        return subject.targets if only_reads else subject.targets + script.named
    renames = subject.tool == "Move"  # what may not be read could be, under another path
    return subject.targets if renames or subject.tool in FAMILIES[family] else ()


def _concerns_command(rule: CommandRule, command: CommandWords) -> bool:
    """Whether the command may be the rule's, by its full path or run by another program."""
    wanted = tuple(map(folded, rule.words))
    for words, starts in _run(command):
        for at in starts:
            ends, _ = _found(wanted, words, at)
            if ends and (rule.prefix or at):
                return True
            if any(all(isinstance(word, UncertainWord) for word in words[end:]) for end in ends):
                return True
    return False


def _run(command: CommandWords) -> Iterator[tuple[CommandWords, range]]:
    """A command, folded, and where in it a command that runs may begin: anywhere after a runner."""
    for whole in dict.fromkeys((command, without_variables(command))):
        words = tuple(_folded(word) for word in whole)
        runs = runs_another(whole)
        if runs:  # `sh -c 'npm test'` is one word with blanks
            words = split_words(words)
        yield words, range(len(words) if runs else 1)


def _folded(word: str) -> str:
    return UncertainWord(folded(word)) if isinstance(word, UncertainWord) else folded(word)


def _found(wanted: CommandWords, words: CommandWords, at: int) -> tuple[set[int], bool]:
    """Where `wanted` may end in `words` from `at` on, and whether an uncertain one may be part.

    Options, which may have a value each, and uncertain words may stand between: `git -C x push`.
    """
    if words[at] != wanted[0] and program_of(words[at]) != wanted[0]:
        return set(), isinstance(words[at], UncertainWord)
    ends, may_be = {at + 1}, isinstance(words[at], UncertainWord)
    for want in wanted[1:]:
        left, ends = ends, set()
        seen: set[int] = set()
        while left:
            here = left.pop()
            if here in seen or here >= len(words):
                continue
            seen.add(here)
            word = words[here]
            may_be |= isinstance(word, UncertainWord)
            if word == want:
                ends.add(here + 1)
            left |= _skipping(word, here)
    return ends, may_be


def _skipping(word: str, here: int) -> set[int]:
    """Where a command goes on if the word at `here` is not one of those that say what it does."""
    if isinstance(word, UncertainWord):
        return {here + 1}
    if not word.startswith("-"):
        return set()
    return {here + 1} if "=" in word or _FLAG.fullmatch(word) else {here + 1, here + 2}


def _may_concern(rule: Rule, script: ShellScript) -> bool:
    """Whether a rule may concern what is not understood, or what fits a pattern."""
    match rule:
        case ToolRule() | LineRule():
            return False
        case PathRule():
            return bool(script.unclear or script.doubted)
        case CommandRule():
            first, *others = map(folded, rule.words)
            words = r"\s+".join(map(re.escape, (program_of(first), *others)))
            said = re.compile(rf"(?<![\w-]){words}(?![\w-])")
            doubted = (*script.unclear, *script.doubted)
            texts = (_QUOTING.sub("", folded(text)) for text in doubted)
            commands = (*script.commands, *script.hints)
            return (
                script.opaque
                or any(map(said.search, texts))
                or any(_may_be(rule, command) for command in commands)
            )


def _may_be(rule: CommandRule, command: CommandWords) -> bool:
    """Whether some value of an uncertain word makes it the rule's command."""
    program = program_of(folded(rule.words[0]))
    wanted = (program, *map(folded, rule.words[1:]))
    return any(_found(wanted, words, at)[1] for words, starts in _run(command) for at in starts)


def _concerns_name(rule: PathRule, name: str, places: Places) -> bool:
    bases = list(_bases(rule, places))
    if rule.base is PatternBase.WORKSPACE and rule.pattern.startswith("/"):
        bases.append(os.sep)  # `/etc/x` may mean the file system's
    for base in bases:
        inner = _inner(name, base)
        if inner is not None and _matches(rule.pattern, inner, either=True):
            return True
        inner = _inner(folded(name), folded(base))
        if inner is not None and _matches(folded(rule.pattern), inner, either=True):
            return True
    return False


def _bases(rule: PathRule, places: Places) -> Iterator[str]:
    match rule.base:
        case PatternBase.WORKSPACE:
            yield from places.roots
        case PatternBase.HOME:
            yield places.home
        case PatternBase.FILE_SYSTEM:
            yield os.sep


def _inner(path: str, base: str) -> str | None:
    """`path` relative to `base`, with slashes; None unless it lies below."""
    if path == base or not is_inside(path, base):
        return None
    return path[len(base) :].lstrip(os.sep).replace(os.sep, "/")


def _matches(pattern: str, inner: str, *, either: bool) -> bool:
    """Whether a pattern holds for a path or for a folder on the way to it.

    The path is taken for a file, or with `either` for a file and a folder.
    """
    paths = [inner, f"{inner}/"] if either else [inner]
    while "/" in inner:
        inner = inner.rpartition("/")[0]
        paths.append(f"{inner}/")
    return any(map(path_spec(pattern).match_file, map(one_per_byte, paths)))


_MAX_KNOWN = 200_000  # paths


@dataclass(frozen=True, slots=True)
class HiddenFiles:
    """Whether a path (absolute) is hidden; from any thread.

    The name of a path is matched once; where it leads, each time.
    """

    policy: Policy
    _names_only: bool = False  # no rule says in which folder
    _known: dict[str, bool] = field(default_factory=dict)

    @staticmethod
    def of(policy: Policy) -> HiddenFiles | None:
        """Make it of the policy's hiding rules; None if no rule hides anything."""
        rules = tuple(filter(_hides, policy.deny))
        return HiddenFiles(policy, all(map(_is_of_names, rules))) if rules else None

    @property
    def patterns(self) -> tuple[str, ...]:
        """Patterns of .gitignore for everything hidden in any folder of a repository."""
        rules = filter(_hides, self.policy.deny)
        return tuple(
            rule.pattern.lstrip("/") if isinstance(rule, PathRule) else "*" for rule in rules
        )

    def __call__(self, path: str) -> bool:
        """Whether a rule hides what is at `path`."""
        if not os.path.isabs(path):  # a document that has no file
            return False
        try:
            leads_elsewhere = os.path.realpath(path) != path
        except (OSError, ValueError):
            leads_elsewhere = True
        if leads_elsewhere:
            return bool(hiding_rules(path, self.policy))
        return self.names(path)

    def rules(self, path: str) -> tuple[str, ...]:
        """The rules that hide what is at `path`, for the user."""
        return hiding_rules(path, self.policy) if os.path.isabs(path) else ()

    def entry(self, folder: str, name: str) -> bool:
        """Like `names`, for an entry of a folder that is not hidden itself: faster for many."""
        roots = self.policy.places.roots
        return self.names(os.path.join(roots[0] if self._names_only else folder, name))

    def names(self, path: str) -> bool:
        """Like a call, for a path known to be real: it reads nothing from the disk."""
        if (known := self._known.get(path)) is None:
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            subject = CallSubject("Read", Access.READ, (ResolvedPath(path, (path,), (path,)),))
            known = bool(concerning(self.policy.deny, subject, self.policy.places))
            self._known[path] = known
        return known


def hiding_rules(path: str, policy: Policy) -> tuple[str, ...]:
    """The deny rules that hide the file at `path` (absolute)."""
    if not policy.deny:
        return ()
    subject = CallSubject.of_files("Read", Access.READ, (path,))
    return concerning(policy.deny, subject, policy.places)


def _is_of_names(rule: Rule) -> bool:
    if not isinstance(rule, PathRule) or rule.base is not PatternBase.WORKSPACE:
        return False
    return "/" not in rule.pattern.rstrip("/")


def _hides(rule: Rule) -> bool:
    if isinstance(rule, PathRule):
        return rule.family == "Read"
    return isinstance(rule, ToolRule) and rule.name in ("*", "Read")
