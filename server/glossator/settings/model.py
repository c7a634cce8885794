"""All settings with their meaning, unit and default. Secrets are never settings.

On the wire and in files the names are camelCase (`workspace.maxFileBytes`).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from glossator.core.encoding import codec_named
from glossator.core.errors import UsageError
from glossator.settings.groups import (
    FactSettings,
    GroundingSettings,
    HookSettings,
    McpSettings,
    PlanSettings,
    ProfileSettings,
    RetrievalSettings,
)
from glossator.settings.groups import Group as _Group

Backend = Literal["anthropic", "bedrock", "vertex", "foundry"]
Profile = Literal["anthropic", "llama.cpp", "ollama", "lmstudio", "vllm", "litellm"]
Effort = Literal["low", "medium", "high", "xhigh", "max"]


def _glob(written: str) -> str:
    from glossator.core.glob import compile_glob  # noqa: PLC0415 - rarely needed

    try:
        compile_glob(written)
    except UsageError as error:
        raise PydanticCustomError("glob", "{why}", {"why": str(error)}) from error
    return written


def _codec(written: str) -> str:
    try:
        return codec_named(written)
    except UsageError as error:
        raise PydanticCustomError("encoding", "{why}", {"why": str(error)}) from error


class RoleSettings(_Group):
    """Which model plays a role, and how hard it thinks."""

    model: str = Field(description="The provider's model id.")
    effort: Effort | None = Field(
        None, description="Thinking effort; unset, the model's own. Not every server takes one."
    )
    window: int | None = Field(
        None, ge=1_000, description="The context window in tokens; unset, what the server says."
    )


class ModelSettings(_Group):
    """Which models are asked, and where."""

    offline: bool = Field(False, description="Never ask a model; answer with extracts only.")
    backend: Backend = Field("anthropic", description="The service that hosts the models.")
    base_url: str | None = Field(None, description="The address of a compatible server.")
    profile: Profile = Field(
        "anthropic", description="What the server behind the base URL understands."
    )
    region: str | None = Field(None, description="Cloud region, for Bedrock and Vertex.")
    project: str | None = Field(None, description="Cloud project (Vertex) or resource (Foundry).")
    main: RoleSettings = Field(
        RoleSettings(model="claude-sonnet-5-5"), description="Answers, edits and compactions."
    )
    fast: RoleSettings = Field(
        RoleSettings(model="claude-haiku-5-5"), description="Exploring, recall and dispatch."
    )
    cache: Literal["5m", "1h-system", "1h"] = Field(
        "5m", description="How long the provider keeps the prompt: all of it, or its start."
    )
    thinking: Literal["summarized", "omitted"] = Field(
        "summarized", description="Whether summaries of the thinking are sent."
    )
    prices: dict[str, PriceSettings] = Field(
        {}, description="Prices by model id, where they are not the list prices."
    )
    images: bool | None = Field(
        None, description="Whether the models see images; unset, what is known of the server."
    )
    max_retries: int = Field(4, ge=0, le=20, description="Tries after a passing failure.")
    max_retry_wait: float = Field(
        60, gt=0, description="The longest wait before one retry, in seconds."
    )


class WorkspaceSettings(_Group):
    """What of the workspace is read."""

    exclude: tuple[str, ...] = Field(
        (), description="More paths to leave out, in .gitignore syntax, relative to each root."
    )
    use_ignore_files: bool = Field(
        True, description="Follow .gitignore, .git/info/exclude and .ignore."
    )
    max_file_bytes: int = Field(
        20_000_000,
        ge=1,
        description="Larger files are read in parts, and searched only if named, in bytes.",
    )
    read_cache_bytes: int = Field(
        128_000_000, ge=0, description="Memory for texts that were read, in bytes."
    )
    index: bool = Field(True, description="Keep an index of the text on disk, for fast searches.")
    index_bytes: int = Field(
        2_000_000_000, ge=0, description="Disk space for the indexes of all workspaces, in bytes."
    )
    ripgrep: str = Field(
        "auto",
        description="The ripgrep program that long searches may use: its path, or auto or off.",
    )
    watcher: Literal["auto", "inotify", "watchfiles", "off"] = Field(
        "auto", description="How changes on disk are noticed; auto takes the quickest that works."
    )
    sweep_seconds: float = Field(
        300,
        gt=0,
        description="Least time between full rescans, which find changes that no watcher reported.",
    )


_Glob = Annotated[str, AfterValidator(_glob)]
_Codec = Annotated[str, AfterValidator(_codec)]


class FileSettings(_Group):
    """How files are read."""

    encodings: dict[_Glob, _Codec] = Field(
        {},
        description=(
            "Encodings of files that are no Unicode, by glob, such as"
            ' {"legacy/**": "gb18030", "*.ini": "windows-1251"}; of several that fit the last'
            " counts. A glob that begins with / or ~ is a path on this machine."
        ),
    )


class SymbolSettings(_Group):
    """What the editor is offered beside hovers; other servers often offer the same."""

    workspace_symbol: bool = Field(False, description="Answer workspace/symbol.")
    document_symbol: bool = Field(False, description="Answer textDocument/documentSymbol.")
    code_lens: bool = Field(
        False, description="Show above each definition how often it is called, and its gloss."
    )


class StoreSettings(_Group):
    """What a team shares, so that nobody pays for it twice."""

    url: str | None = Field(
        None,
        repr=False,  # it may hold a password
        description=(
            "The Redis server through which a team shares generated contexts and facts, as in"
            " redis://host:6379/0, or rediss:// with TLS; the environment has its password."
        ),
    )


class PriceSettings(_Group):
    """US dollars for a million tokens."""

    input: float = Field(ge=0, description="Of input that is in no cache.")
    output: float = Field(ge=0, description="Of output.")


class ContextSettings(_Group):
    """What goes into the model's window."""

    compact_at: float | None = Field(
        0.8, gt=0, le=1, description="The share of the window at which to compact; null for never."
    )
    language: str | None = Field(
        None,
        max_length=60,
        description="The language of answers, such as German; unset, that of the question.",
    )
    ambient: bool = Field(
        True,
        description="Tell the model with a question which files are open, visible and selected.",
    )


class SessionSettings(_Group):
    """How long sessions are kept on disk, and how they get their titles."""

    days: int = Field(90, ge=1, description="Since something last happened in a session.")
    count: int = Field(500, ge=0, description="Sessions, of all workspaces; 0 keeps none.")
    bytes: int = Field(1_000_000_000, ge=0, description="Disk space for all, in bytes.")
    titles: bool = Field(
        True, description="Have the fast model title a session that begins with a long question."
    )


class GlossSettings(_Group):
    """How long glosses are kept on disk."""

    days: int = Field(180, ge=1, description="Since a gloss was made.")
    count: int = Field(5_000, ge=0, description="Glosses, of all workspaces; 0 keeps none.")
    bytes: int = Field(100_000_000, ge=0, description="Disk space for all, in bytes.")


class MemorySettings(_Group):
    """What is remembered across sessions: files of your own, which you can change and delete."""

    enabled: bool = Field(
        True,
        description="Tell new sessions what earlier ones kept, and let the model ask to keep more.",
    )


class PermissionSettings(_Group):
    """What tools may do. Rules are written `Bash(npm test:*)`, `Edit(src/**)`, `Read(.env)`."""

    mode: Literal["plan", "ask", "acceptEdits", "auto"] = Field(
        "ask", description="What is done without asking: reading, edits too, or everything."
    )
    allow: tuple[str, ...] = Field((), description="Rules for what is done without asking.")
    ask: tuple[str, ...] = Field((), description="Rules for what is asked about each time.")
    deny: tuple[str, ...] = Field((), description="Rules for what is never done.")


class EditSettings(_Group):
    """How edits are applied."""

    review: Literal["apply", "propose"] = Field(
        "apply", description="Apply edits at once, or let the user choose among their parts first."
    )
    save: Literal["clean", "always", "never"] = Field(
        "clean",
        description="Which edited documents the editor saves: those without unsaved text of yours,"
        " all, or none.",
    )


class ShellSettings(_Group):
    """What commands may reach from their sandbox, and how much they may take."""

    network: bool = Field(False, description="Whether every command may use the network.")
    readable: tuple[str, ...] = Field(
        (), description="Absolute paths outside the workspace that commands may read."
    )
    max_processes: int = Field(
        2_048, ge=16, description="Processes and threads of one command, at one moment."
    )
    max_memory_bytes: int = Field(
        8_000_000_000, ge=100_000_000, description="What one process may hold, in bytes."
    )
    max_temporary_bytes: int = Field(
        2_000_000_000, ge=1_000_000, description="What each temporary folder may hold, in bytes."
    )


class LimitSettings(_Group):
    """When a run is ended politely."""

    turns: int = Field(40, ge=1, description="Model replies in one run.")
    tokens: int = Field(2_000_000, ge=1, description="Tokens in and out in one run.")
    dollars: float | None = Field(None, gt=0, description="What one run may cost.")
    session_tokens: int | None = Field(
        None, ge=1, description="Tokens in and out in one session, compactions included."
    )
    session_dollars: float | None = Field(None, gt=0, description="What one session may cost.")
    seconds: float = Field(900, gt=0, description="Wall time of one run, in seconds.")
    repeats: int = Field(
        3, ge=2, description="Identical tool calls, with no change in between, that end a run."
    )


class AgentBudget(_Group):
    """The most that one sub-agent may take."""

    turns: int = Field(ge=1, description="Model replies.")
    tokens: int = Field(ge=1, description="Tokens in and out.")
    seconds: float = Field(gt=0, description="Wall time, in seconds.")


class AgentSettings(_Group):
    """Sub-agents: how many, and what each may take. It counts for the run and the session, too."""

    parallel: int = Field(
        4, ge=0, le=16, description="Sub-agents at work at the same time; 0: there are none."
    )
    quick: AgentBudget = Field(
        AgentBudget(turns=6, tokens=150_000, seconds=60), description="For a quick look."
    )
    medium: AgentBudget = Field(
        AgentBudget(turns=15, tokens=500_000, seconds=180), description="For most questions."
    )
    very: AgentBudget = Field(
        AgentBudget(turns=40, tokens=1_500_000, seconds=480),
        description="For a very thorough search.",
    )
    fork: AgentBudget = Field(
        AgentBudget(turns=15, tokens=1_500_000, seconds=300),
        description="For a fork, which carries the conversation with it.",
    )
    report_bytes: int = Field(
        6_000, ge=1_000, description="The longest report that a conversation is given, in bytes."
    )


class CustomSettings(_Group):
    """What files describe: skills, slash commands and sub-agents."""

    disabled: tuple[str, ...] = Field(
        (), description="What is switched off: skill:NAME, command:NAME or agent:NAME."
    )


class Settings(_Group):
    """Everything that can be set."""

    models: ModelSettings = Field(ModelSettings(), description="Models and providers.")
    workspace: WorkspaceSettings = Field(WorkspaceSettings(), description="The workspace.")
    files: FileSettings = Field(FileSettings(), description="Files.")
    symbols: SymbolSettings = Field(SymbolSettings(), description="Symbols for the editor.")
    permissions: PermissionSettings = Field(PermissionSettings(), description="What tools may do.")
    edits: EditSettings = Field(EditSettings(), description="Edits.")
    shell: ShellSettings = Field(ShellSettings(), description="Commands.")
    retrieval: RetrievalSettings = Field(RetrievalSettings(), description="Search by question.")
    store: StoreSettings = Field(StoreSettings(), description="What a team shares.")
    context: ContextSettings = Field(ContextSettings(), description="The context window.")
    sessions: SessionSettings = Field(SessionSettings(), description="Sessions on disk.")
    glosses: GlossSettings = Field(GlossSettings(), description="Glosses on disk.")
    memory: MemorySettings = Field(MemorySettings(), description="Memories of earlier sessions.")
    grounding: GroundingSettings = Field(
        GroundingSettings(), description="Whether cited lines support what is said."
    )
    facts: FactSettings = Field(FactSettings(), description="Facts of answers, kept.")
    profile: ProfileSettings = Field(ProfileSettings(), description="Who answers, and how.")
    limits: LimitSettings = Field(LimitSettings(), description="Limits of a run.")
    agents: AgentSettings = Field(AgentSettings(), description="Sub-agents.")
    plan: PlanSettings = Field(PlanSettings(), description="Plans for hard questions.")
    hooks: HookSettings = Field(HookSettings(), description="Your commands at certain moments.")
    customizations: CustomSettings = Field(CustomSettings(), description="Skills and the like.")
    mcp: McpSettings = Field(McpSettings(), description="Servers of the Model Context Protocol.")
