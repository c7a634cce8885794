"""What is asked outside of a call."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

from glossator.acp.serve import serve_streams  # noqa: F401 - it decides how the SDK is imported

# isort: split
from acp import schema

from glossator.acp.outbox import Outbox
from glossator.acp.port import AcpPort
from glossator.acp.texts import ClientTexts
from glossator.core.events import Envelope, Event, RunStarted, ToolFinished, ToolStarted
from glossator.core.permission import PermissionRequest
from glossator.core.question import Option, Question, calling
from glossator.workspace import Roots, WorkspaceHost


class Client:
    """Chooses the first answer, or fails; `meanwhile` happens before."""

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.updates: list[Any] = []
        self.asked: list[schema.ToolCallUpdate] = []
        self.meanwhile: Callable[[], None] = lambda: None

    async def session_update(self, session_id: str, update: Any) -> None:
        assert session_id == "session"
        self.updates.append(update)

    async def request_permission(
        self, session_id: str, call: schema.ToolCallUpdate, options: list[Any]
    ) -> schema.RequestPermissionResponse:
        assert (session_id, call.tool_call_id) == ("session", self.updates[0].tool_call_id)
        self.asked.append(call)
        self.meanwhile()
        if self.fails:
            raise ConnectionError
        outcome = schema.AllowedOutcome(outcome="selected", option_id=options[0].option_id)
        return schema.RequestPermissionResponse(outcome=outcome)


async def asked(text: str, *, fails: bool = False) -> tuple[list[Any], tuple[str, ...]]:
    """The updates around a question, and what was chosen."""
    client = Client(fails=fails)
    async with opened(client) as port:
        answer = await port.ask_user(Question(text, (Option("Yes", "For good"), Option("No"))))
    return client.updates, answer.chosen


@asynccontextmanager
async def opened(client: Any) -> AsyncIterator[AcpPort]:
    """The port of a client that has one session; all is sent afterwards."""
    outbox = Outbox(client)
    host = cast("WorkspaceHost", None)  # no file is read
    texts = ClientTexts(client, schema.FileSystemCapabilities(), lambda _: host)
    port = AcpPort(client, outbox, texts, "", lambda: Roots.of(()))
    port.updates("session")
    yield port
    await outbox.sent()
    await outbox.close()


async def test_a_question_is_a_call_that_ends() -> None:
    (start, end), chosen = await asked("Is it\nso?")
    assert chosen == ("Yes",)
    assert (start.title, start.status) == ("Is it so?", "pending")
    assert [each.content.text for each in start.content] == ["- Yes: For good"]
    assert (end.tool_call_id, end.status) == (start.tool_call_id, "completed")


async def test_a_question_that_is_not_put_has_failed() -> None:
    (_, end), chosen = await asked("Is it so?", fails=True)
    assert (end.status, chosen) == ("failed", ())


async def test_of_a_long_question_the_first_line_is_the_title() -> None:
    (start, _), _ = await asked(f"Is it so?\n\n{'Because. ' * 50}")
    assert start.title == "Is it so?"
    assert start.content[0].content.text.startswith("Because. Because.")


MADE = PermissionRequest("Sandbox", "A command made .git/hooks/x. May that stay?", "x", ())


async def test_what_a_command_made_is_asked_about_in_words() -> None:
    """And a call that ended meanwhile stays as it is."""
    client = Client()
    async with opened(client) as port:

        def emit(event: Event) -> None:
            port.emit(Envelope("run", 0, event))

        emit(RunStarted("session", "Build it", "model", offline=False))
        emit(ToolStarted("toolu_b", "Bash", {"command": "make"}))
        client.meanwhile = lambda: emit(
            ToolFinished("toolu_b", "Bash", "Done", error=False, milliseconds=1.0)
        )
        with calling("toolu_b"):
            await port.ask_permission(MADE)
    assert [each.title for each in client.asked] == [MADE.title]
    assert [each.status for each in client.updates] == ["in_progress", "completed"]
