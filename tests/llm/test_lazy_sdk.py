"""The thinned import of the SDK: less is loaded, and what is loaded is the same."""

import ast
import json
import subprocess
import sys

import pytest

from glossator.llm.lazy_sdk import _read

CONVERSATION = """
import asyncio
from contextlib import aclosing
from glossator.core.tool_result import ToolResult
from glossator.llm.conversation import tool_answers, user_message
from tests.llm.asking import asker
from tests.standin import Text, Thinking, ToolUse, Turn

async def main():
    script = [Turn(Thinking("Hm."), ToolUse("Grep", {"pattern": "x"}), ToolUse("Glob")),
              Turn(Text("Found it."))]
    async with asker(script) as ask:
        question = user_message("Where?")
        reply = await ask.reply(question)
        answers = tool_answers([(call, ToolResult("a")) for call in reply.tool_calls])
        last = await ask.reply(question, reply.message, answers)
        assert ask.api.refusals == []
        assert (len(reply.tool_calls), last.text) == (2, "Found it.")
        await ask.model._limits

asyncio.run(main())
loaded = [name for name in sys.modules if name.startswith("anthropic.")]
print(len(loaded))
"""
SAME_OBJECTS = """
from anthropic._client import AsyncAnthropic
from anthropic._exceptions import APIStatusError
from anthropic.types.message import Message
import anthropic
from anthropic import types
assert len([name for name in sys.modules if name.startswith("anthropic.")]) < 1500
assert anthropic.AsyncAnthropic is AsyncAnthropic
assert anthropic.APIStatusError is APIStatusError
assert anthropic.types.Message is Message is types.Message
assert anthropic.types.message.Message is Message
assert not hasattr(anthropic, "no_such_name") and not hasattr(types, "no_such_name")
from anthropic import *
assert AsyncAnthropic is anthropic.AsyncAnthropic
"""
CALLED_LATE = """
import httpx2
from anthropic._client import AsyncAnthropic
from glossator.llm.lazy_sdk import _CALLED_LATE
client = AsyncAnthropic(api_key="k")
loaded = [name for name in sys.modules if name.startswith("anthropic")]
assert len(loaded) < 80 and not [name for name in loaded if ".types." in name]
for module, function in _CALLED_LATE.items():
    assert getattr(sys.modules[module], function).__module__ == "glossator.llm.lazy_sdk"
response = httpx2.Response(429, request=httpx2.Request("POST", "http://x/v1/messages"))
error = client._make_status_error_from_response(response)
import anthropic
assert type(error) is anthropic.RateLimitError, error
for module, function in _CALLED_LATE.items():
    hasattr(sys.modules[module], "no_such_name")
    assert getattr(sys.modules[module], function).__module__ == module
"""
# What a package offers after everything was imported, as a description that survives a process.
NAMES = """
import importlib, json
asked = json.loads(sys.stdin.read() or "null")
packages = ["anthropic", "anthropic.types", "anthropic.types.beta", "anthropic.types.shared",
            "anthropic.resources", "anthropic.resources.messages", "anthropic.resources.beta",
            "anthropic.lib.streaming", "anthropic.lib.bedrock", "anthropic.lib.tools"]
def names(package):
    module = importlib.import_module(package)
    wanted = asked[package] if asked else vars(module)
    return {name: describe(getattr(module, name)) for name in wanted
            if name[:1] != "_" and name != "annotations" and name.isidentifier()}
def describe(value):
    return type(value).__name__, getattr(value, "__qualname__", getattr(value, "__name__", ""))
print(json.dumps({package: names(package) for package in packages}))
"""
BY_HAND = "import sys, anthropic\n"  # before our import: Python's own loader
THINNED = "import sys\nfrom glossator.llm.lazy_sdk import import_sdk\nimport_sdk()\n"


def run(program: str, fed: str = "") -> str:
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, input=fed, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_conversation_works_with_and_without_it() -> None:
    whole = int(run(BY_HAND + CONVERSATION))
    thinned = int(run(THINNED + CONVERSATION))
    assert thinned < whole / 2


def test_modules_for_refusals_and_traces_run_when_they_are_needed() -> None:
    run(THINNED + CALLED_LATE)


def test_names_lead_to_the_same_objects() -> None:
    run(THINNED + SAME_OBJECTS)


def test_every_public_name_is_there_and_means_the_same() -> None:
    whole = run(BY_HAND + NAMES)
    assert json.loads(run(THINNED + NAMES, whole)) == json.loads(whole)


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ('"""Words."""\nfrom .a import A as A, B\n__all__ = ["A"]', ""),
        ("from . import a", ""),
        ("import os", "import os"),
        ("from os import path", "from os import path"),
        ("from .a import A\nB = A", "B = A"),
        ("from .a import A\ndel A", "del A"),
        ("try:\n    from .a import A\nexcept ImportError:\n    A = None", "try:"),
        ("from .a import A\n__all__ = [A.name]", "__all__ = [A.name]"),
    ],
)
def test_only_packages_that_do_nothing_else_are_thinned(source: str, code: str) -> None:
    found = _read(ast.parse(source), set())[1]
    assert found.startswith(code)
    assert bool(found) == bool(code)
