"""The structured summary of a conversation that no longer fits: its schema, and who writes it.

The model of the conversation writes it, with the same prefix, which the prompt cache holds. If that
does not fit, the model gets a record instead, shortened until it is accepted. Without a model, or
if it fails twice, the summary is extracted mechanically, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, ValidationError

from glossator.core.errors import ContentRefused, RequestTooLong, StreamCut
from glossator.core.prompts import load_prompt
from glossator.llm import (
    Message,
    Meter,
    Model,
    ModelRequest,
    Purpose,
    Reply,
    StopReason,
    ToolSpec,
    estimate_request,
    user_message,
)
from glossator.sessions.compaction.kept import (
    KeptTexts,
    KeptTools,
    collect,
    outcomes,
    paths_in,
    transcript,
)

MAX_OUTPUT = 16_000  # tokens, thinking included
_ROOM = MAX_OUTPUT + 4_000  # tokens of the request besides the conversation
_TRANSCRIPT_SHARES = (0.6, 0.3, 0.1)  # of the window, tried one after another
_ATTEMPTS = 2
_INTENT_CHARACTERS = 600
_MAX_ERRORS = 20  # in an extracted summary
_FENCE = re.compile(r"```(?:json)?\n(?P<json>.*)\n```", re.DOTALL)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class FileNote(_Part):
    """What the model learnt about a file."""

    path: str
    learnt: str


class Fixed(_Part):
    """An error, and how it was solved."""

    error: str
    fix: str


@dataclass(frozen=True, slots=True)
class Changed:
    """Files that were changed, and what was asked when they were."""

    why: str
    files: tuple[str, ...]


class Summary(_Part):
    """What the model keeps of a conversation in its own words."""

    intent: str
    instructions: tuple[str, ...]
    decisions: tuple[str, ...]
    files: tuple[FileNote, ...]
    errors: tuple[Fixed, ...]
    open_tasks: tuple[str, ...]
    next_step: str


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the system prompt's second block; `title` and `cut` are for people.

    `cut` says what was left out of it, "" for nothing.
    """

    name: str
    text: str
    why: str
    cut: str = ""


@dataclass(frozen=True, slots=True)
class PromptPrefix:
    """What comes before the messages in the prompt: frozen system blocks and tools.

    `sections` are those that the second block consists of, as far as they are known.
    """

    system: tuple[str, ...]
    tools: tuple[ToolSpec, ...]
    sections: tuple[Section, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A model's summary, None if it wrote no valid one.

    `scale` is the number of tokens that the provider counts for an estimated one.
    """

    summary: Summary | None = None
    scale: float = 1.0


async def ask_summary(
    model: Model, frame: PromptPrefix, messages: Sequence[Message], meter: Meter
) -> Asked:
    """The model's summary of `messages`; what does not fit, or is refused, is made smaller.

    Raises `ModelError` if the model cannot be asked.
    """
    tokens = estimate_request(ModelRequest(frame.system, frame.tools, tuple(messages)))
    shares = [*([None] if tokens + _ROOM <= model.window else []), *_TRANSCRIPT_SHARES]
    problem, scale, attempts = "", 1.0, 0
    while shares and attempts < _ATTEMPTS:
        meter.check()
        request = (
            _whole(frame, messages, problem)
            if shares[0] is None
            else _short(messages, model, problem, shares[0])
        )
        try:
            reply = await _reply(model, request, meter)
        except (RequestTooLong, ContentRefused):
            shares.pop(0)
            continue
        attempts += 1
        scale = reply.usage.input_total / estimate_request(request)
        try:
            return Asked(parse_summary(reply), scale)
        except ValueError as error:
            problem = str(error)
        if reply.stop is StopReason.CONTEXT_FULL:
            shares.pop(0)
    return Asked(None, scale)


async def summarise(model: Model, messages: Sequence[Message], meter: Meter) -> Summary | None:
    """The summary of a conversation that goes on, by any model, from a record of it.

    None if the model writes no valid one. Raises `ModelError`.
    """
    problem = ""
    for _ in range(_ATTEMPTS):
        meter.check()
        reply = await _reply(model, _short(messages, model, problem), meter, "summary")
        try:
            return parse_summary(reply)
        except ValueError as error:
            problem = str(error)
    return None


def extracted(messages: Sequence[Message], open_tasks: Sequence[str]) -> Summary:
    """The summary of a conversation that goes on, extracted without a model."""
    return extract_summary(messages, collect(messages, KeptTools()), open_tasks)


def parse_summary(reply: Reply) -> Summary:
    """The summary in a reply. Raises `ValueError`, in words for the model."""
    if reply.stop is not StopReason.END_TURN:
        raise ValueError("it called a tool" if reply.tool_calls else f"it ended with {reply.stop}")
    text = reply.text.strip()
    if fenced := _FENCE.fullmatch(text):
        text = fenced["json"]
    try:
        return Summary.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise ValueError(f"{where}: {first['msg']}") from error


def extract_summary(
    messages: Sequence[Message],
    kept: KeptTexts,
    open_tasks: Sequence[str],
    changed: Sequence[Changed] = (),
) -> Summary:
    """A summary without a model, from an earlier one, from the calls, and from what was changed."""
    before = _earlier(kept)
    why = {path: each.why for each in changed for path in each.files}  # the last time
    learnt = dict.fromkeys(paths_in(messages), "a tool was called on it")
    learnt |= {note.path: note.learnt for note in before.files} if before else {}
    learnt |= {path: f"changed for: {asked}" for path, asked in why.items()}
    files = tuple(FileNote(path=path, learnt=each) for path, each in learnt.items())
    first = kept.said[0] if kept.said else ""
    return Summary(
        intent=before.intent if before else first[:_INTENT_CHARACTERS],
        instructions=before.instructions if before else (),
        decisions=before.decisions if before else (),
        files=files,
        errors=_failed(messages, kept),
        open_tasks=tuple(open_tasks) or (before.open_tasks if before else ()),
        next_step="",
    )


def _failed(messages: Sequence[Message], kept: KeptTexts) -> tuple[Fixed, ...]:
    """The newest failures, each in a line, and whether the same call succeeded later."""
    succeeded = outcomes(messages)
    failed = dict.fromkeys(text.partition("\n")[0] for text in kept.failures)
    later = "the same call succeeded later"
    return tuple(
        Fixed(error=f"{call} failed", fix=later if succeeded.get(call) else "open")
        for call in [*failed][-_MAX_ERRORS:]
    )


def _earlier(kept: KeptTexts) -> Summary | None:
    """The last compaction's summary; None without one, or if another version wrote it."""
    try:
        return Summary.model_validate_json(kept.summary)
    except ValidationError:
        return None


def _whole(frame: PromptPrefix, messages: Sequence[Message], problem: str) -> ModelRequest:
    asked = (*messages, user_message(*_instructions(problem)))
    return ModelRequest(frame.system, frame.tools, asked, max_output_tokens=MAX_OUTPUT)


def _short(
    messages: Sequence[Message],
    model: Model,
    problem: str,
    share: float = _TRANSCRIPT_SHARES[0],
) -> ModelRequest:
    record = transcript(messages, round(model.window * share))
    shown = load_prompt("compaction/transcript").render(transcript=record)
    asked = user_message(shown, *_instructions(problem))
    return ModelRequest((), (), (asked,), max_output_tokens=MAX_OUTPUT)


def _instructions(problem: str) -> tuple[str, ...]:
    asked = load_prompt("compaction/summarise").render()
    return (asked, load_prompt("compaction/retry").render(problem=problem)) if problem else (asked,)


async def _reply(
    model: Model, request: ModelRequest, meter: Meter, purpose: Purpose = "compaction"
) -> Reply:
    async with aclosing(meter.stream(model, request, purpose)) as events:
        async for event in events:
            if isinstance(event, Reply):
                return event
    raise StreamCut("The model's summary ended before it was complete. Try again.")
