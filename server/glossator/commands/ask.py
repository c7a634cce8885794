"""Ask: a question about the workspace, answered from its lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from glossator.application import Application
from glossator.commands.declared import CHAT_COMMANDS
from glossator.core.answer import Answer
from glossator.core.errors import UsageError
from glossator.sessions import Session
from glossator.turn import Asked, Attachment, Pasted, PlanChoice, attach_all, take_turn

_BUILT_IN = frozenset(chat.name for chat in CHAT_COMMANDS)


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question; without `session_id` it begins a session, `run_id` lets the asker cancel it."""

    question: str
    session_id: str | None = None
    run_id: str | None = None
    attachments: tuple[Attachment | Pasted, ...] = ()
    plan: PlanChoice = PlanChoice.AUTO


async def ask(app: Application, request: AskRequest) -> Answer:
    """Run the loop on a question. Raises `ModelError` and `UsageError`."""
    if not request.question.strip():
        raise UsageError("The question is empty; ask something about the workspace.")
    attached = await attach_all(app, request.attachments)
    asked = Asked(
        request.question,
        tuple(attached),
        request.session_id,
        request.run_id,
        plan=request.plan,
    )
    return await answer(app, asked)


async def answer(
    app: Application, asked: Asked, before: Callable[[Session], None] = lambda _: None
) -> Answer:
    """As `take_turn`; our own `/` commands are no file's."""
    return await take_turn(app, asked, _BUILT_IN, before)
