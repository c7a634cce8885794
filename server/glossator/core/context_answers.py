"""What goes into the model's window, and where it comes from, as commands list it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from glossator.core.customization import Owner

SWITCHED_OFF = "You turned it off here."  # why something is off


class ContextKind(StrEnum):
    """What something is that goes into the window, or changes what does."""

    INSTRUCTIONS = "instructions"
    MEMORY = "memory"
    FACT = "fact"
    SKILL = "skill"
    COMMAND = "command"
    AGENT = "agent"
    HOOK = "hook"
    MCP = "mcp"
    RULE = "rule"  # a permission rule
    INDEX = "index"  # what Search finds by


class ContextState(StrEnum):
    """Whether it counts now."""

    ON = "on"
    OFF = "off"  # by the user's switch, a setting, or another one of its name
    STALE = "stale"  # a memory that names something that is gone; a fact whose lines changed
    PROPOSED = "proposed"  # the workspace asks for it, and the user has not adopted it
    CHANGED = "changed"  # it was adopted, and something else would run now
    UNTRUSTED = "untrusted"  # it waits until the folder is trusted
    WAITING = "waiting"  # it is being started
    LOGIN = "needs login"  # the user is to log in to it, in the browser
    PROBLEM = "problem"  # it cannot be used


class ContextAction(StrEnum):
    """What can be done with it now.

    `forget` deletes a memory, a fact or an answered rule, and ends an adoption; `configure`: a
    setting decides about it.
    """

    TURN_ON = "turnOn"
    TURN_OFF = "turnOff"
    ADOPT = "adopt"
    FORGET = "forget"
    PIN = "pin"
    UNPIN = "unpin"
    LOGIN = "login"
    LOGOUT = "logout"
    RESTART = "restart"
    REBUILD = "rebuild"
    CONFIGURE = "configure"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class ContextSource:
    """Something that goes into the window, or would.

    `id` is stable among its kind: the name of an MCP server, the path of a file, eight digits of a
    hook; of a permission rule where it is from and, after a space, its text. `source` is whose it
    is; a memory of the `user` counts everywhere. `why` says why it is not on; "" if it is. `detail`
    says what it is: a description, a command line. `uri` is what `open` opens, "" if nothing.
    """

    kind: ContextKind
    id: str
    name: str
    source: Owner
    state: ContextState
    why: str
    detail: str
    uri: str
    actions: tuple[ContextAction, ...]


@dataclass(frozen=True, slots=True)
class ContextSourceList:
    """All of it, by kind, as the kinds are listed; `problems` are sentences about what is not."""

    sources: tuple[ContextSource, ...]
    problems: tuple[str, ...]


class GoingKind(StrEnum):
    """What goes with a question."""

    ATTACHED = "attached"
    MENTIONED = "mentioned"
    INSTRUCTIONS = "instructions"
    MEMORY = "memory"
    FACT = "fact"
    EDITOR = "editor"
    GIT = "git"


@dataclass(frozen=True, slots=True)
class Going:
    """A part; `uri` and the lines are where it comes from, `tokens` is null where it is not known.

    `why` says what puts it there, or what keeps it out, for which `tokens` is 0.
    """

    kind: GoingKind
    name: str
    why: str
    tokens: int | None
    uri: str | None = None
    first_line: int | None = None
    last_line: int | None = None


@dataclass(frozen=True, slots=True)
class PreviewAnswer:
    """The parts in the order of their kinds, the tokens of those that are known, and problems."""

    parts: tuple[Going, ...]
    tokens: int
    problems: tuple[str, ...]
