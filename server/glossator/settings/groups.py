"""Groups of settings: of answers, hooks, servers and retrieval; and what every group is.

A group is frozen, strict, camelCase outside, and each field is described. MCP servers have the
shape that other clients know as `mcpServers`.
"""

from __future__ import annotations

import shlex
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from glossator.core.errors import DeclarationError
from glossator.core.file_kinds import CODE


def _unset_if_blank(written: object) -> object:
    return None if isinstance(written, str) and not written.strip() else written


# A text that may be left out: "" and null mean the same, since a form can only be emptied.
OptionalText = Annotated[str | None, BeforeValidator(_unset_if_blank)]


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
            "Let the fast model judge sentences while the answer streams, instead of"
            " comparing them with their lines by rules alone."
        ),
    )
    correction: Literal["rewrite", "mark", "drop", "off"] = Field(
        "rewrite",
        description=(
            "Choose what becomes of a sentence that its lines do not support: the fast"
            " model rewrites it, or it is marked, left out, or left as it is (off)."
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
            "Keep at most so many facts of a workspace, and beyond that drop the"
            " oldest, stale ones first and pinned ones last."
        ),
    )
    told: int = Field(
        12,
        ge=0,
        le=100,
        description="Send at most so many facts with a question, where 0 sends none.",
    )
    shared: bool = Field(True, description="Share facts through the server that store.url names.")
    summary_tokens: int | None = Field(
        60_000,
        ge=1_000,
        description=(
            "Have the fast model summarise a conversation of so many tokens after a"
            " run, for the memory of its session, or never if this is null."
        ),
    )


class ProfileSettings(Group):
    """Who answers, and by which rules; a part of the system prompt of each new session."""

    role: str = Field("", max_length=300, description="Say in a phrase what the assistant is.")
    persona: str = Field("", max_length=1_000, description="Say in sentences how it speaks.")
    rules: tuple[str, ...] = Field(
        (), max_length=30, description="Give rules that the assistant always follows."
    )


class PlanSettings(Group):
    """How hard questions are answered: by a plan of tasks that are worked on side by side."""

    dispatch: Literal["model", "heuristics", "off"] = Field(
        "model",
        description=(
            "Choose who finds out whether a question is hard and needs a plan: the fast"
            " model, the question's words (heuristics), or nobody (off)."
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

    session_start: tuple[Hook, ...] = Field(
        (), description="Run these when a session begins or goes on."
    )
    prompt_submit: tuple[Hook, ...] = Field(
        (), description="Run these before a question is answered."
    )
    before_tool: tuple[Hook, ...] = Field(
        (), description="Run these before a tool call is decided about."
    )
    after_tool: tuple[Hook, ...] = Field(
        (), description="Run these after a tool call that succeeded."
    )
    stop: tuple[Hook, ...] = Field((), description="Run these when the model has answered.")
    before_compaction: tuple[Hook, ...] = Field(
        (), description="Run these before a conversation is compacted."
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
        {},
        description=(
            "Connect these servers, by name, beside those in a workspace's .mcp.json"
            " that you adopted."
        ),
    )
    tool_tokens: int = Field(
        5_000,
        ge=0,
        description=(
            "Put at most so many estimated tokens of tool descriptions into the prompt,"
            " and beyond that let the model search for tools."
        ),
    )
    seconds: float = Field(
        120,
        gt=0,
        description="End a call after so many seconds, without the time that it waits for you.",
    )


def _language(written: str) -> str:
    if written not in CODE:
        known = ", ".join(sorted(CODE))
        raise PydanticCustomError(
            "language", "{name} is none of {known}", {"name": written, "known": known}
        )
    return written


def _words(written: str) -> str:
    try:
        shlex.split(written)
    except ValueError as error:
        raise PydanticCustomError("words", "{why}", {"why": str(error)}) from error
    return written


class LanguageServerSettings(Group):
    """Servers of languages, which know references and types, where no editor can be asked."""

    enabled: Literal["auto", "off"] = Field(
        "auto",
        description=(
            "Start the language servers that are on your PATH when code is asked about, in trusted"
            " folders and in the sandbox, or none."
        ),
    )
    commands: dict[
        Annotated[str, AfterValidator(_language)], Annotated[str, AfterValidator(_words)]
    ] = Field(
        {},
        description=(
            "Name the server of a language by its command line, such as"
            ' {"python": "pyright-langserver --stdio"}, where an empty one means none.'
        ),
    )


class RetrievalSettings(Group):
    """How code is found for a question. Embeddings find it by meaning, not by words alone."""

    embedder: Literal["auto", "none", "local", "static", "voyage", "openai"] = Field(
        "auto",
        description=(
            "Choose what finds code by meaning: a model on this machine (local, which"
            " auto takes if it is installed), a file (static), a service that is sent"
            " your code (voyage, openai or a server like it), or nothing."
        ),
    )
    embedding_model: OptionalText = Field(
        None,
        description=(
            "Name the model at Voyage or OpenAI, if it is not voyage-code-3 or"
            " text-embedding-3-small."
        ),
    )
    embedding_url: OptionalText = Field(
        None,
        description=(
            "Send code to this server, which has Voyage's or OpenAI's protocol, such as"
            " https://host:port/v1."
        ),
    )
    vector_store: OptionalText = Field(
        None,
        description=(
            "Keep vectors in a team's Milvus, such as https://host:19530, or in the"
            " file of a Milvus Lite, whose path ends in .db, instead of in a file of"
            " our own."
        ),
    )
    embedding_path: OptionalText = Field(
        None,
        description=(
            "Name the folder with model.safetensors and tokenizer.json for the embedder static."
        ),
    )
    contexts: Literal["structural", "generated"] = Field(
        "structural",
        description=(
            "Index with each chunk where it stands (structural), or also what the fast"
            " model says about it (generated), which is made once you accept its price."
        ),
    )
    context_dollars: float | None = Field(
        5.0,
        gt=0,
        description=(
            "Let one build of generated contexts cost at most so many dollars, or any"
            " price if this is null."
        ),
    )
    glossary: OptionalText = Field(
        None,
        description=(
            "Name a file of the project's terms, relative to each root, for generated contexts."
        ),
    )
    reranker: Literal["linear", "model", "voyage", "cohere", "none"] = Field(
        "linear",
        description=(
            "Choose what puts the best results in order: weights on this machine"
            " (linear), the fast model or a service, which are sent the question and"
            " excerpts, or nothing."
        ),
    )
    reranker_url: OptionalText = Field(
        None,
        description=(
            "Send the question and excerpts to this rerank endpoint of a server with"
            " Voyage's or Cohere's protocol."
        ),
    )
    reranker_model: OptionalText = Field(
        None,
        description="Name the reranker's model at Voyage or Cohere, if it is not the usual one.",
    )
    whole_tokens: int = Field(
        0,
        ge=0,
        le=500_000,
        description=(
            "Put a workspace of at most so many estimated tokens as a whole into the"
            " cached prompt of each new session, where 0 means never."
        ),
    )
