"""Permission rules, and the policy made of them, on which decisions depend.

Rules from within a workspace have a type of their own, which can neither allow nor set a mode.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Literal

import re2
from pathspec import PathSpec

from glossator.core.errors import UsageError
from glossator.core.permission import Mode
from glossator.core.shown import shown
from glossator.permissions.command_words import CommandWords
from glossator.permissions.protected import folded, own_folders
from glossator.workspace import GitPattern, is_inside, one_per_byte

Family = Literal["Edit", "Read"]

FAMILIES: dict[Family, frozenset[str]] = {
    "Edit": frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write", "Move", "Rename"}),
    "Read": frozenset({"Diagnostics", "Glob", "Grep", "Read", "Search", "Skill", "Symbols"}),
}
MCP = "mcp__"  # begins the name of an MCP server's tool: mcp__server__tool
MCP_NAME = 64  # characters of such a name, which is what the model's provider takes
_HASH_CHARACTERS = 8  # characters at the end of a name that is shortened
_KNOWN = frozenset({"Bash", "Memory", *FAMILIES["Edit"], *FAMILIES["Read"]})
_NAME = re.compile(r"[A-Za-z][\w.-]*")
_WITH_ARGUMENT = re.compile(r"(?P<tool>[^()\s]+)\((?P<argument>.*)\)", re.DOTALL)
_ANY_MORE = ":*"
_LINE, _NETWORK = "Line", "Network"
_HOW = (
    "Write a tool's name, Bash(npm test:*), Bash(git status), Edit(src/**), Read(~/.ssh/**),"
    " Read(//etc/**), mcp__server__tool, or * for every tool."
)


class PatternBase(StrEnum):
    """What a path pattern is relative to; the value is what it begins with."""

    WORKSPACE = ""
    HOME = "~/"
    FILE_SYSTEM = "//"


@dataclass(frozen=True, slots=True)
class ToolRule:
    """Every call of a tool; `*` is every tool."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class CommandRule:
    """A shell command of these words, or with `prefix` one that begins with them."""

    words: CommandWords
    prefix: bool

    def __str__(self) -> str:
        return f"Bash({shlex.join(self.words)}{_ANY_MORE if self.prefix else ''})"


@dataclass(frozen=True, slots=True)
class PathRule:
    """Files that match a pattern of .gitignore below a base."""

    family: Family
    base: PatternBase
    pattern: str

    def __str__(self) -> str:
        inner = (
            self.pattern.removeprefix("/")
            if self.base is not PatternBase.WORKSPACE
            else self.pattern
        )
        return f"{self.family}({self.base}{inner})"


@dataclass(frozen=True, slots=True)
class LineRule:
    """A command line exactly as it stands, however much of it is understood.

    Only with `network` it may use the network, too.
    """

    line: str
    network: bool

    def __str__(self) -> str:
        return f"{_NETWORK if self.network else _LINE}({self.line})"


Rule = ToolRule | CommandRule | PathRule | LineRule


def parse_rule(text: str) -> Rule:
    """The rule that `text` says. Raises `UsageError` for what is none.

    `*`                     every tool
    `Grep`                  every call of a tool
    `Edit`, `Read`          every call of a tool that changes files; of all that reads files
    `mcp__server__tool`     a tool of an MCP server; `mcp__server` all of its tools
    `Bash(git status)`      this very command
    `Bash(npm test:*)`      every command that begins with these words
    `Edit(src/**)`          files, by a pattern of .gitignore relative to each workspace folder
    `Read(~/.ssh/**)`       relative to the user's home folder
    `Read(//etc/**)`        from the top of the file system
    `Network(git push)`     this very command line, in the network; only to allow
    `Line(x "$y")`          this very command line, without the network; only to allow
    """
    text = text.strip()
    if text == "*":
        return ToolRule(text)
    if match := _WITH_ARGUMENT.fullmatch(text):
        return _with_argument(text, match["tool"], match["argument"])
    if not _NAME.fullmatch(text.removesuffix("__*")):
        raise _wrong(text, "it is neither a tool's name nor a name with something in brackets")
    if text in (_LINE, _NETWORK):
        raise _wrong(text, f"the command line belongs in brackets: {text}(git push)")
    for known in _KNOWN:
        if text.lower() == known.lower() and text != known:
            raise _wrong(text, f"the tool is called {known}")
    return ToolRule(short_name(text.removesuffix("__*")))


def short_name(name: str) -> str:
    """The name that an MCP server's tool goes by, in rules too, where its own is too long."""
    if len(name) <= MCP_NAME or not name.startswith(MCP):
        return name
    end = hashlib.sha256(name.encode()).hexdigest()[:_HASH_CHARACTERS]
    return f"{name[: MCP_NAME - _HASH_CHARACTERS - 1]}_{end}"


def parse_rules(texts: Iterable[str]) -> tuple[Rule, ...]:
    """The rules that `texts` say. Raises `UsageError` for the first that is none."""
    return tuple(map(parse_rule, texts))


@lru_cache(512)
def path_spec(pattern: str) -> PathSpec[GitPattern]:
    """A pattern of .gitignore, for paths as `one_per_byte`. Raises `UsageError`."""
    try:
        compiled = GitPattern(one_per_byte(pattern))
        if not compiled.include:
            raise _wrong(pattern, "the pattern matches no path")
        return PathSpec([compiled], backend="re2")
    except (re2.error, UnicodeEncodeError) as error:
        raise _wrong(pattern, "the pattern cannot be used") from error


@dataclass(frozen=True, slots=True)
class Restrictions:
    """Rules that narrow: all that the settings of a workspace may say."""

    deny: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()

    @staticmethod
    def parse(deny: Iterable[str], ask: Iterable[str]) -> Restrictions:
        """Raises `UsageError` for a malformed rule."""
        return Restrictions(_narrowing(deny), _narrowing(ask))


@dataclass(frozen=True, slots=True)
class UserRules:
    """Rules of the user."""

    deny: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()
    allow: tuple[Rule, ...] = ()

    @staticmethod
    def parse(deny: Iterable[str], ask: Iterable[str], allow: Iterable[str]) -> UserRules:
        """Raises `UsageError` for a malformed rule."""
        return UserRules(_narrowing(deny), _narrowing(ask), parse_rules(allow))


def _with_argument(text: str, tool: str, argument: str) -> Rule:
    argument = argument.strip()
    if not argument or argument in ("*", "**"):
        if tool in ("Bash", *FAMILIES) and argument:
            return ToolRule(tool)
        raise _wrong(text, "there is nothing in the brackets; leave them out for every call")
    match tool:
        case "Bash":
            return _command_rule(text, argument)
        case "Edit" | "Read":
            return _path_rule(text, tool, argument)
        case "Line" | "Network":
            return _line_rule(text, argument, network=tool == _NETWORK)
    for family, tools in FAMILIES.items():
        if tool in tools:
            raise _wrong(text, f"paths of {tool} are covered by {family}({argument})")
    raise _wrong(text, "only Bash, Edit, Line, Network and Read take something in brackets")


def _command_rule(text: str, argument: str) -> CommandRule:
    prefix = argument.endswith(_ANY_MORE)
    command = argument.removesuffix(_ANY_MORE)
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise _wrong(text, "a quotation mark is not closed") from error
    if not words:
        raise _wrong(text, "there is no command in the brackets")
    if "*" in command and "*" in "".join(command.split("'")[::2]):
        raise _wrong(text, "a * stands only at the end, as :*; write '*' in quotes for itself")
    return CommandRule(words, prefix)


def _line_rule(text: str, argument: str, *, network: bool) -> LineRule:
    if argument.endswith(_ANY_MORE):
        raise _wrong(text, "it is about one command line, as it stands, and takes no :*")
    return LineRule(argument, network)


def _narrowing(texts: Iterable[str]) -> tuple[Rule, ...]:
    """Rules that deny or ask. Raises `UsageError` for one that another spelling gets round."""
    rules = parse_rules(texts)
    for rule in rules:
        if isinstance(rule, LineRule):
            raise _wrong(str(rule), "it only allows; to deny or to ask, name the command with Bash")
    return rules


def _path_rule(text: str, family: Family, argument: str) -> PathRule:
    base, pattern = PatternBase.WORKSPACE, argument.removeprefix("./")
    if pattern != argument:
        pattern = f"/{pattern.lstrip('/')}"
    for other in (PatternBase.HOME, PatternBase.FILE_SYSTEM):
        if argument.startswith(other):
            base, pattern = other, f"/{argument.removeprefix(other).lstrip('/')}"
    if argument.startswith("~") and base is not PatternBase.HOME:
        raise _wrong(text, "the home folder is written ~/, and other users' folders with //")
    if ".." in pattern.split("/"):
        raise _wrong(text, "a pattern never leads upwards; write the whole path with // in front")
    if pattern.startswith("!"):
        raise _wrong(text, "a rule takes nothing back; write a second rule instead")
    for spelling in (pattern, folded(pattern)):
        path_spec(spelling)
    return PathRule(family, base, pattern)


def _wrong(text: str, why: str) -> UsageError:
    return UsageError(f"The permission rule {shown(text)} cannot be used: {why}. {_HOW}")


@dataclass(frozen=True, slots=True)
class Places:
    """The folders that rules refer to: the workspace's, the user's home and our own."""

    roots: tuple[str, ...]
    home: str
    own: tuple[str, ...] = ()

    @staticmethod
    def of(roots: Iterable[str]) -> Places:
        """The places of this user and these workspace folders, by real path."""
        home = os.path.realpath(os.path.expanduser("~"))
        return Places(tuple(map(os.path.realpath, roots)), home, own_folders())

    def holds(self, path: str) -> bool:
        """Whether a real path lies inside the workspace."""
        return any(is_inside(path, root) for root in self.roots)


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything that a decision depends on, except the subject.

    `only_reads`: what was asked for changes nothing, whatever the mode allows.
    """

    mode: Mode
    places: Places
    user: UserRules = field(default_factory=UserRules)
    session: UserRules = field(default_factory=UserRules)
    workspace: Restrictions = field(default_factory=Restrictions)
    only_reads: bool = False

    @property
    def deny(self) -> tuple[Rule, ...]:
        """The deny rules of every source."""
        return self.user.deny + self.session.deny + self.workspace.deny

    @property
    def ask(self) -> tuple[Rule, ...]:
        """The ask rules of every source."""
        return self.user.ask + self.session.ask + self.workspace.ask

    @property
    def allow(self) -> tuple[Rule, ...]:
        """The allow rules of the sources that may have some."""
        return self.user.allow + self.session.allow
