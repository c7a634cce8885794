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
    LanguageServerSettings,
    McpSettings,
    OptionalText,
    PlanSettings,
    ProfileSettings,
    RetrievalSettings,
)
from glossator.settings.groups import Group as _Group
from glossator.settings.models import ModelSettings


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


class WorkspaceSettings(_Group):
    """What of the workspace is read."""

    exclude: tuple[str, ...] = Field(
        (), description="Leave out more paths, in .gitignore syntax, relative to each root."
    )
    use_ignore_files: bool = Field(
        True, description="Leave out what .gitignore, .git/info/exclude and .ignore name."
    )
    max_file_bytes: int = Field(
        20_000_000,
        ge=1,
        description=(
            "Read files of more bytes in parts, and search them only where they are named."
        ),
    )
    read_cache_bytes: int = Field(
        128_000_000,
        ge=0,
        description="Keep at most so many bytes of texts in memory that were read.",
    )
    index: bool = Field(
        True, description="Keep an index of the text on disk, so that searches are fast."
    )
    index_bytes: int = Field(
        2_000_000_000,
        ge=0,
        description="Let the indexes of all workspaces take at most so many bytes on disk.",
    )
    ripgrep: str = Field(
        "auto",
        description=(
            "Name the ripgrep program that long searches may use, or write auto to have"
            " one looked for, or off."
        ),
    )
    watcher: Literal["auto", "inotify", "watchfiles", "off"] = Field(
        "auto",
        description=(
            "Choose how changes on disk are noticed, where auto takes the quickest way that works."
        ),
    )
    sweep_seconds: float = Field(
        300,
        gt=0,
        description=(
            "Wait at least so many seconds between full rescans, which find changes"
            " that no watcher reported."
        ),
    )


_Glob = Annotated[str, AfterValidator(_glob)]
_Codec = Annotated[str, AfterValidator(_codec)]


class FileSettings(_Group):
    """How files are read."""

    encodings: dict[_Glob, _Codec] = Field(
        {},
        description=(
            "Name the encodings of files that are not Unicode by glob, such as"
            ' {"legacy/**": "gb18030", "*.ini": "windows-1251"}, of which the last that'
            " fits counts."
        ),
    )


class SymbolSettings(_Group):
    """What the editor is offered beside hovers; other servers often offer the same."""

    workspace_symbol: bool = Field(
        False,
        description="Answer the editor's search for symbols in the workspace (workspace/symbol).",
    )
    document_symbol: bool = Field(
        False,
        description=(
            "Answer the editor's request for the outline of a file (textDocument/documentSymbol)."
        ),
    )
    code_lens: bool = Field(
        False, description="Show above each definition how often it is called, and its gloss."
    )


class StoreSettings(_Group):
    """What a team shares, so that nobody pays for it twice."""

    url: OptionalText = Field(
        None,
        repr=False,  # it may hold a password
        description=(
            "Share generated contexts and facts in a team through this Redis server,"
            " such as redis://host:6379/0, or rediss:// with TLS, whose password is in"
            " the environment."
        ),
    )


class ContextSettings(_Group):
    """What goes into the model's window."""

    compact_at: float | None = Field(
        0.8,
        gt=0,
        le=1,
        description=(
            "Compact a conversation that fills this share of the window, or never if this is null."
        ),
    )
    language: OptionalText = Field(
        None,
        max_length=60,
        description="Answer in this language, such as German, instead of that of the question.",
    )
    ambient: bool = Field(
        True,
        description=(
            "Tell the model with each question which files are open, visible and selected."
        ),
    )


class SessionSettings(_Group):
    """How long sessions are kept on disk, and how they get their titles."""

    days: int = Field(
        90, ge=1, description="Delete a session so many days after something last happened in it."
    )
    count: int = Field(
        500,
        ge=0,
        description="Keep at most so many sessions of all workspaces, where 0 keeps none.",
    )
    bytes: int = Field(
        1_000_000_000, ge=0, description="Let all sessions take at most so many bytes on disk."
    )
    titles: bool = Field(
        True, description="Have the fast model title a session that begins with a long question."
    )


class GlossSettings(_Group):
    """How long glosses are kept on disk."""

    days: int = Field(180, ge=1, description="Delete a gloss so many days after it was made.")
    count: int = Field(
        5_000,
        ge=0,
        description="Keep at most so many glosses of all workspaces, where 0 keeps none.",
    )
    bytes: int = Field(
        100_000_000, ge=0, description="Let all glosses take at most so many bytes on disk."
    )


class MemorySettings(_Group):
    """What is remembered across sessions: files of your own, which you can change and delete."""

    enabled: bool = Field(
        True,
        description="Tell new sessions what earlier ones kept, and let the model ask to keep more.",
    )


class PermissionSettings(_Group):
    """What tools may do. Rules are written `Bash(npm test:*)`, `Edit(src/**)`, `Read(.env)`."""

    mode: Literal["plan", "ask", "acceptEdits", "auto"] = Field(
        "ask",
        description=(
            "Choose what is done without asking: only reading (plan, ask), edits too"
            " (acceptEdits), or commands in the sandbox as well (auto)."
        ),
    )
    allow: tuple[str, ...] = Field(
        (), description="Do what these rules name without asking, such as Bash(npm test:*)."
    )
    ask: tuple[str, ...] = Field((), description="Ask each time about what these rules name.")
    deny: tuple[str, ...] = Field(
        (), description="Never do what these rules name, such as Read(.env)."
    )


class EditSettings(_Group):
    """How edits are applied."""

    review: Literal["apply", "propose"] = Field(
        "apply",
        description=(
            "Apply edits at once (apply), or let you choose among their parts first (propose)."
        ),
    )
    save: Literal["clean", "always", "never"] = Field(
        "clean",
        description=(
            "Choose which edited documents the editor saves: those without unsaved text"
            " of yours (clean), all, or none."
        ),
    )


class ShellSettings(_Group):
    """What commands may reach from their sandbox, and how much they may take."""

    network: bool = Field(False, description="Let every command use the network.")
    readable: tuple[str, ...] = Field(
        (), description="Let commands read these absolute paths outside the workspace."
    )
    max_processes: int = Field(
        2_048,
        ge=16,
        description="Let one command have at most so many processes and threads at one moment.",
    )
    max_memory_bytes: int = Field(
        8_000_000_000,
        ge=100_000_000,
        description="Let one process hold at most so many bytes of memory.",
    )
    max_temporary_bytes: int = Field(
        2_000_000_000,
        ge=1_000_000,
        description="Let each temporary folder hold at most so many bytes.",
    )


class LimitSettings(_Group):
    """When a run is ended politely."""

    turns: int = Field(40, ge=1, description="End a run after so many replies of the model.")
    tokens: int = Field(2_000_000, ge=1, description="End a run after so many tokens in and out.")
    dollars: float | None = Field(
        None, gt=0, description="End a run that has cost so many dollars."
    )
    session_tokens: int | None = Field(
        None,
        ge=1,
        description=(
            "End a session's runs once it has taken so many tokens in and out,"
            " compactions included."
        ),
    )
    session_dollars: float | None = Field(
        None, gt=0, description="End a session's runs once it has cost so many dollars."
    )
    seconds: float = Field(900, gt=0, description="End a run after so many seconds.")
    repeats: int = Field(
        3,
        ge=2,
        description="End a run after so many identical tool calls with no change in between.",
    )


class AgentBudget(_Group):
    """The most that one sub-agent may take."""

    turns: int = Field(ge=1, description="Model replies.")
    tokens: int = Field(ge=1, description="Tokens in and out.")
    seconds: float = Field(gt=0, description="Wall time, in seconds.")


class AgentSettings(_Group):
    """Sub-agents: how many, and what each may take. It counts for the run and the session, too."""

    parallel: int = Field(
        4,
        ge=0,
        le=16,
        description=(
            "Let at most so many sub-agents work at the same time, where 0 means that"
            " there are none."
        ),
    )
    quick: AgentBudget = Field(
        AgentBudget(turns=6, tokens=150_000, seconds=60),
        description="Let a sub-agent take this much for a quick look.",
    )
    medium: AgentBudget = Field(
        AgentBudget(turns=15, tokens=500_000, seconds=180),
        description="Let a sub-agent take this much for most questions.",
    )
    very: AgentBudget = Field(
        AgentBudget(turns=40, tokens=1_500_000, seconds=480),
        description="Let a sub-agent take this much for a very thorough search.",
    )
    fork: AgentBudget = Field(
        AgentBudget(turns=15, tokens=1_500_000, seconds=300),
        description="Let a fork, which carries the conversation with it, take this much.",
    )
    report_bytes: int = Field(
        6_000,
        ge=1_000,
        description="Give a conversation at most so many bytes of a sub-agent's report.",
    )


class CustomSettings(_Group):
    """What files describe: skills, slash commands and sub-agents."""

    disabled: tuple[str, ...] = Field(
        (), description="Switch these off, each written as skill:NAME, command:NAME or agent:NAME."
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
    language_servers: LanguageServerSettings = Field(
        LanguageServerSettings(), description="Servers of languages."
    )
    mcp: McpSettings = Field(McpSettings(), description="Servers of the Model Context Protocol.")
