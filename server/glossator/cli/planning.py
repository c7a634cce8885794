"""A plan at the terminal: started in a mode, changed in the user's words, or left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from glossator.cli.messages import planned_notice
from glossator.cli.render.renderer import Renderer
from glossator.cli.replies import Replies
from glossator.cli.session import Command, Execute, Work
from glossator.cli.wire import Json, Question, QuestionAnswer
from glossator.core.plan import OFFER, PLANNED, chosen_mode

_QUESTION: Question = {
    "text": OFFER.text,
    "options": [{"label": each.label, "detail": each.detail} for each in OFFER.options],
    "several": OFFER.several,
    "sessionId": "",
    "sessionTitle": "",
}


@dataclass(frozen=True, slots=True)
class Planning:
    """Asks about each plan that is the answer, once it was `shown`."""

    renderer: Renderer
    replies: Replies
    shown: Callable[[Json], None]

    def after(self, work: Work) -> Work:
        """The work, and what the user has done about the plan that it may end in."""

        async def whole(execute: Execute) -> Json:
            answer = await work(execute)
            while isinstance(answer, dict) and answer.get("stop") == PLANNED:
                self.shown(answer)
                session = answer["sessionId"]
                wanted = _command(await self.replies.ask(_QUESTION), session)
                if wanted is None:
                    self.renderer.notice(planned_notice(session))
                    return answer
                answer = await execute(wanted)
            return answer

        return whole


def _command(reply: QuestionAnswer, session: str) -> Command | None:
    """What the user wants done; None: nothing."""
    mode = next(filter(None, map(chosen_mode, reply["chosen"])), None)
    if mode is not None:
        return Command("glossator.startPlan", {"sessionId": session, "mode": mode})
    if reply["words"]:
        return Command("glossator.ask", {"sessionId": session, "question": reply["words"]})
    return None
