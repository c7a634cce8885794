"""What is in the model's window and what goes with a question; the rules about what may be done."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from glossator.core.context_kinds import ContextKind, Kind
from glossator.customizations import Owner

Source = Literal["settings", "session", "always"]


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


@dataclass(frozen=True, slots=True)
class Part:
    """Things of one kind and name, and why they are there; `cached` are those of the tokens.

    A tool that is `deferred` takes no tokens until the model searches for it. `cut` says what was
    left out of them, "" for nothing.
    """

    kind: Kind
    name: str
    why: str
    count: int
    tokens: int
    cached: int
    deferred: bool = False
    cut: str = ""


@dataclass(frozen=True, slots=True)
class Layer:
    """Parts that stand together, in the order of the window: system, tools or conversation."""

    name: str
    tokens: int
    cached: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """The window of a session in tokens: all that there is, what is in it, what is cached.

    `model` is the one that answers next; where no model can be asked, the one that was asked last.
    The provider holds what is `cached` until `cached_until` (ISO 8601), if no request comes
    before; it is None where nothing is. The conversation is compacted unasked at `compact_at`, None
    for never. `counted` is what the provider counted for the newest request, `estimated` what we
    take that to be, None without such a request; `basis` says what the figures rest on. `left_out`
    are sentences on what is not in the window although it was there to be told.
    """

    session_id: str | None
    title: str
    model: str
    offline: bool
    window: int
    compact_at: int | None
    tokens: int
    cached: int
    cached_until: str | None
    counted: int | None
    estimated: int | None
    basis: str
    layers: tuple[Layer, ...]
    left_out: tuple[str, ...] = ()


class GoingKind(StrEnum):
    """What goes with a question."""

    ATTACHED = "attached"
    MENTIONED = "mentioned"
    INSTRUCTIONS = "instructions"
    MEMORY = "memory"
    FACT = "fact"
    EDITOR = "editor"
    GIT = "git"
    WORKSPACE = "workspace"


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
    """The user's and the project's parts, the tokens of those that are known, and problems.

    What every session begins with, such as tools, is not among them: see `glossator.showContext`.
    """

    parts: tuple[Going, ...]
    tokens: int
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListedRule:
    """A rule and where it is from.

    `settings`: the client's settings or options, where alone it can be changed. `session` and
    `always` (in this workspace): the user answered so, and can have it removed.
    """

    text: str
    effect: Literal["allow", "ask", "deny"]
    source: Source
    removable: bool


@dataclass(frozen=True, slots=True)
class RuleList:
    """The rules that hold now: those that deny first, then those that ask, and that allow."""

    rules: tuple[ListedRule, ...]
