"""Tool definitions and the choice among them."""

import re

from tests.standin.content import located_blocks
from tests.standin.errors import Refusal
from tests.standin.rules.call import Call
from tests.standin.signature import references

NAME = "^[a-zA-Z0-9_-]{1,64}$"


def tool_definitions(call: Call) -> None:
    """Names that fit the pattern and differ; input schemas that describe an object."""
    names = [(f"tools.{i}", tool.get("name")) for i, tool in enumerate(call.body.get("tools", []))]
    used = [(p, b["name"]) for p, _, b in located_blocks(call.body) if b["type"] == "tool_use"]
    for path, name in names + used:
        if name is not None and not re.fullmatch(NAME, name):
            raise Refusal(f"{path}.name: String should match pattern '{NAME}'")
    if len({name for _, name in names}) < len(names):
        raise Refusal("tools: Tool names must be unique.")
    for index, tool in enumerate(call.body.get("tools", [])):
        if "input_schema" in tool and tool["input_schema"].get("type") != "object":
            raise Refusal(f"tools.{index}.input_schema.type: Input should be 'object'")


def deferred_tools(call: Call) -> None:
    """Deferred tools: not all of them, behind no breakpoint, and what is referenced exists."""
    tools = call.body.get("tools", [])
    deferred = [(i, tool) for i, tool in enumerate(tools) if tool.get("defer_loading")]
    if tools and len(deferred) == len(tools):
        raise Refusal("tools: At least one tool must have defer_loading=false.")
    for index, tool in deferred:
        if tool.get("cache_control"):
            raise Refusal(
                f"tools.{index}: cache_control cannot be set together with defer_loading=true"
            )
    known = {tool.get("name") for tool in tools}
    for path, _, block in located_blocks(call.body):
        for name in references(block):
            if name not in known:
                raise Refusal(f"{path}: Tool reference '{name}' not found in available tools")


def tool_choice(call: Call) -> None:
    """Only with tools, and never forcing one."""
    choice = call.body.get("tool_choice")
    if choice is None:
        return
    if not call.body.get("tools"):
        raise Refusal("tool_choice: may only be specified while providing tools")
    if choice["type"] in {"any", "tool"}:
        raise Refusal(f"tool_choice.type: `{choice['type']}` is not supported; use `auto`")
