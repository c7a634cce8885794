"""Groups of settings: of answers, hooks, MCP servers and retrieval; and what every group is.

A group is frozen, strict, camelCase outside, and each field is described. MCP servers have the
shape that other clients know as `mcpServers`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from glossator.core.errors import DeclarationError


class Group(BaseModel):
    """Raises `DeclarationError` for a field without a description."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,  # an address may hold a password
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
    )

    @classmethod
    def __pydantic_init_subclass__(cls, **_: object) -> None:
        for name, field in cls.model_fields.items():
            if not field.description:
                raise DeclarationError(
                    f"The setting {name} of {cls.__name__} needs a description, which editors show."
                )


class GroundingSettings(Group):
    """How the sentences of answers are judged by the lines that they cite."""

    entailment: bool = Field(
        True,
        description=(
            "Let the fast model judge sentences while the answer streams; without it they are"
            " compared with their lines by rules alone."
        ),
    )
    correction: Literal["rewrite", "mark", "drop", "off"] = Field(
        "rewrite",
        description=(
            "What becomes of a sentence that its lines do not support: the fast model rewrites it"
            " and what still fails is marked as not confirmed, or it is marked, or left out, or"
            " it stays as it is."
        ),
    )


class FactSettings(Group):
    """Statements that were judged to be supported by their lines, kept while these stand."""

    enabled: bool = Field(
        True, description="Keep facts of answers, and let later questions rely on them."
    )
    most: int = Field(
        2_000,
        ge=1,
        le=5_000,
        description=(
            "Facts that are kept of a workspace; beyond that the oldest go, stale ones first"
            " and pinned ones last."
        ),
    )
    told: int = Field(
        12, ge=0, le=100, description="Most facts sent with a question; 0 sends none."
    )
    shared: bool = Field(
        True, description="Share facts through store.url, if a server is named there."
    )
    summary_tokens: int | None = Field(
        60_000,
        ge=1_000,
        description=(
            "For the memory of a session, which is kept with its facts: the size of a conversation,"
            " in tokens, from which the fast model summarises it after a run; null for never."
        ),
    )


class ProfileSettings(Group):
    """Who answers, and by which rules; a part of the system prompt of each new session."""

    role: str = Field("", max_length=300, description="What the assistant is, in a phrase.")
    persona: str = Field("", max_length=1_000, description="How it speaks, in sentences.")
    rules: tuple[str, ...] = Field(
        (), max_length=30, description="Rules the assistant always follows."
    )


class PlanSettings(Group):
    """How hard questions are answered: by a plan of tasks that are worked on side by side."""

    dispatch: Literal["model", "heuristics", "off"] = Field(
        "model",
        description=(
            "Who finds out whether a question is hard: the fast model, beside the first request, or"
            " the question's words; off: every question is answered directly."
        ),
    )
    review: bool = Field(False, description="Show each plan before it is carried out, and ask.")


class Hook(Group):
    """A command of the user's."""

    matcher: str = Field(
        "*",
        description="What it is about: of tool hooks the tools, as in Edit|Bash; of sessionStart"
        " startup, resume or compact; of beforeCompaction auto or manual.",
    )
    command: str = Field(
        min_length=1, description="The shell command; it is given JSON on its standard input."
    )
    timeout: float = Field(
        30, gt=0, le=600, description="When it is ended if it still runs, in seconds."
    )


class HookSettings(Group):
    """Commands of your own that run at certain moments; see [hooks.md](hooks.md)."""

    session_start: tuple[Hook, ...] = Field((), description="When a session begins or goes on.")
    prompt_submit: tuple[Hook, ...] = Field((), description="Before a question is answered.")
    before_tool: tuple[Hook, ...] = Field((), description="Before a tool call is decided about.")
    after_tool: tuple[Hook, ...] = Field((), description="After a tool call that succeeded.")
    stop: tuple[Hook, ...] = Field((), description="When the model has answered.")
    before_compaction: tuple[Hook, ...] = Field(
        (), description="Before a conversation is compacted."
    )


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


class RetrievalSettings(Group):
    """How code is found for a question. Embeddings find it by meaning, not by words alone."""

    embedder: Literal["auto", "none", "local", "static", "voyage", "openai"] = Field(
        "auto",
        description=(
            "What embeds code: a model on this machine (local), a file (static), Voyage, OpenAI or"
            " a compatible server, or none. auto: local if it is installed. Voyage and OpenAI are"
            " sent the code of the workspace."
        ),
    )
    embedding_model: str | None = Field(
        None,
        description="The model's name at Voyage or OpenAI; unset, voyage-code-3 or"
        " text-embedding-3-small.",
    )
    embedding_url: str | None = Field(
        None,
        description="The address of a server with Voyage's or OpenAI's protocol, as in"
        " https://host:port/v1; code is sent there.",
    )
    vector_store: str | None = Field(
        None,
        description="The address of a Milvus, as in https://host:19530, in which a team keeps its"
        " vectors; or a path that ends in .db, of Milvus Lite. Unset, they are on this machine.",
    )
    embedding_path: str | None = Field(
        None,
        description="For static: the folder with model.safetensors and tokenizer.json.",
    )
    contexts: Literal["structural", "generated"] = Field(
        "structural",
        description=(
            "What is indexed with a chunk: where it stands, or also what the fast model says about"
            " it, which is offered with its price and made after a yes."
        ),
    )
    context_dollars: float | None = Field(
        5.0, gt=0, description="What one build of generated contexts may cost; null for any price."
    )
    glossary: str | None = Field(
        None,
        description="A file of the project's terms, relative to each root, for generated contexts.",
    )
    reranker: Literal["linear", "model", "voyage", "cohere", "none"] = Field(
        "linear",
        description=(
            "What puts the best results in order: weights on this machine, the fast model, or a"
            " service, which are sent the question and excerpts; or nothing."
        ),
    )
    reranker_url: str | None = Field(
        None,
        description="The address of a compatible server's rerank endpoint, for voyage and cohere.",
    )
    reranker_model: str | None = Field(
        None, description="The reranker's model, for voyage and cohere, if not the usual one."
    )
    whole_tokens: int = Field(
        0,
        ge=0,
        le=500_000,
        description=(
            "A workspace of at most so many estimated tokens goes whole into the cached prompt of"
            " each new session. 20,000 tokens cost about 5 cents at $2 a million; 0 for never."
        ),
    )
