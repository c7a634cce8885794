"""Titles of sessions: at once the core of the first question, soon after that a model's.

The fast model is asked beside the first answer, which never waits for it, and only about a question
that is too long to be a title itself. A title that the user gives is never replaced.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable

from glossator.core.errors import ModelError
from glossator.core.ports import EditorPort
from glossator.core.prompts import load_prompt
from glossator.core.run_events import SessionNow
from glossator.core.shown import in_tags, shown, shown_prose
from glossator.core.tool_result import shorten
from glossator.llm import Models, side_query
from glossator.sessions import UNTITLED, Session
from glossator.settings import Settings

_log = logging.getLogger(__name__)

_CHARACTERS = 60  # of a title
_SECONDS = 20.0  # for the model; nobody waits for it
_OUTPUT_TOKENS = 40
_QUESTION = 2_000  # characters of a question that the model reads

_FENCED = re.compile(r"^ *(```|~~~).*?(?:^ *\1[`~]*|\Z)", re.DOTALL | re.MULTILINE)
# what people say before they say what they want
_OPENING = re.compile(
    r"(?:(?:hi|hello|hey|good (?:morning|afternoon|evening))(?: there| all| glossator)?"
    r"(?=[\s,.!]|$)"
    r"|(?:please|kindly|thanks|ok|okay)(?=[\s,.!]|$)"
    r"|(?:can|could|would|will) you(?: please| kindly)?(?=[\s,])"
    r"|i(?: would|.d)? (?:want|need|like) (?:you )?to\b|help me(?: to)?\b)[\s,.!:]*",
    re.IGNORECASE,
)


def title_of(question: str) -> str:
    """The core of a question: its first line of words, without greetings and marks of code."""
    words = _FENCED.sub("", question).strip() or question
    lines = [" ".join(line.split()) for line in words.replace("`", "").split("\n")]
    cores = filter(None, map(_core, lines))
    return _cut(next(cores, "")) or _cut(next(filter(None, lines), ""))


def _core(line: str) -> str:
    """The line from what is wanted on; "" if it holds nothing else."""
    core = line
    while opening := _OPENING.match(core):
        core = core[opening.end() :]
    if not any(map(str.isalnum, core)):
        return ""
    return core if core == line else core[0].upper() + core[1:]


def _cut(title: str) -> str:
    """The title, cut at a word if it is too long."""
    if len(title) <= _CHARACTERS:
        return title
    start = title[:_CHARACTERS]
    whole = start.rpartition(" ")[0].rstrip(" ,;:-")
    return f"{whole if len(whole) > _CHARACTERS // 2 else start[:-1]}…"


class Titles:
    """Gives sessions their titles; for the event loop."""

    def __init__(
        self,
        settings: Settings,
        models: Models,
        port: EditorPort,
        settle: Callable[[Session], None],
    ) -> None:
        """`settle` is `Sessions.settle`."""
        self._settings = settings
        self._models = models
        self._port = port
        self._settle = settle
        self._working: dict[str, asyncio.Task[None]] = {}

    def begin(self, session: Session, question: str, *, asks: bool = True) -> None:
        """Give a session without a title one; a model's follows in the background if it is due.

        `question` is what people see of it. Without `asks` no model is asked.
        Where the model that answers is the only one, it is not asked: a server of one's own often
        takes one request at a time, and the answer would wait.
        """
        if session.title != UNTITLED:
            return
        plain = title_of(question)
        session.rename(plain, made=True)
        is_long = len(" ".join(question.split())) > _CHARACTERS
        if asks and is_long and self._settings.sessions.titles:
            self._ask(session, question, plain)

    def _ask(self, session: Session, question: str, plain: str) -> None:
        fast = self._models.fast
        if fast.offline or fast is self._models.main:
            return
        work = self._make(session, question, plain)
        task = asyncio.create_task(work, name=f"glossator-title-{session.id}")
        self._working[session.id] = task
        task.add_done_callback(lambda _: self._working.pop(session.id, None))

    def busy(self, session_id: str) -> bool:
        """Whether a model is asked for a session's title."""
        return session_id in self._working

    async def settle(self) -> None:
        """Wait until no title is being made."""
        while self._working:
            await asyncio.wait(self._working.values())

    async def stop(self, *sessions: str) -> None:
        """Ask no longer for the titles of these sessions, or of all."""
        tasks = [task for name, task in self._working.items() if not sessions or name in sessions]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _make(self, session: Session, question: str, plain: str) -> None:
        try:
            async with asyncio.timeout(_SECONDS):
                title = await self._asked(session, question)
        except TimeoutError:
            _log.info("%s keeps its plain title: none came within %g s", session.id, _SECONDS)
            return
        except ModelError as error:
            _log.info("%s keeps its plain title: %s", session.id, error)
            return
        if session.title_made and session.title == plain:
            session.rename(title, made=True)
            self._settle(session)
            self._port.show(SessionNow(session.id, shown(title)))

    async def _asked(self, session: Session, question: str) -> str:
        model = self._models.fast
        meter = session.meter(self._settings.limits, model)
        asked = in_tags(shown_prose(shorten(question, _QUESTION)))
        prompt = load_prompt("sessions/title").render(question=asked)
        said = (await side_query(model, meter, "title", prompt, _OUTPUT_TOKENS)).text
        title = " ".join(said.strip().partition("\n")[0].split()).strip("\"'“”`*#. ")
        if not any(map(str.isalnum, title)):
            raise ModelError("the model's reply was no title")
        return _cut(title)
