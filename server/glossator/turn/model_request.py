"""One request to the model, shown while it streams.

A request that the server refuses is changed and sent again, until it is accepted. What it refuses
is taken out of the messages (`sessions/compaction/mending.py`), and what is too long is compacted,
once because a model may have to be paid for it, and then cut. The conversation changes once the
server has accepted the request.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing

from glossator.core.errors import BudgetSpent, ContentRefused, RequestTooLong, StreamCut
from glossator.core.events import Notice, TextDelta, TextDiscarded, ThinkingDelta
from glossator.llm import (
    Conversation,
    Message,
    Meter,
    ModelRequest,
    Reply,
    RetryWait,
    TextPiece,
    ThinkingPiece,
    ToolReady,
    ToolSpec,
    estimate_request,
)
from glossator.sessions import Mending, NoGain
from glossator.tools import Registry, schema_of
from glossator.turn.calls import EarlyCalls
from glossator.turn.guard import Guard
from glossator.turn.run import Agent, RunContext

_SHARES = (0.6, 0.4, 0.2, 0.1)  # of the window, tried one after another
_CUTS = [(share, question) for question in (False, True) for share in _SHARES]


async def ask(
    agent: Agent,
    conversation: Conversation,
    run: RunContext,
    guard: Guard,
    early: EarlyCalls,
    paused: list[Message],
    *,
    last: bool = False,
) -> Reply | str:
    """Like `query`, with all the time left for the `last` reply. Raises what cannot be mended."""
    mending = Mending(conversation.messages, run.model.window)
    compacts, cuts = not last, list(_CUTS)
    while True:
        seconds = guard.seconds_left if last else guard.seconds_to_act
        messages = (*mending.messages, *paused)
        try:
            reply = await query(agent, conversation, messages, run, guard.meter, seconds, early)
        except RequestTooLong:
            shorter, compacts = compacts and await make_room(run, guard), False
            if shorter:
                mending = Mending(conversation.messages, run.model.window)
            elif missing := _cut(mending, agent, run, cuts):
                run.emit(Notice(f"The request was too long. Left out: {missing}. Asking again."))
            else:
                raise
        except ContentRefused as refusal:
            if not (missing := mending.without(refusal)):
                raise
            why = refusal.why or "without a reason"
            told = f"The model's server refused the request ({why}). Left out: {missing}."
            run.emit(Notice(f"{told} Asking again."))
        else:
            # Not before the server accepts it: no failed try loses messages (docs/decisions/0056).
            if mending.changed:
                conversation.amend(mending.messages)
            return reply
        begin_again(run, paused)


def begin_again(run: RunContext, paused: list[Message]) -> None:
    """Discard the current reply, whose request did not fit."""
    run.emit(TextDiscarded())
    paused.clear()


async def make_room(run: RunContext, guard: Guard) -> bool:
    """Compact the conversation; True if it is shorter now."""
    if run.compactor is None:
        return False
    try:
        async with run.clock.limit(guard.seconds_to_act):
            made = await run.compactor.compact(guard.meter)
    except BudgetSpent as error:
        run.emit(Notice(f"The conversation was not compacted. {error}"))
        return False
    except TimeoutError:
        return False
    if isinstance(made, NoGain):
        return False
    guard.forget()
    return True


def _cut(mending: Mending, agent: Agent, run: RunContext, cuts: list[tuple[float, bool]]) -> str:
    """Cut the messages to the next share of the window; says what is missing, "" if nothing new is.

    The user's newest words are cut only when no share can be reached without that.
    """
    frame = estimate_request(ModelRequest(agent.system, specs_of(agent), ()))
    while cuts:
        share, question = cuts.pop(0)
        tokens = round(run.model.window * share) - frame
        if missing := mending.shorter(tokens, question=question):
            return missing
    return ""


async def query(
    agent: Agent,
    conversation: Conversation,
    messages: Sequence[Message],
    run: RunContext,
    meter: Meter,
    seconds: float,
    early: EarlyCalls,
) -> Reply | str:
    """The model's reply to `messages`, or its text so far after `seconds`.

    The messages are the conversation's, perhaps mended, and the part of the reply before the
    provider paused it. Waiting for the user does not count as time. An incomplete reply is removed
    from the screen. `early` starts calls as soon as they are complete. Raises `ModelError`.
    """
    early.void()  # calls of an earlier reply
    request = ModelRequest(
        agent.system,
        specs_of(agent),
        tuple(messages),
        previous_reply=conversation.newest_reply,
        encoded=conversation.encoded,
    )
    said, shown = "", False
    run.hearing.discard()
    try:
        async with run.clock.limit(seconds), aclosing(meter.stream(run.model, request)) as events:
            async for event in events:
                match event:
                    case TextPiece(text):
                        run.emit(TextDelta(text))
                        run.hearing.hear(text)
                        said += text
                        shown = True
                    case ThinkingPiece(text):
                        run.emit(ThinkingDelta(text))
                        shown = True
                    case ToolReady(call):
                        await early.begin(call)
                    case RetryWait():
                        early.void()
                        if shown:
                            run.emit(TextDiscarded())
                        run.hearing.discard()
                        said, shown = "", False
                        run.emit(Notice(_wait_notice(event)))
                    case Reply():
                        conversation.newest_reply = event.id
                        _show_rest(event, said, run)
                        return event
    except TimeoutError:
        if shown:
            run.emit(TextDiscarded())
        run.hearing.discard()
        return said
    raise StreamCut("The model's answer ended before it was complete. Ask again.")


def _show_rest(reply: Reply, said: str, run: RunContext) -> None:
    """Show what differs from the text that streamed, since that may have held calls."""
    if said and reply.tool_calls and reply.text.strip() != said.strip():
        run.emit(TextDiscarded())
        run.hearing.discard()
        if reply.text:
            run.emit(TextDelta(reply.text))
            run.hearing.hear(reply.text)
    if reply.note:
        run.emit(Notice(reply.note))


def _wait_notice(wait: RetryWait) -> str:
    seconds = f"{wait.seconds:.0f}" if wait.seconds >= 1 else "less than 1"
    return f"{wait.reason} Asking again in {seconds} s (try {wait.attempt + 1})."


def specs_of(agent: Agent) -> tuple[ToolSpec, ...]:
    """The tools as the model sees them."""
    return agent.specs or tool_specs(agent.tools)


def tool_specs(tools: Registry) -> tuple[ToolSpec, ...]:
    """Name, description and schema of each tool, in a fixed order: the prompt begins with them."""
    return tuple(
        ToolSpec(tool.name, tool.description, schema_of(tool.args))
        for _, tool in sorted(tools.items())
    )
