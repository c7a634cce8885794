"""A conversation at the keyboard: what is typed while a run is on waits, or steers it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from glossator.cli.asking import Beside, Command
from glossator.cli.messages import PROMPT, plural
from glossator.cli.render.renderer import Renderer
from glossator.cli.server import REQUEST_CANCELLED, ResponseError
from glossator.cli.terminal import Keyboard, TerminalLock
from glossator.core.answers import Answer
from glossator.core.wire import Json

_READY = "Ask; /queue lists what waits, /quit or Ctrl-D ends."
_HELD = "{count} not sent: /send asks them, /queue lists them; or ask something else."
_DURING = "Enter queues what you type meanwhile; /steer WORDS tells the model now."
_NO_WORDS = "Write what the model is to take into account: /steer WORDS."
_NOTHING = "Nothing is queued."
_REMOVE = "/queue remove NUMBER takes one out."


class Talking:
    """Asks one question after the other. `ask` carries a question out and gives its answer."""

    def __init__(
        self,
        renderer: Renderer,
        keyboard: Keyboard,
        lock: TerminalLock,
        beside: Beside,
        ask: Callable[[Command], Awaitable[Any]],
        show: Callable[[object], None],
        session_id: str | None,
    ) -> None:
        self._renderer = renderer
        self._keyboard = keyboard
        self._lock = lock
        self._beside = beside
        self._ask = ask
        self._show = show
        self._session_id = session_id
        self._run_id = ""  # of the run that is on, which may be that of a plan
        self._queue: list[str] = []
        self._held = False  # the user is to say that it goes on
        self._ended = False  # nothing more is typed
        self._steers: dict[asyncio.Task[None], asyncio.Future[Json]] = {}
        self._left_over = 0  # words at the head of the queue that did not reach their run

    def heard(self, event: dict[str, Json]) -> None:
        """An event: a session is known from its first run on, also if that fails."""
        if event["kind"] == "run.started":
            self._session_id = event["sessionId"]
            self._run_id = event["runId"]

    async def talk(self) -> None:
        """Until the user has enough. Raises `ServerLost`."""
        self._tell(_DURING)
        try:
            while (question := await self._next()) is not None:
                await self._run(question)
        finally:
            for each in self._queue:
                self._tell(f"Not sent: {each}")

    async def _next(self) -> str | None:
        """The next question: what waits, else what is typed; None at the end."""
        self._left_over = 0
        while self._held or not self._queue:
            if self._ended:
                return None
            if not self._queue:
                self._held = False
            count = plural(len(self._queue), "message")
            self._renderer.prompt(_HELD.format(count=count) if self._queue else _READY)
            line = await self._keyboard.line()
            words = line.strip()
            name, _, rest = words.partition(" ")
            if not line or words == "/quit":
                return None
            if name == "/queue":
                self._change_queue(rest)
            elif words == "/send":
                self._held = False
            elif words := (rest.strip() if name == "/steer" else words):
                return words
        question = self._queue.pop(0)
        self._tell(f"{PROMPT}{question}")
        return None if question == "/quit" else question

    async def _run(self, question: str) -> None:
        self._run_id = run_id = secrets.token_hex(8)
        argument = {"question": question, "sessionId": self._session_id, "runId": run_id}
        typing = asyncio.create_task(self._typed())
        problem: ResponseError | None = None
        answer: object = None
        try:
            answer = await self._ask(Command("glossator.ask", argument))
        except ResponseError as error:
            problem = error
        finally:
            typing.cancel()
            await asyncio.wait({typing})
        for steering, answered in list(self._steers.items()):
            if not answered.done():
                await asyncio.wait({asyncio.ensure_future(self._beside.hear(answered))})
            await steering
        if problem is None:
            self._show(answer)
            self._session_id = answer.session_id if isinstance(answer, Answer) else None
            return
        self._held = bool(self._queue)
        if problem.code == REQUEST_CANCELLED:
            self._renderer.close()
            self._tell("Stopped.")
            self._beside.go_on()
        else:
            self._renderer.error(problem.code, str(problem))

    async def _typed(self) -> None:
        """Take what is typed while the run is on."""
        while line := await self._keyboard.line():
            words = line.strip()
            name, _, rest = words.partition(" ")
            if name == "/queue":
                self._change_queue(rest)
            elif name == "/steer" and not rest.strip():
                self._tell(_NO_WORDS)
            elif name == "/steer":
                self._steer(rest.strip())
            elif words:
                self._queue.append(words)
                self._tell(f"Queued as number {len(self._queue)}: {words}")
        self._ended = True

    def _steer(self, words: str) -> None:
        argument = {"runId": self._run_id, "text": words}
        answered = self._beside.post(Command("glossator.steer", argument))
        steering = asyncio.create_task(self._steered(words, answered))
        self._steers[steering] = answered
        steering.add_done_callback(self._steers.pop)
        self._tell(f"The model is told with the next results: {words}")

    async def _steered(self, words: str, answered: asyncio.Future[Json]) -> None:
        """See what became of the words; they are asked next if the model was not told."""
        try:
            told = (await answered)["steered"]
        except ResponseError as error:
            self._tell(str(error))
            told, self._held = False, True
        if not told:
            self._queue.insert(self._left_over, words)
            self._left_over += 1
            self._tell(f"The model was not told, so this is the next question: {words}")

    def _change_queue(self, given: str) -> None:
        """List what waits, or remove one of it."""
        name, _, number = given.partition(" ")
        if name == "remove" and number.strip().isdecimal():
            place = int(number) - 1
            if 0 <= place < len(self._queue):
                self._tell(f"Removed: {self._queue.pop(place)}")
                return
        lines = [f"{place}  {each}" for place, each in enumerate(self._queue, 1)]
        self._tell("\n".join([*lines, _REMOVE] if lines else [_NOTHING]))

    def _tell(self, message: str) -> None:
        self._lock.show(lambda: self._renderer.notice(message, "dim"))
