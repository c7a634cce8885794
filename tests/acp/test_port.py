"""What is asked outside of a call."""

from __future__ import annotations

from typing import Any, cast

from glossator.acp.serve import serve_streams  # noqa: F401 - it decides how the SDK is imported

# isort: split
from acp import schema

from glossator.acp.outbox import Outbox
from glossator.acp.port import AcpPort
from glossator.acp.texts import ClientTexts
from glossator.core.question import Option, Question
from glossator.workspace import Roots, WorkspaceHost


class Client:
    """Chooses the first answer, or fails."""

    def __init__(self, *, fails: bool) -> None:
        self.fails = fails
        self.updates: list[Any] = []

    async def session_update(self, session_id: str, update: Any) -> None:
        assert session_id == "session"
        self.updates.append(update)

    async def request_permission(
        self, session_id: str, call: schema.ToolCallUpdate, options: list[Any]
    ) -> schema.RequestPermissionResponse:
        assert (session_id, call.tool_call_id) == ("session", self.updates[0].tool_call_id)
        if self.fails:
            raise ConnectionError
        outcome = schema.AllowedOutcome(outcome="selected", option_id=options[0].option_id)
        return schema.RequestPermissionResponse(outcome=outcome)


async def asked(text: str, *, fails: bool = False) -> tuple[list[Any], tuple[str, ...]]:
    """The updates around a question, and what was chosen."""
    client: Any = Client(fails=fails)
    outbox = Outbox(client)
    host = cast("WorkspaceHost", None)  # no file is read
    texts = ClientTexts(client, schema.FileSystemCapabilities(), lambda _: host)
    port = AcpPort(client, outbox, texts, "", lambda: Roots.of(()))
    port.updates("session")
    answer = await port.ask_user(Question(text, (Option("Yes", "For good"), Option("No"))))
    await outbox.sent()
    await outbox.close()
    return client.updates, answer.chosen


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
