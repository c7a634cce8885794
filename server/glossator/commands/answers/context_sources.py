"""What goes into the model's window, and where it comes from, as it is listed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from glossator.core.window import ContextKind
from glossator.customizations import Owner


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
