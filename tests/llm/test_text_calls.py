"""Tool calls that stand in a reply's text."""

import pytest

from glossator.core.events import Usage
from glossator.llm.assembly import with_text_calls
from glossator.llm.conversation import user_message
from glossator.llm.model import Message, Reply, StopReason, ToolSpec

FIELDS = {"path": {"type": "string"}, "limit": {"type": "integer"}, "old_text": {"type": "string"}}
TOOLS = tuple(
    ToolSpec(name, "", {"type": "object", "properties": FIELDS}) for name in ("Edit", "Read")
)
READ = '{"name": "Read", "arguments": {"path": "a.py"}}'
PATH = {"path": "a.py"}
PARAMETERS = "<parameter=path>\na.py\n</parameter>\n<parameter=limit>\n5\n</parameter>\n"


def read(text: str) -> Reply:
    message: Message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    reply = Reply(message, StopReason.END_TURN, Usage(), text)
    return with_text_calls(reply, TOOLS, [user_message("?")], "qwen")


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (READ, [("Read", PATH)]),
        (f"```json\n{READ}\n```", [("Read", PATH)]),
        (f"<tool_call>\n{READ}\n</tool_call>", [("Read", PATH)]),
        (f"<tool_call>{READ}</tool_call>\n<tool_call>{READ}", [("Read", PATH)] * 2),
        (f"[{READ}, {READ}]", [("Read", PATH)] * 2),
        (f"<|python_tag|>{READ}", [("Read", PATH)]),
        (f"[TOOL_CALLS][{READ}]", [("Read", PATH)]),
        ('{"name": "Read", "parameters": {"path": "a.py"}}', [("Read", PATH)]),
        (r'{"function": {"name": "Read", "arguments": "{\"path\": \"a.py\"}"}}', [("Read", PATH)]),
        ('<function=Read>{"path": "a.py"}</function>', [("Read", PATH)]),
        (
            f"<tool_call>\n<function=Read>{PARAMETERS}</function>\n</tool_call>",
            [("Read", PATH | {"limit": 5})],
        ),
        (
            "<function=Edit><parameter=old_text>1</parameter></function>",
            [("Edit", {"old_text": "1"})],
        ),
    ],
)
def test_a_plain_call_is_one(text: str, calls: list[tuple[str, object]]) -> None:
    reply = read(text)
    assert reply.stop is StopReason.TOOL_USE
    assert [(call.name, call.arguments) for call in reply.tool_calls] == calls
    assert [block["type"] for block in reply.message["content"]] == ["tool_use"] * len(calls)
    assert (reply.text, reply.note) == ("", "")
    assert len({call.id for call in reply.tool_calls}) == len(calls)


def test_what_is_said_before_a_tagged_call_stays() -> None:
    reply = read(f"I look.\n<tool_call>{READ}</tool_call>")
    assert reply.text == "I look."
    assert [block["type"] for block in reply.message["content"]] == ["text", "tool_use"]


@pytest.mark.parametrize(
    "text",
    [
        "Read it.",
        '{"name": "Read"}',
        '{"name": "rm", "arguments": {}}',
        f"Such as {READ}",
        '{"name": "Read", "arguments": [1]}',
        '["a", "b"]',
        "",
    ],
)
def test_what_only_looks_like_one_is_text(text: str) -> None:
    reply = read(text)
    assert (reply.stop, reply.text, reply.note) == (StopReason.END_TURN, text, "")


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "Read", "arguments": {"path": </tool_call>',
        "<tool_call>Read the file a.py</tool_call>",
        "<function=Read>a.py</function>",
        f"<tool_call>{READ}</tool_call> and <tool_call>Edit</tool_call>",
    ],
)
def test_of_one_that_cannot_be_read_the_user_hears(text: str) -> None:
    reply = read(text)
    assert reply.stop is StopReason.END_TURN
    assert "qwen writes tool calls as text that cannot be run" in reply.note
