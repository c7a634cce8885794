"""A workspace that a client opened: its application, and the sessions in it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from acp import RequestError, schema
from acp.interfaces import Client

from glossator.acp.blocks import in_fences
from glossator.acp.content import Prompt, mcp_servers, paths_of, read_prompt
from glossator.acp.outbox import Outbox, refusal
from glossator.acp.port import AcpPort
from glossator.acp.texts import ClientTexts
from glossator.acp.updates import aside, text_update
from glossator.application import Application
from glossator.cli import command_of, is_ours, slash_word, works_here
from glossator.commands import COMMANDS
from glossator.core.answer import Answer
from glossator.core.errors import GlossatorError, SessionBusy, UsageError
from glossator.core.shown import shown
from glossator.core.wire import WireError, from_wire
from glossator.core.words import MODES
from glossator.settings import valid_settings
from glossator.turn import PlanChoice

_log = logging.getLogger(__name__)

_TASKS = {
    PlanChoice.AUTO: ("Automatic", "Hard questions are split into tasks"),
    PlanChoice.PLAN: ("Always", "Each question is split into tasks"),
    PlanChoice.DIRECT: ("Never", "No question is split into tasks"),
}
_STOPS: Mapping[str, schema.StopReason] = {
    "turns": "max_turn_requests",
    "repetition": "max_turn_requests",
    "tokens": "max_tokens",
    "money": "max_tokens",
    "cut off": "max_tokens",
    "context full": "max_tokens",
    "refused": "refusal",
}
_PREFIX = "glossator."  # of our commands
_BY_ITSELF = "default"  # the value of an effort that nobody chose
_COMMANDS = 100  # listed for a client
_WAITS = "The model reads this with its next results; where none follow, it is asked next."
_NOT_HERE = "/{} does not work here; type / for what does."
_WORDS = schema.AvailableCommandInput(root=schema.UnstructuredCommandInput(hint="words"))


class Workspace:
    """An application on some folders, and the port through which it speaks with the client."""

    def __init__(
        self, app: Application, port: AcpPort, outbox: Outbox, roots: tuple[str, ...]
    ) -> None:
        self._app = app
        self._port = port
        self._outbox = outbox
        self._roots = roots
        self._sessions: set[str] = set()  # in use
        self._tasks: dict[str, PlanChoice] = {}  # by session
        self._prompts: dict[asyncio.Task[Any], str] = {}  # that can be cancelled: their sessions
        self._background: set[asyncio.Task[None]] = set()

    @classmethod
    async def opened(
        cls,
        roots: tuple[str, ...],
        client: Client,
        outbox: Outbox,
        capabilities: schema.ClientCapabilities,
        name: str,
        environment: Mapping[str, str],
        given: Mapping[str, Any],
    ) -> Self:
        """The workspace of these folders, begun. `name` is the client's, `given` are settings."""
        settings, problems = await asyncio.to_thread(valid_settings, given, environment)
        fs = capabilities.fs or schema.FileSystemCapabilities()
        app: Application
        texts = ClientTexts(
            client,
            fs,
            lambda path: app.trees.at(path).host,
            lambda path: app.trees.at(path).acting.hides(path),
        )
        forms = capabilities.elicitation is not None and capabilities.elicitation.form is not None
        port = AcpPort(client, outbox, texts, name, lambda: app.host.folders, shows_forms=forms)
        app = Application(roots, settings, port, "utf-16", environment, tuple(problems))
        await app.start()
        return cls(app, port, outbox, roots)

    async def close(self) -> None:
        """End every run, then the application."""
        ending = [*self._background, *self._prompts]
        self._prompts.clear()
        for each in ending:
            each.cancel()
        if ending:  # before the runs: a prompt that waits for one would begin the next
            await asyncio.wait(ending)
        await self._app.close()

    async def run(self, command: str, **argument: Any) -> Any:  # noqa: ANN401 - as the wire
        """What a command of the table answers. Raises `RequestError`."""
        loaded = COMMANDS[f"{_PREFIX}{command}"]
        app = await self._serving(argument.get("sessionId"))
        try:
            return await loaded.run(app, from_wire(loaded.request, argument))
        except (GlossatorError, WireError) as error:
            raise refusal(str(error)) from error

    async def resume(self, session_id: str, *, shows: bool) -> None:
        """Go on with a session; `shows`: the client is shown all of it again."""
        resumed = await self.run("resumeSession", sessionId=session_id)
        if shows:
            self._port.replay(session_id, resumed.events)
            await self._outbox.sent()

    async def sessions(self) -> list[schema.SessionInfo]:
        """The sessions of these folders, those used last first."""
        listed = await self.run("listSessions")
        return [
            schema.SessionInfo(
                session_id=each.id,
                cwd=self._roots[0],
                title=shown(each.title) or None,
                updated_at=each.updated_at,
            )
            for each in listed.sessions
        ]

    def took_up(self, session_id: str, mcp_servers: Sequence[Any]) -> None:
        """A session is in use from now on; the client gets its commands in a moment."""
        self._sessions.add(session_id)
        self._port.updates(session_id)
        for problem in self._app.problems:
            self._outbox.put(session_id, aside(problem))
        self._in_background(self._tell_commands(session_id))
        if mcp_servers:
            self._in_background(self._hand_over(session_id, mcp_servers))

    def closed(self, session_id: str) -> None:
        """A session is in use no more; what goes on in it is ended."""
        self.cancel(session_id)
        self._sessions.discard(session_id)

    # a turn

    async def prompt(self, session_id: str, blocks: Sequence[Any]) -> schema.PromptResponse:
        """Answer a prompt; one that comes while another is answered steers that, or is next."""
        if (task := asyncio.current_task()) is None:
            raise RuntimeError("a prompt is answered inside a task")
        self._prompts[task] = session_id
        try:
            app = await self._serving(session_id)
            roots, texts = app.host.roots, self._port.texts
            await texts.look(session_id, [*app.host.overlays, *paths_of(blocks, roots)])
            snapshot, hidden = app.host.snapshot(), app.acting.hidden()
            read = await asyncio.to_thread(read_prompt, blocks, snapshot, hidden)
            called = slash_word(read.text)
            if called is not None and is_ours(called[0]):
                name, words = called
                done = await self._command(session_id, name, words)
                if isinstance(done, Answer):
                    return self._answered(session_id, done)
                if done is None or name != "plan" or not words:
                    return schema.PromptResponse(stop_reason="end_turn")
                read = replace(read, text=words)
            if app.runs.busy(session_id):
                self._outbox.put(session_id, aside(_WAITS))
            while not await self._steered(app, session_id, read):
                try:
                    return await self._ask(app, session_id, read)
                except SessionBusy:  # a run that only begins, or whose model has had its say
                    await app.runs.free_or_steered(session_id)
            return schema.PromptResponse(stop_reason="end_turn")
        except asyncio.CancelledError:
            task.uncancel()
            return schema.PromptResponse(stop_reason="cancelled")
        except (GlossatorError, WireError) as error:
            raise refusal(str(error)) from error
        finally:
            self._prompts.pop(task, None)
            await self._outbox.sent()

    def cancel(self, session_id: str) -> None:
        """End what the prompts of a session began, each once."""
        for task in [task for task, of in self._prompts.items() if of == session_id]:
            del self._prompts[task]
            task.cancel()

    async def _steered(self, app: Application, session_id: str, read: Prompt) -> bool:
        """Whether a run of the session took the words."""
        if not app.runs.busy(session_id):
            return False
        steer = COMMANDS["glossator.steer"]
        said = steer.request(read.text, None, session_id, read.attached)
        return bool((await steer.run(app, said)).steered)

    async def _ask(self, app: Application, session_id: str, read: Prompt) -> schema.PromptResponse:
        ask = COMMANDS["glossator.ask"]
        plan = self._tasks.get(session_id, PlanChoice.AUTO)
        request = ask.request(read.text, session_id, attachments=read.attached, plan=plan)
        return self._answered(session_id, await ask.run(app, request))

    def _answered(self, session_id: str, answer: Answer) -> schema.PromptResponse:
        """The end of a prompt; the client is shown how the answer holds, and its figures."""
        standing = self._port.updates(session_id).standing(answer)
        for update in (*standing, *self._figures(answer)):
            self._outbox.put(session_id, update)
        return schema.PromptResponse(
            stop_reason=_STOPS.get(answer.stop, "end_turn"),
            usage=schema.Usage(
                total_tokens=answer.usage.total,
                input_tokens=answer.usage.input_tokens,
                output_tokens=answer.usage.output_tokens,
                cached_read_tokens=answer.usage.cache_read_tokens,
                cached_write_tokens=answer.usage.cache_write_tokens,
            ),
        )

    def _figures(self, answer: Answer) -> tuple[Any, ...]:
        """How full the window is, what the session cost, and what it is called now."""
        loaded = self._app.sessions.loaded()
        session = next(each for each in loaded if each.id == answer.session_id)
        dollars = answer.session_dollars
        return (
            schema.UsageUpdate(
                session_update="usage_update",
                used=session.account.last.total,
                size=self._app.model.window,
                cost=None if dollars is None else schema.Cost(amount=dollars, currency="USD"),
            ),
            _titled(session.title),
        )

    async def _command(self, session_id: str, name: str, words: str) -> object:
        """Carry out one of our own `/` commands, and show what it answers or why it failed.

        Gives its answer, None if it failed. One to a question is still to be shown.
        """
        from glossator.cli import answer_text  # noqa: PLC0415 - a tenth of the start

        try:
            if not works_here(name):
                raise UsageError(_NOT_HERE.format(name))
            command = command_of(name, words, session_id)
            answer = await self.run(command.name.removeprefix(_PREFIX), **command.argument)
        except (GlossatorError, RequestError) as error:  # no failure of the agent, as errors are
            self._outbox.put(session_id, aside(str(error)))
            return None
        if isinstance(answer, Answer):
            return answer
        self._outbox.put(session_id, text_update(f"{in_fences(answer_text(answer))}\n"))
        if name in ("mode", "plan"):
            mode = self._app.acting.modes.of(session_id).value
            self._outbox.put(
                session_id,
                schema.CurrentModeUpdate(
                    session_update="current_mode_update", current_mode_id=mode
                ),
            )
        if name == "model":
            await self._tell_options(self._sessions)
        if name == "rename":
            self._outbox.put(session_id, _titled(answer.title))
        return answer

    # modes and options

    def modes(self, session_id: str) -> schema.SessionModeState:
        """What can be done without asking, and what is."""
        return schema.SessionModeState(
            current_mode_id=self._app.acting.modes.of(session_id).value,
            available_modes=[
                schema.SessionMode(id=mode.value, name=name, description=what)
                for mode, (name, what) in MODES.items()
            ],
        )

    async def options(self, session_id: str) -> list[Any]:
        """The model, how much it thinks, and whether questions are split into tasks."""
        listed = await self.run("listModels")
        current = next((each for each in listed.models if each.current), None)
        names = dict.fromkeys([listed.model, *(each.id for each in listed.models)])
        models = {each: (each, "") for each in names}
        options = [_select("model", "Model", listed.model, models)]
        if current is not None and current.efforts:
            levels = {each: (each.capitalize(), "") for each in current.efforts}
            levels = {_BY_ITSELF: ("As the model does by itself", "")} | levels
            options.append(_select("effort", "Thinking", listed.effort or _BY_ITSELF, levels))
        chosen = self._tasks.get(session_id, PlanChoice.AUTO)
        tasks = {each.value: words for each, words in _TASKS.items()}
        options.append(_select("tasks", "Split questions into tasks", chosen.value, tasks))
        return options

    async def set_option(self, session_id: str, option: str, value: str | bool) -> None:
        """Choose one of `options`. Raises `RequestError`."""
        if option == "model":
            await self.run("setModel", model=value)
        elif option == "effort":
            effort = None if value == _BY_ITSELF else value
            await self.run("setModel", model=self._app.model.id, effort=effort)
        elif option == "tasks" and value in set(PlanChoice):
            self._tasks[session_id] = PlanChoice(str(value))
        else:
            raise refusal(f"There is no option {shown(option)} with this value.")
        if option != "tasks":
            await self._tell_options(self._sessions - {session_id})

    async def _tell_options(self, sessions: Iterable[str]) -> None:
        """Show sessions the model, which is the same for all of a workspace."""
        for session_id in sorted(sessions):  # others may come meanwhile
            update = schema.ConfigOptionUpdate(
                session_update="config_option_update",
                config_options=await self.options(session_id),
            )
            self._outbox.put(session_id, update)

    # in the background

    def _in_background(self, work: Coroutine[None, None, None]) -> None:
        def ended(task: asyncio.Task[None]) -> None:
            self._background.discard(task)
            if not task.cancelled() and (failure := task.exception()) is not None:
                _log.error("a task of the agent failed", exc_info=failure)

        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(ended)

    async def _tell_commands(self, session_id: str) -> None:
        answer = await self.run("complete", text="/", limit=_COMMANDS)
        commands = [
            schema.AvailableCommand(
                name=name,
                description=each.detail or each.label,
                input=_WORDS if each.insert.endswith(" ") or name == "plan" else None,
            )
            for each in answer.items
            if works_here(name := each.label.removeprefix("/"))
        ]
        update = schema.AvailableCommandsUpdate(
            session_update="available_commands_update", available_commands=commands
        )
        self._outbox.put(session_id, update)

    async def _hand_over(self, session_id: str, servers: Sequence[Any]) -> None:
        """Take the client's MCP servers; each runs once the user adopted it here."""
        for name in await self._app.mcp.hand_over(mcp_servers(servers)):
            try:
                await self.run("adoptMcpServer", name=name)
            except RequestError as error:
                self._outbox.put(session_id, aside(str(error)))

    async def _serving(self, session_id: str | None) -> Application:
        """The application that a session works in. Raises `RequestError`."""
        try:
            return await self._app.trees.serving(session_id)
        except GlossatorError as error:
            raise refusal(str(error)) from error


def _titled(title: str) -> schema.SessionInfoUpdate:
    return schema.SessionInfoUpdate(session_update="session_info_update", title=shown(title))


def _select(
    option_id: str, name: str, value: str, choices: Mapping[str, tuple[str, str]]
) -> schema.SessionConfigOptionSelect:
    options = [
        schema.SessionConfigSelectOption(value=each, name=words, description=what or None)
        for each, (words, what) in choices.items()
    ]
    return schema.SessionConfigOptionSelect(
        type="select", id=option_id, name=name, current_value=value, options=options
    )
