"""The settings of MCP servers, in the shape that other clients know as `mcpServers`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from glossator.settings.group import Group


class McpOauthSettings(Group):
    """How to log in to a server that asks for it (OAuth), where it cannot be found out."""

    client_id: str | None = Field(
        None, description="What you registered with its authorization server; unset, we register."
    )
    client_secret: str | None = Field(
        None, description="The secret of that registration, if it has one."
    )
    scopes: tuple[str, ...] = Field(
        (), description="The rights to ask for; empty, those that the server names."
    )
    callback_port: int = Field(
        0, ge=0, le=65535, description="The port that the browser comes back to; 0, any free one."
    )


class McpServerSettings(Group):
    """One server: a program (`command`) or an address (`url`).

    `${NAME}` and `${NAME:-default}` in a value stand for variables of the environment, so that no
    secret is written down; `${workspaceFolder}` is the first folder of the workspace.
    """

    type: Literal["stdio", "http", "streamable-http"] | None = Field(
        None, description="How it is spoken to; unset, by what else is set."
    )
    command: str | None = Field(None, description="The program that is the server.")
    args: tuple[str, ...] = Field((), description="Its arguments.")
    env: dict[str, str] = Field({}, description="Variables that it gets beside the usual ones.")
    cwd: str | None = Field(None, description="The folder it runs in; unset, your home folder.")
    url: str | None = Field(None, description="The address of a server that runs already.")
    headers: dict[str, str] = Field({}, description="Headers of each request to the address.")
    oauth: McpOauthSettings | None = Field(
        None, description="How to log in to the address, where that cannot be found out."
    )
    enabled: bool = Field(True, description="Whether it is used.")


class McpSettings(Group):
    """Servers of the Model Context Protocol (MCP), whose tools the model may ask to call."""

    servers: dict[str, McpServerSettings] = Field(
        {}, description="Servers by name. What a workspace names in .mcp.json runs once adopted."
    )
    tool_tokens: int = Field(
        5_000,
        ge=0,
        description=(
            "The most estimated tokens of tool descriptions that go into the prompt; beyond that"
            " the model searches for tools."
        ),
    )
    seconds: float = Field(
        120, gt=0, description="The time limit of one call, in seconds, without waiting for you."
    )
