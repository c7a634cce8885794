"""Runs the tool calls of a reply; each one gets a result, whatever happens.

Calls that only read start while the reply still streams, as soon as their block is complete. Until
the reply ends and asks for their results, they emit no events, ask the user nothing, and what they
read does not count as shown.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import TracebackType
from typing import Any, Self, get_args

from pydantic import ValidationError

from glossator.application import Permission
from glossator.core.errors import StoreUnavailable, TooManyOpenFiles, UsageError
from glossator.core.events import ToolFinished, ToolStarted
from glossator.core.permission import Access, Permit
from glossator.core.question import calling
from glossator.core.run_events import ToolOutput
from glossator.core.tool_result import ToolResult, shorten
from glossator.llm import ToolCall
from glossator.permissions import Deny
from glossator.sessions import RunClock
from glossator.tools import Registry, Tool, ToolArgs, ToolContext
from glossator.turn.run import RunContext, ToolHooks, acts

logger = logging.getLogger(__name__)

_SUMMARY_CHARACTERS = 160
_OUTCOME_CHARACTERS = 1_000  # a tool's own words, which may hold an answer of the user's
_SHOWN_ARGUMENTS = 2_000  # characters of those that a hook changed
_PREFIX = "Value error, "  # pydantic's, before our own words
_NO_STORE = (
    "Nothing was done, as it could not be undone: {}\nTell the user; other calls that change"
    " something will fail as well."
)

_BLOCKED = (
    "{} was not run: a hook of the user blocks it: {}\nDo not try to reach the same in another"
    " way; go on without it, or tell the user."
)
_CHANGED = "\n[A hook of the user changed the arguments of this call to: {}]"

Started = Callable[[ToolCall], Awaitable[ToolResult | None]]


async def permit_direct_call(_tool: Tool, _args: ToolArgs, _context: ToolContext) -> Permit:
    """Permits every call, for callers whose tools need no permission."""
    return Permit()


async def execute(
    tools: Registry,
    calls: Sequence[ToolCall],
    run: RunContext,
    results: dict[str, ToolResult],
    started: Started,
) -> None:
    """Run the calls; each result is put into `results`, by call id, as soon as it is complete.

    A cancellation thus loses no finished result. Calls run in parallel up to the first one that
    acts; from there on one after another, each on the workspace that the last one left. `started`
    gives the results of calls that have started already.
    """
    acting = (number for number, call in enumerate(calls) if acts(tools, call))
    first = next(acting, len(calls))

    async def follow() -> None:
        for call in calls[first:]:
            _tell(run, call)
            await _watched(tools, call, run, results, started)

    for call in calls[:first]:  # all start events come before other events of these calls
        _tell(run, call)
    async with asyncio.TaskGroup() as group:
        for call in calls[:first]:
            group.create_task(_watched(tools, call, run, results, started))
        group.create_task(follow())


async def call_tool(
    tools: Registry,
    call: ToolCall,
    context: ToolContext,
    permission: Permission,
    hooks: ToolHooks | None = None,
) -> ToolResult:
    """Run one call and return its result; wrong arguments, denials and failures are results, too.

    The tool can edit only the files that the permission covers.
    """
    clock = RunClock()
    timed = replace(context, waiting=clock.waiting_also(context.waiting))
    with calling(call.id):
        result = await _call_tool(tools, call, timed, permission, hooks)
    return replace(result, waited=clock.waited)


async def _call_tool(
    tools: Registry,
    call: ToolCall,
    context: ToolContext,
    permission: Permission,
    hooks: ToolHooks | None,
) -> ToolResult:
    tool = tools.get(call.name)
    if tool is None:
        names = ", ".join(sorted(tools))
        return ToolResult.failed(f"There is no tool {call.name}.\nThe tools are {names}.")
    try:
        args, note = _arguments(tool, call.arguments), ""
        about = args.acting_as() or tool.name
        context = await _with_typing(args, context)
        if hooks is not None and not hooks.concern(about):
            hooks = None
        args, context = await _prepared(args, context)
        if hooks is not None:
            args, context, note = await _after_hooks(hooks, tool, args, context, call.id)
        decided = await permission(tool, args, context)
        if isinstance(decided, Deny):
            return replace(ToolResult.failed(decided.reason), outcome=decided.told)
        edits = context.edits if tool.access is not Access.READ else None
        if edits is not None:
            edits = edits.within(decided.paths, context.waiting, decided.parts)
        context = replace(context, edits=edits, permit=decided, call_id=call.id)
        result = await tool.run(args, context)
        if hooks is not None and not result.error:
            await hooks.after(about, args, result, call.id)
            result = replace(result, text=f"{result.text}{note}")
    except (UsageError, StoreUnavailable, TooManyOpenFiles) as error:
        words = _NO_STORE if isinstance(error, StoreUnavailable) else "{}"
        return ToolResult.failed(words.format(error))
    except Exception as error:  # past this boundary a failure is data
        logger.exception("Tool %s failed", call.name)
        return ToolResult.failed(
            f"{call.name} failed inside Glossator: {error!r}\nTry another way."
        )
    context.reads.show(result.spans)
    context.reads.mark_citable(result.citable)
    return result


async def _with_typing(args: ToolArgs, context: ToolContext) -> ToolContext:
    """The context with what is typed into the files that the call is about."""
    if context.look_first is None:
        return context
    paths = await asyncio.to_thread(args.reached, context.snapshot)
    return replace(context, snapshot=await context.look_first(paths))


async def _prepared(args: ToolArgs, context: ToolContext) -> tuple[ToolArgs, ToolContext]:
    """The arguments with what the call is found to be about, in its files' newest texts."""
    ready = await args.prepared(context)
    if ready is args or context.look_first is None:
        return ready, context
    context = await _with_typing(ready, context)
    return await args.prepared(context), context


def _arguments(tool: Tool, given: Mapping[str, Any]) -> ToolArgs:
    """The checked arguments. Raises `UsageError` for arguments that the tool does not take."""
    try:
        return tool.args.model_validate(given)
    except ValidationError as error:
        raise UsageError(_argument_problems(tool, error)) from error


async def _after_hooks(
    hooks: ToolHooks, tool: Tool, args: ToolArgs, context: ToolContext, call_id: str
) -> tuple[ToolArgs, ToolContext, str]:
    """Ask the hooks about a call; returns the call as they changed it, and a note about that.

    Raises `UsageError` if one blocks the call.
    """
    await context.before_asking()  # a reply that is void runs none
    about = args.acting_as() or tool.name
    said = await hooks.before(about, args, call_id)
    if said.block:
        raise UsageError(_BLOCKED.format(about, said.block))
    context = replace(context, asking=said.ask)
    if said.arguments is None:
        return args, context, ""
    args = _changed_arguments(tool, args.with_of_tool(said.arguments))
    args, context = await _prepared(args, context)
    return args, context, _CHANGED.format(_as_json(args))


def _changed_arguments(tool: Tool, given: Mapping[str, Any]) -> ToolArgs:
    """The arguments that a hook replaced the model's with. Raises `UsageError` for wrong ones."""
    try:
        return tool.args.model_validate(given)
    except ValidationError as error:
        raise UsageError(
            f"A hook of the user changed the arguments to some that the tool does not take.\n"
            f"{_argument_problems(tool, error)}\nTell the user, whose setting hooks.beforeTool"
            " names the hook."
        ) from error


def _as_json(args: ToolArgs) -> str:
    return shorten(json.dumps(args.of_tool(), ensure_ascii=False), _SHOWN_ARGUMENTS)


def _tell(run: RunContext, call: ToolCall) -> None:
    run.emit(ToolStarted(call.id, call.name, call.arguments, call.about))


async def _watched(
    tools: Registry,
    call: ToolCall,
    run: RunContext,
    results: dict[str, ToolResult],
    started: Started,
) -> None:
    began = time.perf_counter()
    result = await started(call)
    if result is None:
        context = replace(await run.tool_context(), show_output=partial(_show, run, call))
        result = await call_tool(tools, call, context, run.permission, run.hooks)
    results[call.id] = result
    milliseconds = (time.perf_counter() - began - result.waited) * 1000
    run.emit(ToolOutput(call.id, result.text))
    run.emit(
        ToolFinished(
            call.id,
            call.name,
            _summary(result),
            result.error,
            milliseconds,
            result.unsuccessful,
            result.places,
            result.answer,
        )
    )


def _show(run: RunContext, call: ToolCall, output: str) -> None:
    run.emit(ToolOutput(call.id, output, live=True))


def _summary(result: ToolResult) -> str:
    """The result in one line, for people."""
    first, _, rest = result.text.partition("\n")
    if rest and not result.error and not result.outcome:
        return f"{result.text.count(chr(10)) + 1:,} lines"
    line = " ".join((result.outcome or first).split())  # Read puts a tab after a number
    most = _OUTCOME_CHARACTERS if result.outcome else _SUMMARY_CHARACTERS
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _argument_problems(tool: Tool, error: ValidationError) -> str:
    errors = error.errors(include_url=False)
    inner = {item["loc"][:depth] for item in errors for depth in range(len(item["loc"]))}
    outermost = [
        item for item in errors if item["loc"] not in inner
    ]  # outer errors only repeat inner ones
    problems = "; ".join(
        f"{'.'.join(map(str, item['loc'])) or 'arguments'}: {item['msg'].removeprefix(_PREFIX)}"
        for item in outermost
    )
    takes = dict.fromkeys(_takes(tool.args, item["loc"][:1]) for item in outermost)
    return (
        f"{tool.name} was not run: {problems}.\nCorrect the arguments and call it again."
        f" {' '.join(takes)}"
    )


def _takes(args: type[ToolArgs], place: tuple[int | str, ...]) -> str:
    """The arguments that the tool takes, or that the items of the wrong argument take."""
    field = args.model_fields.get(str(*place))
    items = get_args(field.annotation)[:1] if field else ()
    whose = "It"
    if items and isinstance(items[0], type) and issubclass(items[0], ToolArgs):
        args, whose = items[0], f"Each of {place[0]}"
    return f"{whose} takes {', '.join(args.names())}."


@dataclass(frozen=True, slots=True)
class _Read:
    """The result of an early call; the drafts in its context are adopted with the result."""

    result: ToolResult
    drafts: ToolContext
    context: ToolContext


class EarlyCalls:
    """The calls of the current reply that were started early. Each run has one of these."""

    def __init__(self, tools: Registry, run: RunContext) -> None:
        self._tools = tools
        self._run = run
        self._started: dict[str, tuple[ToolCall, asyncio.Task[_Read]]] = {}
        self._void: set[asyncio.Task[_Read]] = set()
        self._wanted = asyncio.Event()  # the reply is complete, and its calls count
        self._acting = False  # whether a call of the reply acts

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.void()
        await asyncio.gather(*self._void, return_exceptions=True)

    async def begin(self, call: ToolCall) -> None:
        """Start a complete call if its tool only reads.

        Calls after one that acts wait, so that they see its effects.
        """
        access = tool.access if (tool := self._tools.get(call.name)) else Access.NONE
        # Calls behind one that acts must see its effects, so from there on nothing starts early.
        self._acting |= access not in (Access.READ, Access.NONE)
        if access is Access.READ and not self._acting:
            reading = self._read(call, self._wanted)
            self._started[call.id] = call, asyncio.create_task(reading)
            await asyncio.sleep(0)  # it begins now, even if more of the reply has arrived

    def void(self) -> None:
        """Cancel the calls that have started, because their reply does not count."""
        for _, task in self._started.values():
            task.cancel()
            self._void.add(task)
        self._started.clear()
        self._wanted = asyncio.Event()
        self._acting = False

    async def take(self, call: ToolCall) -> ToolResult | None:
        """The result of a call that was started early; None for any other call."""
        self._wanted.set()
        asked, task = self._started.pop(call.id, (None, None))
        if task is None:
            return None
        if asked != call:
            task.cancel()
            self._void.add(task)
            return None
        read = await task
        # Only now the reply counts: a void reply's calls must not count as shown (0031).
        read.context.reads.adopt(read.drafts.reads)
        read.context.findings.adopt(read.drafts.findings)
        return read.result

    async def _read(self, call: ToolCall, wanted: asyncio.Event) -> _Read:
        context = await self._run.tool_context()
        reads, findings = context.reads.draft(), context.findings.draft()
        ahead = replace(context, reads=reads, findings=findings, before_asking=wanted.wait)
        result = await call_tool(self._tools, call, ahead, self._run.permission, self._run.hooks)
        return _Read(result, ahead, context)
