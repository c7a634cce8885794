"""A request that the server refuses is changed and sent again, until it is accepted.

What it refuses is taken out of the messages (`context/mending.py`), and what is too long is
compacted, once because a model may have to be paid for it, and then cut. The conversation changes
once the server has accepted the request.
"""

from __future__ import annotations

from glossator.agent.calls import EarlyCalls
from glossator.agent.guard import Guard
from glossator.agent.query import query, specs_of
from glossator.agent.run import Agent, RunContext
from glossator.context import Mending, NoGain
from glossator.core.errors import BudgetSpent, ContentRefused, RequestTooLong
from glossator.core.events import Notice, TextDiscarded
from glossator.llm import Conversation, Message, ModelRequest, Reply, estimate_request

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
    """As `query`; `last` takes all the time that is left. Raises what cannot be helped."""
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
            if mending.changed:
                conversation.amend(mending.messages)
            return reply
        begin_again(run, paused)


def begin_again(run: RunContext, paused: list[Message]) -> None:
    """Discard the current reply, which did not fit."""
    run.emit(TextDiscarded())
    paused.clear()


async def make_room(run: RunContext, guard: Guard) -> bool:
    """Compact the conversation; whether it is shorter now."""
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
    """Cut the messages to the next share of the window; what is missing, "" if nothing more is.

    The user's newest words are cut once no share can be reached without.
    """
    frame = estimate_request(ModelRequest(agent.system, specs_of(agent), ()))
    while cuts:
        share, question = cuts.pop(0)
        tokens = round(run.model.window * share) - frame
        if missing := mending.shorter(tokens, question=question):
            return missing
    return ""
