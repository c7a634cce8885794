"""The `Tool` protocol, the arguments of a call, what it sees, and the threads that it works in.

A tool stands in the room of its ability, in a module named `…_tool` or `…_tools`; those that belong
to none stand here. What an ability gives to its tool is looked up by its class: `ToolContext.find`.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, ClassVar, Concatenate, ParamSpec, Protocol, Self, TypeVar, get_origin

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.fields import FieldInfo

from glossator.core.attached import FileDiagnostics, Wanted
from glossator.core.edit import Editing, EditPlan
from glossator.core.permission import Access, Permit
from glossator.core.question import Question, QuestionAnswer
from glossator.core.tool_result import ToolResult
from glossator.tools.conversation_state import CommandRuns, Findings, TodoList
from glossator.tools.reads import ReadState
from glossator.workspace import WorkspaceSnapshot

_THREADS = ThreadPoolExecutor(max_workers=4, thread_name_prefix="tool")
_SEARCHES = ThreadPoolExecutor(max_workers=2, thread_name_prefix="search")
_SEARCHING = threading.Lock()  # held by the search that runs
_SEARCH_WAIT = 1.0  # seconds; after that, a second search starts beside a longer one

IsHidden = Callable[[str], bool]  # whether permission rules hide the file at an absolute path

P = ParamSpec("P")
T = TypeVar("T")

# names that models write by habit, with the arguments that they may mean, likeliest first
_HABITS: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("file_path", "filepath", "filename", "file", "directory", "dir"), ("path",)),
    **dict.fromkeys(("old_string", "old_str", "search"), ("old_text",)),
    **dict.fromkeys(("new_string", "new_str", "replace"), ("new_text",)),
    **dict.fromkeys(("cmd", "script"), ("command",)),
    **dict.fromkeys(("workdir", "working_directory"), ("cwd",)),
    **dict.fromkeys(("regex", "regexp", "search_term"), ("pattern", "query")),
    **dict.fromkeys(("include", "file_pattern", "glob_pattern", "includes"), ("glob",)),
    **dict.fromkeys(("max_results", "max_count", "num_results"), ("head_limit", "limit")),
    **dict.fromkeys(("prompt", "question"), ("task",)),
    "query": ("pattern", "task"),
    "pattern": ("query",),
    "symbol": ("name",),
    "text": ("content",),
    "contents": ("content",),
    "run_in_background": ("background",),
}

# arguments that only say why a call is made
_DESCRIPTIONS = frozenset(
    "description explanation reason reasoning rationale justification title purpose".split()
)

_NO_LISTS = frozenset({"path", "glob", "type"})  # arguments that models also write as a list of one


class ToolArgs(BaseModel):
    """Base of every tool's arguments. An unknown argument is an error, which the model sees.

    Names that models write by habit are accepted where they can mean only one argument.
    """

    habits: ClassVar[Mapping[str, Sequence[str]]] = {}  # as `_HABITS`, for this tool alone
    values: ClassVar[Mapping[str, Mapping[str, str]]] = {}  # synonyms of values, by argument
    ignored: ClassVar[frozenset[str]] = frozenset()  # arguments without effect
    verb: ClassVar[str] = ""  # what it does with its paths, for a question: "Edit"
    ignored_if_true: ClassVar[frozenset[str]] = frozenset()  # flags that are on anyway

    model_config = ConfigDict(
        extra="forbid", frozen=True, validate_by_name=True, validate_by_alias=True
    )

    @model_validator(mode="before")
    @classmethod
    def _as_meant(cls, given: Any) -> Any:  # noqa: ANN401 - whatever a model wrote
        """Translate what models write by habit; unknown arguments stay."""
        return cls.translated(_as_named(cls, given)) if isinstance(given, dict) else given

    @classmethod
    def translated(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Translate values in forms of other tools; unknown ones stay."""
        return given

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """What it takes, as a model is told after a wrong call."""
        return tuple(field.alias or name for name, field in cls.model_fields.items())

    def doubt(self) -> str:
        """Why the user is asked although a rule allows the call; "" if there is no reason."""
        return ""

    def agreed(self) -> None:
        """The call may be made, so there is no reason any more; blocking."""

    def acting_as(self) -> str:
        """The tool that permission rules and hooks are about; "" for the called one."""
        return ""

    def of_tool(self) -> dict[str, Any]:
        """The arguments of the tool that hooks are about, as JSON."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)

    def with_of_tool(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What a call with other arguments of that tool is given."""
        return dict(arguments)

    def paths(self) -> tuple[str, ...]:
        """The paths that the call is about, as the model gave them."""
        return ()

    def reached(self, snapshot: WorkspaceSnapshot) -> tuple[str, ...]:
        """The absolute paths that the call acts on, links unresolved; blocking.

        Paths outside the workspace are left out: the tool refuses them. Raises `UsageError` if
        there are too many.
        """
        located = map(snapshot.folders.locate, self.paths())
        return tuple(path for path in located if isinstance(path, str))

    def needed_access(self, of_tool: Access) -> Access:
        """What this call may do, of what its tool may."""
        return of_tool

    def asked_to(self) -> str:
        """What the call would do, for the question about it; "" if only its tool's name says it."""
        paths = ", ".join(self.paths())
        return f"{self.verb} {paths}" if self.verb and paths else ""

    def preview(self, _context: ToolContext) -> str:
        """What the user sees of the call before allowing it; blocking.

        Raises `UsageError` for a call that is known to fail: nobody is asked about it then.
        """
        return ""

    async def prepared(self, _context: ToolContext) -> Self:
        """With what has to be found out before the call is judged. Raises `UsageError`."""
        return self

    def planned(self, _context: ToolContext) -> EditPlan | None:
        """The edit that the call would make now, where the user may take parts of it; blocking."""
        return None


def _as_named(args: type[ToolArgs], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments under their own names; unknown ones stay, those that are null are left out."""
    fields = args.model_fields
    given = {name: value for name, value in given.items() if value is not None}
    known = fields.keys() | {field.alias for field in fields.values()}
    meant = {name: value for name, value in given.items() if name in known}
    for name, value in given.items():
        if (
            name in known
            or name in args.ignored
            or (name in args.ignored_if_true and value is True)
        ):
            continue
        likely = (*args.habits.get(name, ()), *_HABITS.get(name, ()))
        other = next((each for each in likely if each in fields and each not in meant), name)
        if other != name or name not in _DESCRIPTIONS:
            meant[other] = value
    for name, value in meant.items():
        if isinstance(value, str) and name in fields:
            meant[name] = _parsed(value, fields[name])
    for name, value in meant.items():
        alone = value[0] if isinstance(value, list) and len(value) == 1 else None
        if name in _NO_LISTS and isinstance(alone, str):
            meant[name] = alone
        elif isinstance(value, str):
            meant[name] = args.values.get(name, {}).get(value, value)
    return meant


def _parsed(value: str, field: FieldInfo) -> Any:  # noqa: ANN401 - whatever a model wrote
    """The array or object that `value` holds as JSON, where the argument is one."""
    kind = get_origin(field.annotation)
    if kind not in (tuple, dict):
        return value
    try:
        inner = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return inner if isinstance(inner, list if kind is tuple else dict) else value


async def _no_answer(_question: Question) -> QuestionAnswer:
    return QuestionAnswer()


async def _at_once() -> None:
    return


async def _unknown(
    _wanted: tuple[Wanted, ...], _seconds: float
) -> tuple[FileDiagnostics, ...] | None:
    return None


async def _all_saved() -> str:
    return ""


def _show_nobody(_output: str) -> None:
    return


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What one call sees: a frozen workspace, and the state of the conversation.

    `abilities` are what rooms give to their tools; see `find`. A turn's context is made by
    `Application.tool_context` and `TurnContext`, a sub-agent's by `Delegation`, that of a call at a
    terminal in `commands/search.py`. Who gives each:

    | ability | from | to the tools |
    |---|---|---|
    | `SymbolFinder` | `Application.reading_abilities` | Symbols, Rename, Memory |
    | `CodeServers` | `Application.reading_abilities` | Symbols, Rename |
    | `RankedRetriever` | `Application.reading_abilities` | Search |
    | `ShellContext` | `TurnShell`, from `SessionActing.shell_of` | Bash |
    | `SessionMemories` | `session_memories` (`application/seen_memories.py`) | Memory |
    | `SubAgents` | `Delegation`, from `TurnContext.tool_context` | Explore, Fork |
    | `Skills` | `LoadedSkills`, from `TurnContext.tool_context` and `Delegation` | Skill |

    `edits` is None where only reading is possible. `ask_user` gives an empty answer if nobody
    answers, `diagnostics` None if the editor has none; see `core.ports.EditorPort`. `hidden` is
    None if no permission rule hides files. `waiting` surrounds a question to the user, whose time
    does not count as work. `saving_first` saves open documents before a command, and says in a
    sentence for the model which are not saved; "" if all are. `before_asking` is awaited before a
    question about the call, whose reply may still turn out void. `permit` is the decision about the
    call. `asking` is why a hook wants the user to be asked about it, "" if none does. `show_output`
    shows people the end of a command's output while it runs.
    """

    snapshot: WorkspaceSnapshot
    reads: ReadState
    abilities: tuple[object, ...] = ()
    edits: Editing | None = None  # `PlanEditing`, from `SessionActing.edits`
    todo: TodoList = field(default_factory=TodoList)
    runs: CommandRuns = field(default_factory=CommandRuns)
    findings: Findings = field(default_factory=Findings)
    # in a turn `RunQuestions.of_model` (`turn/user_questions.py`)
    ask_user: Callable[[Question], Awaitable[QuestionAnswer]] = _no_answer
    diagnostics: Callable[
        [tuple[Wanted, ...], float], Awaitable[tuple[FileDiagnostics, ...] | None]
    ] = _unknown
    hidden: IsHidden | None = None  # `HiddenFiles`, from `Acting.hidden_in`
    waiting: Callable[[], AbstractContextManager[object]] = nullcontext  # `RunClock.waiting`
    saving_first: Callable[[], Awaitable[str]] = _all_saved  # from `SessionActing.saving_first`
    # these are filled in by `turn/calls.py`
    before_asking: Callable[[], Awaitable[object]] = _at_once
    permit: Permit = field(default_factory=Permit)
    asking: str = ""
    # the workspace with what is typed into these files; None where the editor tells that by itself
    look_first: Callable[[Sequence[str]], Awaitable[WorkspaceSnapshot]] | None = None
    call_id: str = ""
    show_output: Callable[[str], None] = _show_nobody

    def find(self, ability: type[T]) -> T | None:
        """The one of the `abilities` that is of this class; None where there is none."""
        return next((each for each in self.abilities if isinstance(each, ability)), None)

    def need(self, ability: type[T]) -> T:
        """Like `find`, for what every context has. Raises `LookupError` if it is missing."""
        if (found := self.find(ability)) is None:
            raise LookupError(f"this context has no {ability.__name__}")
        return found


class Tool(Protocol):
    """A tool; `args` is the pydantic model of its arguments, `description` is for the model."""

    @property
    def name(self) -> str:
        """What the model calls it by."""

    @property
    def access(self) -> Access:
        """What a call may do."""

    @property
    def args(self) -> type[ToolArgs]:
        """Its arguments."""

    @property
    def description(self) -> str:
        """The rendered prompt file."""

    async def run(
        self,
        args: Any,  # noqa: ANN401 - each tool has arguments of its own type
        context: ToolContext,
    ) -> ToolResult:
        """Carry out a call. Raises `UsageError` for one that cannot be carried out as asked."""


Registry = Mapping[str, Tool]


def registry(tools: Iterable[Tool]) -> Registry:
    """Tools by name."""
    return {tool.name: tool for tool in tools}


class Cancellation(threading.Event):
    """Set when the caller no longer waits; long loops check it."""


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `work` in one of the tools' own threads, so that hovers never wait behind tools."""
    return await cancellable(lambda _: work(*args, **kwargs))


async def cancellable(
    work: Callable[Concatenate[Cancellation, P], T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """As `in_thread`, for `work(cancelled, …)`, which stops soon when the await is cancelled."""
    return await _run(_THREADS, lambda cancelled: work(cancelled, *args, **kwargs))


async def searching(
    work: Callable[Concatenate[Cancellation, P], T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """As `cancellable`, for work that keeps a processor busy: one search after another.

    The interpreter runs one thread at a time: parallel searches are slower than a sequence, and the
    event loop waits for each of them.
    """

    def in_turn(cancelled: Cancellation) -> T:
        locked = _SEARCHING.acquire(timeout=_SEARCH_WAIT)
        try:
            return work(cancelled, *args, **kwargs)
        finally:
            if locked:
                _SEARCHING.release()

    return await _run(_SEARCHES, in_turn)


async def _run(threads: ThreadPoolExecutor, work: Callable[[Cancellation], T]) -> T:
    cancelled = Cancellation()
    try:
        return await asyncio.get_running_loop().run_in_executor(threads, work, cancelled)
    finally:
        cancelled.set()
