"""Actions on lines of a document: explain, fix, test or document them, or explore their usage."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.application import Application
from glossator.commands.answers.sessions import Explored
from glossator.commands.ask import answer
from glossator.commands.declaration import LineAction
from glossator.commands.declared import EXPLORE_USAGE
from glossator.commands.explore import ExploreRequest, explored_and_kept, or_usage_error
from glossator.commands.subjects import pointed_at
from glossator.core.answer import Answer
from glossator.core.attached import Diagnostic
from glossator.core.citations import place
from glossator.core.errors import UsageError
from glossator.core.permission import Mode
from glossator.core.prompts import load_prompt
from glossator.core.report import Thoroughness
from glossator.turn import Asked, Attachment, attach_all, attach_lines

_NO_MODEL = "Without a model nothing can be edited; `glossator doctor` says how to get one."


@dataclass(frozen=True, slots=True)
class LinesRequest:
    """Lines of a document, 1-based and inclusive (None: from its start, to its end).

    `instruction` is what the user wants of the action, in the user's words. `diagnostics` are what
    the editor reports of these lines, as far as the action is about it. With `review` the user
    reviews each edit before it is made, whatever the mode and the settings. `definition`: what is
    meant is the innermost function or class around the first line, as a whole. `in_place`: the
    editor shows all of it at the lines, and a session that begins with it is in no list until
    something else is asked there.
    """

    uri: str
    first_line: int | None = None
    last_line: int | None = None
    instruction: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    review: bool = False
    session_id: str | None = None
    run_id: str | None = None
    definition: bool = False
    in_place: bool = False


async def act_on_lines(action: LineAction, app: Application, request: LinesRequest) -> Answer:
    """Have the model do it. Raises as `ask` does, and `UsageError` for what needs a model."""
    if action.edits and app.model.offline:
        raise UsageError(_NO_MODEL)
    uri, first, last = request.uri, request.first_line, request.last_line
    if request.definition:
        first, last = await _definition(app, uri, first or 1)
    lines = await attach_lines(app, uri, first, last, request.diagnostics)
    where = place(lines.path, lines.span.first_line, lines.span.last_line)
    prompt = load_prompt(action.prompt).render(place=where)
    instruction = request.instruction.strip()
    question = f"{prompt}\n\n{instruction}".rstrip()
    asked = Asked(
        question,
        (lines,),
        request.session_id,
        request.run_id,
        only_reads=not action.edits,
        review=request.review,
        shown=": ".join(filter(None, (action.titled(where), instruction))),
        in_place=request.in_place,
    )
    return await answer(app, asked)


async def _definition(app: Application, uri: str, line: int) -> tuple[int, int]:
    """The lines of the innermost definition around a line. Raises `UsageError` if there is none."""
    pointed = await or_usage_error(pointed_at(app, uri, line, None))
    if pointed.symbol is None:
        raise UsageError(
            f"Line {line:,} of {pointed.path} stands in no function or class that is known; select"
            " the lines that you mean."
        )
    return pointed.symbol.first_line, pointed.symbol.last_line


def why_not_edited(app: Application, *, in_new_sessions: bool) -> str | None:
    """Why an action that edits is of no use now, for the user; None where it is.

    A client that has actions done in sessions of its choice goes by the modes of these.
    """
    if in_new_sessions and app.acting.modes.of() is Mode.PLAN:
        return "In plan mode nothing is edited; choose another mode first."
    if app.acting.trust.said is False:
        return "The editor says that this workspace is not trusted; trust it first."
    if app.model.offline:
        return _NO_MODEL
    return None


async def explore_usage(app: Application, request: LinesRequest) -> Explored:
    """Have a sub-agent find it out. Raises as `explore` does."""
    lines = Attachment(request.uri, request.first_line, request.last_line)
    await attach_all(app, (lines,))  # what cannot be shown is refused in words about these lines
    pointed = await or_usage_error(pointed_at(app, request.uri, request.first_line, None))
    last = request.last_line or len(pointed.document.lines if pointed.document else ())
    prompt = load_prompt(EXPLORE_USAGE.prompt)
    task = prompt.render(place=place(pointed.path, request.first_line or 1, last))
    asked = ExploreRequest(
        f"{task}\n\n{request.instruction.strip()}".rstrip(),
        Thoroughness.MEDIUM,
        attachments=(lines,),
        session_id=request.session_id,
        run_id=request.run_id,
    )
    # what uses a line says little of the file around it
    return await explored_and_kept(app, pointed, asked, renews=pointed.symbol is not None)
