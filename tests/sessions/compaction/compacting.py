"""Conversations with a real model client against the stand-in, and their compaction."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from glossator.core.tool_result import ToolResult
from glossator.llm.conversation import Conversation, tool_answers, user_message
from glossator.llm.meter import Meter
from glossator.llm.model import Message, Model, ModelRequest, Reply, ToolSpec
from glossator.sessions.compaction.compaction import CarriedState, Compacted, NoGain, compact
from glossator.sessions.compaction.kept import KeptTools
from glossator.sessions.compaction.summary import PromptPrefix
from tests.standin import Text, Thinking, Turn

SUMMARY = {
    "intent": "Make the parser accept tabs.",
    "instructions": ["Never touch the lexer."],
    "decisions": ["Tabs count as one column."],
    "files": [{"path": "parse.py", "learnt": "expand() at line 4 splits on blanks."}],
    "errors": [{"error": "test_tabs failed", "fix": "open"}],
    "open_tasks": ["Run the tests."],
    "next_step": "Edit expand().",
}
SCHEMA = {"type": "object", "properties": {}}
FRAME = PromptPrefix(
    ("Shared by everybody.", "Of this session."),
    tuple(ToolSpec(name, f"Does {name}.", SCHEMA) for name in ("Ask", "Bash", "Read")),
)
WEIGHTS = KeptTools(key=frozenset({"Bash"}), asking=frozenset({"Ask"}))
MUSING = Thinking("Now I know, I look, and more. " * 200)  # what a compaction can leave out


def summary_turn(**changes: Any) -> Turn:
    return Turn(Text(json.dumps(SUMMARY | changes)))


def is_asked_for_a_summary(body: dict[str, Any]) -> bool:
    last = body["messages"][-1]["content"]
    return any("will be replaced by a summary" in part.get("text", "") for part in last)


@dataclass
class Talk:
    """A conversation under way."""

    model: Model
    conversation: Conversation = field(default_factory=Conversation)
    meter: Meter = field(default_factory=Meter)

    async def say(self, *texts: str) -> Reply:
        """Ask, and run every tool that is called, until there is an answer."""
        self.conversation.append(user_message(*texts))
        return await self.go_on()

    async def go_on(self, rounds: int = 100) -> Reply:
        """Ask and run tools for so many rounds at most."""
        while True:
            reply = await self.ask()
            self.conversation.append(reply.message)
            rounds -= 1
            if not reply.tool_calls:
                return reply
            answers = [(call, result_of(call.arguments)) for call in reply.tool_calls]
            self.conversation.append(tool_answers(answers))
            if not rounds:
                return reply

    async def ask(self) -> Reply:
        request = ModelRequest(FRAME.system, FRAME.tools, self.conversation.messages)
        last = [event async for event in self.model.stream(request)][-1]
        assert isinstance(last, Reply)
        return last

    async def compact(self, carried: CarriedState | None = None) -> Compacted | None:
        """Compact, and go on with what is left."""
        messages = self.conversation.messages
        carried = carried or CarriedState()
        compacted = await compact(messages, self.model, FRAME, WEIGHTS, carried, self.meter)
        if isinstance(compacted, NoGain):
            return None
        self.conversation = Conversation(compacted.messages)
        return compacted


def result_of(arguments: dict[str, Any]) -> ToolResult:
    """A tool's result: what its call says it is."""
    text = arguments.get("gives", "ok") + "\na line of code" * arguments.get("lines", 0)
    return ToolResult(text, error=arguments.get("fails", False))


def texts_of(messages: Sequence[Message]) -> list[str]:
    return [block.get("text", "") for message in messages for block in message["content"]]
