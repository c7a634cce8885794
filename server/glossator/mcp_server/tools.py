"""The tools that are offered, and a call from its arguments to its result.

Those whose result is text (`grep`, `glob`, `read`, `symbols`) answer with text alone: clients give
a model the one form or the other, and in JSON a text takes more tokens.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar
from uuid import uuid4

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations
from pydantic import BaseModel, Field, ValidationError

from glossator.application import Application, ExploreArgs
from glossator.commands import (
    COMMANDS,
    KeptGloss,
    ToolAnswer,
    kept_glosses,
    remember_text,
    report_at,
)
from glossator.core.errors import GlossatorError, UsageError
from glossator.core.events import AgentProgress, Envelope
from glossator.core.prompts import load_prompt
from glossator.core.shown import shown
from glossator.core.silent_port import SilentPort
from glossator.mcp_server.answers import (
    CheckResult,
    FactsResult,
    RememberResult,
    ReportResult,
    SearchResult,
    Structured,
)
from glossator.retrieval import MAX_CHUNKS, WHOLE_CHUNKS, SearchArgs
from glossator.settings import valid_settings
from glossator.tools import ToolArgs, schema_of

Report = Callable[[float, float | None, str | None], Awaitable[None]]

_NO_MODEL = "No model is configured: only rules judged, which leave most sentences undecided."
MAX_TEXT = 100_000  # characters of a text to check
_READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
_ADDS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_OTHERS = "other-agents"  # where a fact of an answer has its session
_INNER = {"grep": "Grep", "glob": "Glob", "read": "Read", "symbols": "Symbols"}


class CheckArgs(ToolArgs):
    """Arguments of check."""

    text: str = Field(description="Markdown whose sentences cite lines.", max_length=MAX_TEXT)


class FactsArgs(ToolArgs):
    """Arguments of facts."""

    question: str = Field(min_length=1, max_length=4_000)

    habits: ClassVar[Mapping[str, tuple[str, ...]]] = dict.fromkeys(
        ("query", "task", "prompt"), ("question",)
    )


class ToolPort(SilentPort):
    """The port of the runs that clients start: each is followed by the call that started it."""

    def __init__(self) -> None:
        self.following: dict[str, Callable[[Envelope], None]] = {}  # by run

    def emit(self, envelope: Envelope) -> None:
        """Tell the call that started the run."""
        if (listener := self.following.get(envelope.run_id)) is not None:
            listener(envelope)


async def opened(
    roots: tuple[str, ...], given: Mapping[str, Any], environment: Mapping[str, str]
) -> tuple[Application, ToolPort]:
    """The application on these folders, begun; `given` are settings."""
    port = ToolPort()
    settings, problems = await asyncio.to_thread(valid_settings, given, environment)
    app = Application(roots, settings, port, "utf-16", environment, tuple(problems))
    await app.mcp.close()  # no server of the user's is started: this may be one of them
    await app.start()
    return app, port


@dataclass(frozen=True, slots=True)
class Call:
    """A call under way; `run_id` is that of the run which it may start.

    `remembers`: clients may add facts.
    """

    app: Application
    run_id: str
    remembers: bool = False

    @staticmethod
    @asynccontextmanager
    async def following(
        app: Application, port: ToolPort, report: Report, *, remembers: bool = False
    ) -> AsyncIterator[Call]:
        """A call whose run's progress is reported, if it starts one."""
        run_id = uuid4().hex
        told: asyncio.Queue[AgentProgress] = asyncio.Queue()

        def emitted(envelope: Envelope) -> None:
            if isinstance(envelope.event, AgentProgress):
                told.put_nowait(envelope.event)

        async def tell() -> None:
            while True:
                at = await told.get()
                await report(at.tool_calls, None, f"{at.tool} {at.detail}".strip())

        port.following[run_id] = emitted
        telling = asyncio.create_task(tell())
        try:
            yield Call(app, run_id, remembers)
        finally:
            del port.following[run_id]
            telling.cancel()
            await asyncio.wait({telling})


Run = Callable[[Call, Any], Awaitable[ToolAnswer | Structured]]


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool; `run` carries a call out with checked arguments, and raises `GlossatorError`."""

    name: str
    args: type[ToolArgs]
    description: str
    answer: type[BaseModel] | None  # what it answers; None: text
    run: Run
    adds: bool = False  # facts; all others read

    @property
    def declared(self) -> Tool:
        """As clients list it."""
        return Tool(
            name=self.name,
            description=self.description,
            input_schema=schema_of(self.args),
            output_schema=schema_of(self.answer) if self.answer else None,
            annotations=_ADDS if self.adds else _READS,
        )


def offered(app: Application, *, remembers: bool) -> tuple[OfferedTool, ...]:
    """The tools, in the order in which they are listed.

    `explore` only where a model is; with `remembers` also `remember_fact`, which needs its verdict.
    """
    inner, words = app.tools, _words()
    tools = [OfferedTool("search", inner["Search"].args, words["search"], SearchResult, _search)]
    tools += [
        OfferedTool(name, inner[called].args, words[name], None, partial(_inner, called))
        for name, called in _INNER.items()
    ]
    if not app.models.fast.offline and "Explore" in inner:
        args = inner["Explore"].args
        tools.append(OfferedTool("explore", args, words["explore"], ReportResult, _explore))
    tools.append(OfferedTool("check", CheckArgs, words["check"], CheckResult, _check))
    tools.append(OfferedTool("facts", FactsArgs, words["facts"], FactsResult, _facts))
    if remembers and not app.models.fast.offline:
        described = words["remember_fact"]
        tools.append(
            OfferedTool(
                "remember_fact", CheckArgs, described, RememberResult, _remember_fact, adds=True
            )
        )
    return tuple(tools)


def _words() -> dict[str, str]:
    """The description of each tool; a client has other tools, so they are shorter than inside."""
    given = {"search": {"chunks": str(MAX_CHUNKS), "whole": str(WHOLE_CHUNKS)}}
    names = ("search", *_INNER, "explore", "check", "facts", "remember_fact")
    return {name: load_prompt(f"mcp/{name}").render(**given.get(name, {})) for name in names}


async def called(call: Call, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
    """The result of a call; one that fails says why, and what to do instead."""
    tools = {each.name: each for each in offered(call.app, remembers=call.remembers)}
    try:
        if (tool := tools.get(name)) is None:
            raise UsageError(f"There is no tool {shown(name)}; the tools are {', '.join(tools)}.")
        try:
            args = tool.args.model_validate(dict(arguments))
        except ValidationError as error:
            raise UsageError(_wrong(tool, error)) from error
        answer = await tool.run(call, args)
    except GlossatorError as error:
        return _result(str(error), error=True)
    if isinstance(answer, ToolAnswer):
        return _result(answer.text, error=answer.error)
    return _result(answer.text(), answer)


def _wrong(tool: OfferedTool, error: ValidationError) -> str:
    problems = "; ".join(
        f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg']}"
        for each in error.errors(include_url=False)
    )
    return f"{tool.name} was not run: {problems}. It takes {', '.join(tool.args.names())}."


def _result(
    text: str, structured: BaseModel | None = None, *, error: bool = False
) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=text.encode("utf-8", "replace").decode())],
        structured_content=structured.model_dump(mode="json") if structured else None,
        is_error=error,
    )


async def _command(call: Call, command: str, **request: Any) -> Any:  # noqa: ANN401 - of the command
    loaded = COMMANDS[f"glossator.{command}"]
    return await loaded.run(call.app, loaded.request(**request))


async def _inner(called: str, call: Call, args: ToolArgs) -> ToolAnswer:
    """One of the tools that Glossator's own model has, which reads."""
    given = args.model_dump(mode="json", by_alias=True, exclude_unset=True)
    answer: ToolAnswer = await _command(call, "tool", name=called, arguments=given)
    return answer


async def _search(call: Call, args: SearchArgs) -> SearchResult:
    given = args.model_dump()
    return SearchResult.of(await _command(call, "search", **given, for_model=True))


async def _explore(call: Call, args: ExploreArgs) -> ReportResult:
    given = {"task": args.task, "thoroughness": args.thoroughness, "agent": args.agent}
    explored = await _command(call, "explore", **given, run_id=call.run_id)
    return ReportResult.of(explored, call.app.settings.agents.report_bytes)


async def _check(call: Call, args: CheckArgs) -> CheckResult:
    checked = CheckResult.of(await _command(call, "check", text=args.text))
    if call.app.models.fast.offline:
        checked.notices.append(_NO_MODEL)
    return checked


async def _facts(call: Call, args: FactsArgs) -> FactsResult:
    await call.app.ready()  # what is stale is known then
    return FactsResult.of(await _command(call, "listFacts", question=args.question))


async def _remember_fact(call: Call, args: CheckArgs) -> RememberResult:
    return RememberResult.of(*await remember_text(call.app, args.text, _OTHERS))


async def shown_glosses(app: Application) -> tuple[KeptGloss, ...]:
    """The glosses that rest on no hidden file."""
    await app.ready()
    hides = app.acting.hides
    return tuple(each for each in await kept_glosses(app) if not any(map(hides, each.paths)))


async def gloss_text(app: Application, uri: str) -> str:
    """A gloss as Markdown. Raises `GlossatorError` for one that is not there."""
    if all(each.uri != uri for each in await shown_glosses(app)):
        raise UsageError("There is no such gloss; list the resources again.")
    return await report_at(app, uri) or ""
