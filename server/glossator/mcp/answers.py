"""What the commands about MCP servers answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class McpState(StrEnum):
    """What a server does now."""

    OFF = "off"  # not enabled in the settings, or turned off by the user
    PROPOSED = "proposed"  # a workspace names it, and the user has not adopted it
    CHANGED = "changed"  # it was adopted, and something else would run now
    UNTRUSTED = "untrusted"  # it waits until the folder is trusted
    WRONG = "wrong"  # it cannot run as it is described
    CONNECTING = "connecting"
    READY = "ready"
    LOGIN = "needs login"  # the user is to log in to it, in the browser
    WAITING = "waiting"  # it failed, and is started again soon


@dataclass(frozen=True, slots=True)
class McpServerView:
    """A server of the Model Context Protocol.

    `source` is `user` or `project`, `uri` the file of a project's, `description` the command line
    or address as written, but for `${workspaceFolder}`; `variables` are those of the environment
    that it is given, and `why` is the last problem, or what to do. `sha256` is of exactly what
    would run: adopting names it.
    `adopted`: the user adopted it, as it is or as it was. `logged_in`: a login to it is kept.
    `state` is as `McpState`; tools, prompts and resources are counted.
    """

    name: str
    source: str
    uri: str | None
    state: McpState
    why: str
    description: str
    variables: tuple[str, ...]
    tools: int
    prompts: int
    resources: int
    version: str
    sha256: str
    adopted: bool = False
    logged_in: bool = False


@dataclass(frozen=True, slots=True)
class McpServerList:
    """The servers, by name, and what is wrong with the files that propose some."""

    servers: tuple[McpServerView, ...]
    problems: tuple[str, ...]
