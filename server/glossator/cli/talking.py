"""A conversation at the keyboard: what is typed while a run is on waits, or steers it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

from glossator.cli.asking import Beside, Command
from glossator.cli.chat_words import (
    AS_IT_IS,
    command_of,
    help_lines,
    instead,
    is_ours,
    slash_word,
    unknown,
)
from glossator.cli.messages import PROMPT, plural
from glossator.cli.replies import User
from glossator.cli.server import REQUEST_CANCELLED, ResponseError
from glossator.commands import DiscardedWorktree, MergedWorktree
from glossator.core.answer import Answer
from glossator.core.errors import UsageError
from glossator.core.question import Question
from glossator.core.wire import Json
from glossator.core.words import Act, Became

_READY = "Ask; /help lists the commands, /quit or Ctrl-D ends."
_NOT_SENT = "{count} not sent: /send asks them, /queue lists them; or ask something else."
_EDITING = "Finish the message that you took back; an empty line drops it."
_WHILE_RUNNING = (
    f"While it works: Enter to {Act.QUEUE.lower()}, /steer WORDS to {Act.STEER.lower()}, Ctrl-C to"
    f" {Act.STOP.lower()}."
)
_NO_WORDS = "Write what it is to know now: /steer WORDS."
_NOT_EDITED = "Write the new words: /queue edit NUMBER WORDS."
_GOES_ON = "What waits is asked as soon as this is done."
_NEW_SESSION = "The next question begins a new session."
NOTHING = "Nothing waits to be asked."
_HOW_TO_CHANGE = "/queue edit NUMBER changes one, /queue remove NUMBER takes it out."


class Talking:
    """Asks one question after the other. `ask` carries a command out and gives its answer."""

    def __init__(
        self,
        user: User,
        beside: Beside,
        ask: Callable[[Command], Awaitable[Any]],
        show: Callable[[object], None],
        session_id: str | None,
    ) -> None:
        self._user = user
        self._renderer = user.renderer
        self._keyboard = user.keyboard
        self._beside = beside
        self._ask = ask
        self._show = show
        self._session_id = session_id
        self._run_id = ""  # of the run that is on, which may be that of a plan
        self._elsewhere = False  # its session goes on there
        self._waiting = Waiting()
        self._renderer.in_chat(lambda: len(self._waiting.messages))
        self._held = False  # the user is to say that it goes on
        self._ended = False  # nothing more is typed
        self._steers: dict[asyncio.Task[None], asyncio.Future[Json]] = {}

    def heard(self, event: dict[str, Json]) -> None:
        """An event: a session is known from its first run on, also if that fails."""
        if event["kind"] == "run.started":
            self._session_id = event["sessionId"]
            self._run_id = event["runId"]
            self._elsewhere = False
        elif event["kind"] == "run.cancelled":
            self._elsewhere = bool(event["elsewhere"])

    async def talk(self) -> None:
        """Talk until the user has enough. Raises `ServerLost`."""
        self._tell(_WHILE_RUNNING)
        try:
            while (line := await self._next()) is not None:
                await self._carry_out(line)
        finally:
            for each in self._waiting.unsent:
                self._tell(f"Not sent: {each}")

    async def _next(self) -> str | None:
        """The next question or command: one that waits, else one that is typed; None at the end."""
        self._waiting.left_over = 0
        while self._held or not self._waiting.is_ready:
            if self._ended:
                return None
            self._held = self._held and bool(self._waiting)
            self._renderer.prompt(self._hint)
            line = await self._keyboard.line()
            words = line.strip()
            if not line or words == "/quit":
                return None
            if words == "/send":
                self._held = False
            elif not self._arranged(words):
                name, _, rest = words.partition(" ")
                words = rest.strip() if name == "/steer" else words
                if self._waiting.place is not None:
                    self._put_back(words)
                elif words:
                    return words
        question = self._waiting.take()
        self._tell(f"{PROMPT}{question}")
        return None if question == "/quit" else question

    @property
    def _hint(self) -> str:
        if self._waiting.place is not None:
            return _EDITING
        count = plural(len(self._waiting.messages), "message")
        return _NOT_SENT.format(count=count) if self._waiting else _READY

    async def _carry_out(self, line: str) -> None:
        """Ask a question, or do what a `/` word says."""
        typed = slash_word(line)
        if typed is None:
            await self._run(self._question(line))
        elif typed[0] == "new":
            self._session_id = None
            self._tell(_NEW_SESSION)
        elif typed[0] == "help":
            self._tell("\n".join(help_lines()))
        elif is_ours(typed[0]):
            await self._do(*typed)
        else:
            await self._ask_about(typed[0], line)

    async def _do(self, name: str, words: str) -> None:
        try:
            command = command_of(name, words, self._session_id)
        except UsageError as error:
            self._tell(str(error))
            return
        if name == "retry":
            self._run_id = secrets.token_hex(8)
            command = replace(command, argument={**command.argument, "runId": self._run_id})
        done = await self._run(command)
        if done and name == "plan" and words:
            await self._run(self._question(words))

    async def _ask_about(self, name: str, line: str) -> None:
        """Ask about a word: a file's or MCP server's is a question, others only if wanted."""
        try:
            doubt = await self._doubt(name)
        except ResponseError as error:
            self._failed(error)
            return
        if doubt is not None:
            answer = await self._user.answer(doubt)
            if (words := answer["words"]) or not answer["chosen"]:
                if words:
                    await self._carry_out(words)
                return
            (chosen,) = answer["chosen"]
            if chosen != AS_IT_IS:
                await self._carry_out(instead(chosen, line))
                return
        await self._run(self._question(line))

    async def _doubt(self, name: str) -> Question | None:
        """What to ask about a word; of an MCP server's the server says more, also if not ready."""
        if name.startswith("mcp__") or name in await self._words_like(name):
            return None
        return unknown(name, await self._words_like(""))

    async def _words_like(self, typed: str) -> list[str]:
        """Those that the server completes this to, the best first; not all if they are many."""
        known = await self._ask(Command("glossator.complete", {"text": f"/{typed}"}))
        return [item["label"].removeprefix("/") for item in known["items"]]

    def _question(self, question: str) -> Command:
        self._run_id = run_id = secrets.token_hex(8)
        argument = {"question": question, "sessionId": self._session_id, "runId": run_id}
        return Command("glossator.ask", argument)

    async def _run(self, command: Command) -> bool:
        """Run a command and take what is typed meanwhile; False if it failed or was stopped."""
        typing = asyncio.create_task(self._typed())
        problem: ResponseError | None = None
        answer: object = None
        try:
            answer = await self._ask(command)
        except ResponseError as error:
            problem = error
        finally:
            typing.cancel()
            await asyncio.wait({typing})
        for steering, answered in list(self._steers.items()):
            if not answered.done():
                await asyncio.wait({asyncio.ensure_future(self._beside.hear(answered))})
            await steering
        if problem is not None:
            self._failed(problem)
            return False
        self._show(answer)
        if isinstance(answer, Answer):
            self._session_id = answer.session_id
        elif _is_over(answer):
            self._session_id = None
            self._tell(_NEW_SESSION)
        return True

    def _failed(self, problem: ResponseError) -> None:
        self._held = bool(self._waiting)
        if problem.code == REQUEST_CANCELLED:
            self._renderer.close()
            if not self._elsewhere:  # that was said
                self._tell(Became.STOPPED)
            self._beside.go_on()
        else:
            self._renderer.error(problem.code, str(problem))

    async def _typed(self) -> None:
        """Take what is typed while the run is on."""
        while line := await self._keyboard.line():
            words = line.strip()
            name, _, rest = words.partition(" ")
            if name == "/steer":
                self._steer(rest.strip())
            elif words == "/send":
                self._tell(_GOES_ON)
            elif not self._arranged(words) and (words or self._waiting.place is not None):
                self._put_back(words)
        self._ended = True

    def _put_back(self, words: str) -> None:
        """Put in line a message that is new, or that was taken out to be edited."""
        if not words:
            self._waiting.leave()
            self._tell("Removed.")
            return
        self._tell(f"Asked next, as number {self._waiting.add(words)}: {words}")

    def _steer(self, words: str) -> None:
        if not words:
            self._tell(_NO_WORDS)
            return
        argument = {"runId": self._run_id, "text": words}
        answered = self._beside.post(Command("glossator.steer", argument))
        steering = asyncio.create_task(self._steered(words, answered))
        self._steers[steering] = answered
        steering.add_done_callback(self._steers.pop)
        self._tell(f"Told with its next results: {words}")

    async def _steered(self, words: str, answered: asyncio.Future[Json]) -> None:
        """Wait for steering words; they are asked next if the model was not told."""
        try:
            told = (await answered)["steered"]
        except ResponseError as error:
            self._tell(str(error))
            told, self._held = False, True
        if not told:
            self._waiting.steer_failed(words)
            self._tell(f"It was not told in time, so this is asked next: {words}")

    def _arranged(self, line: str) -> bool:
        """List or change what waits, if the line asks for that."""
        name, _, given = line.partition(" ")
        if name != "/queue":
            return False
        what, _, rest = given.strip().partition(" ")
        number, _, words = rest.strip().partition(" ")
        if what == "remove" and (gone := self._waiting.remove(number)) is not None:
            self._tell(f"Removed: {gone}")
        elif what == "edit" and (taken := self._waiting.edit(number)) is not None:
            if words:
                self._put_back(words)
            elif not self._keyboard.put(taken):
                self._waiting.add(taken)
                self._tell(_NOT_EDITED)
        else:
            self._tell(self._waiting.listed())
        return True

    def _tell(self, message: str) -> None:
        self._user.lock.show(lambda: self._renderer.notice(message, "dim"))


def _is_over(answer: object) -> bool:
    """Whether the session's worktree is gone, so that nothing more is asked in it."""
    match answer:
        case DiscardedWorktree(lost=lost):
            return not lost
        case _:
            return isinstance(answer, MergedWorktree)


@dataclass(slots=True)
class Waiting:
    """The questions that wait, in order; one that is taken out keeps its place until it is back."""

    messages: list[str] = field(default_factory=list)
    place: int | None = None  # of the one that is being edited
    taken: str = ""  # its words, as they were
    left_over: int = 0  # words at the head that did not reach their run

    def __bool__(self) -> bool:
        return bool(self.messages)

    @property
    def is_ready(self) -> bool:
        """Whether one can be asked: none does whose place is before the first."""
        return bool(self.messages) and self.place != 0

    @property
    def unsent(self) -> list[str]:
        """All of them, the one that is being edited in its place."""
        place = self.place
        return (
            self.messages
            if place is None
            else [*self.messages[:place], self.taken, *self.messages[place:]]
        )

    def add(self, words: str) -> int:
        """Put words back where they were edited, else at the end; their number, from 1."""
        place = len(self.messages) if self.place is None else min(self.place, len(self.messages))
        self.messages.insert(place, words)
        self.place = None
        return place + 1

    def steer_failed(self, words: str) -> None:
        """Ask words first that failed to steer a run."""
        self.messages.insert(self.left_over, words)
        self.left_over += 1
        if self.place is not None:
            self.place += 1

    def take(self) -> str:
        """Take the next question."""
        if self.place:
            self.place -= 1
        return self.messages.pop(0)

    def leave(self) -> None:
        """Drop the message that was being edited."""
        self.place = None

    def remove(self, number: str) -> str | None:
        """Take one out, by its number from 1; None if there is none of that number."""
        place = int(number) - 1 if number.isdecimal() else -1
        if not 0 <= place < len(self.messages):
            return None
        if self.place is not None and place < self.place:
            self.place -= 1
        return self.messages.pop(place)

    def edit(self, number: str) -> str | None:
        """Take one out that comes back to its place with the next `add`; None as `remove`.

        Another one that is being edited goes back to its place as it was.
        """
        before = self.place
        words = self.remove(number)
        if words is None:
            return None
        place = int(number) - 1
        if before is not None:
            self.add(self.taken)
            place += before <= place
        self.place, self.taken = place, words
        return words

    def listed(self) -> str:
        """All of them with their numbers, and what can be done with them."""
        lines = [f"{place}  {each}" for place, each in enumerate(self.messages, 1)]
        return "\n".join([*lines, _HOW_TO_CHANGE] if lines else [NOTHING])
