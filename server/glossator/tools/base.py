"""The `Tool` protocol, what a call gets to see, and the registry."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, ClassVar, Concatenate, ParamSpec, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, model_validator

from glossator.core.diagnostics import FileDiagnostics, Wanted
from glossator.core.edit import Editing
from glossator.core.permission import Access, Permit
from glossator.core.question import Question, QuestionAnswer
from glossator.core.tool_result import ToolResult
from glossator.documents import WorkspaceSnapshot
from glossator.sandbox import ShellContext
from glossator.symbols import SymbolFinder
from glossator.tools.agents import Agents
from glossator.tools.findings import Findings
from glossator.tools.habits import DESCRIBING, NAMES, SINGLE
from glossator.tools.reads import ReadState
from glossator.tools.runs import CommandRuns
from glossator.tools.steps import TodoList

_THREADS = ThreadPoolExecutor(max_workers=4, thread_name_prefix="tool")
_SEARCHES = ThreadPoolExecutor(max_workers=2, thread_name_prefix="search")
_TURN = threading.Lock()  # held by the search whose turn it is
_PATIENCE = 1.0  # seconds; what takes longer has another search beside it

P = ParamSpec("P")
T = TypeVar("T")


class ToolArgs(BaseModel):
    """Base of every tool's arguments: an unknown argument is an error the model is told of.

    What models write by habit is understood, where only one thing can be meant by it.
    """

    habits: ClassVar[Mapping[str, Sequence[str]]] = {}  # names for these arguments alone
    values: ClassVar[Mapping[str, Mapping[str, str]]] = {}  # other words for values, by argument
    ignored: ClassVar[frozenset[str]] = frozenset()  # what changes nothing
    ignored_if_true: ClassVar[frozenset[str]] = frozenset()  # what is done anyway

    model_config = ConfigDict(
        extra="forbid", frozen=True, validate_by_name=True, validate_by_alias=True
    )

    @model_validator(mode="before")
    @classmethod
    def _as_meant(cls, given: Any) -> Any:  # noqa: ANN401 - whatever a model wrote
        """Arguments as models write them by habit; what is not understood stays."""
        if not isinstance(given, dict):
            return given
        fields = cls.model_fields
        known = fields.keys() | {field.alias for field in fields.values()}
        meant = {name: value for name, value in given.items() if name in known}
        for name, value in given.items():
            if (
                name in known
                or name in cls.ignored
                or (name in cls.ignored_if_true and value is True)
            ):
                continue
            likely = (*cls.habits.get(name, ()), *NAMES.get(name, ()))
            other = next((each for each in likely if each in fields and each not in meant), name)
            if other != name or name not in DESCRIBING:
                meant[other] = value
        for name, value in meant.items():
            alone = value[0] if isinstance(value, list) and len(value) == 1 else None
            if name in SINGLE and isinstance(alone, str):
                meant[name] = alone
            elif isinstance(value, str):
                meant[name] = cls.values.get(name, {}).get(value, value)
        return cls.translated(meant)

    @classmethod
    def translated(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Arguments of the right names that say it in another way; what is not understood stays."""
        return given

    def paths(self) -> tuple[str, ...]:
        """The paths that the call is about, as the model gave them."""
        return ()

    def reached(self, snapshot: WorkspaceSnapshot) -> tuple[str, ...]:
        """The absolute paths that the call acts on, links unresolved; for a thread.

        What names no place is left out: the tool says so. Raises `UsageError` for what is too much
        to be told.
        """
        located = map(snapshot.folders.locate, self.paths())
        return tuple(path for path in located if isinstance(path, str))

    def preview(self, _context: ToolContext) -> str:
        """What the user is shown of the call before it is allowed; for a thread."""
        return ""


async def _nobody(_question: Question) -> QuestionAnswer:
    return QuestionAnswer()


async def _at_once() -> None:
    return


async def _unknown(
    _wanted: tuple[Wanted, ...], _seconds: float
) -> tuple[FileDiagnostics, ...] | None:
    return None


async def _all_saved() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What one call sees: a frozen workspace, and what the conversation was shown before.

    `symbols` answers about the snapshot, too. `edits` and `shell` are None where nothing may be
    changed. `ask_user` gives an empty answer if nobody is there, `diagnostics` None if the editor
    tells none; see `core.ports.EditorPort`. `hidden` tells of an absolute path whether the user's
    rules keep its file from being shown; it is None where they hide nothing. `waiting` is entered
    while the user is asked, so that it does not count as work. `save` is awaited before a command:
    it has texts saved, and tells the model in a sentence which of them are not; empty if all are.
    `before_asking` is awaited before a question about the call: the reply that makes it may turn
    out void. `permit` is the decision about the call, `call_id` its id. `agents` is None where
    there are no sub-agents.
    """

    snapshot: WorkspaceSnapshot
    reads: ReadState
    symbols: SymbolFinder
    edits: Editing | None = None
    shell: ShellContext | None = None
    todo: TodoList = field(default_factory=TodoList)
    runs: CommandRuns = field(default_factory=CommandRuns)
    findings: Findings = field(default_factory=Findings)
    ask_user: Callable[[Question], Awaitable[QuestionAnswer]] = _nobody
    diagnostics: Callable[
        [tuple[Wanted, ...], float], Awaitable[tuple[FileDiagnostics, ...] | None]
    ] = _unknown
    hidden: Callable[[str], bool] | None = None
    waiting: Callable[[], AbstractContextManager[object]] = nullcontext
    save: Callable[[], Awaitable[str]] = _all_saved
    before_asking: Callable[[], Awaitable[object]] = _at_once
    permit: Permit = field(default_factory=Permit)
    call_id: str = ""
    agents: Agents | None = None


class Tool(Protocol):
    """A tool; `args` is the pydantic model of its arguments, `description` is for the model."""

    name: ClassVar[str]
    access: ClassVar[Access]
    args: ClassVar[type[ToolArgs]]

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


class Cancelled(threading.Event):
    """Set when nobody waits for the work any more; long loops look at it."""


async def in_thread(
    work: Callable[Concatenate[Cancelled, P], T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Run `work(cancelled, …)` in a thread; cancelling the await makes the work stop soon.

    The threads are the tools' own, and few: hovers and reads of the edges never wait behind them.
    """
    return await _run(_THREADS, lambda cancelled: work(cancelled, *args, **kwargs))


async def searching(
    work: Callable[Concatenate[Cancelled, P], T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """As `in_thread`, for work that keeps a processor busy: one after another.

    The interpreter runs one thread at a time: searches side by side are slower than in turn, and
    the event loop waits for each of them.
    """

    def in_turn(cancelled: Cancelled) -> T:
        ours = _TURN.acquire(timeout=_PATIENCE)
        try:
            return work(cancelled, *args, **kwargs)
        finally:
            if ours:
                _TURN.release()

    return await _run(_SEARCHES, in_turn)


async def _run(threads: ThreadPoolExecutor, work: Callable[[Cancelled], T]) -> T:
    cancelled = Cancelled()
    try:
        return await asyncio.get_running_loop().run_in_executor(threads, work, cancelled)
    finally:
        cancelled.set()
