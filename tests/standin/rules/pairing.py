"""Tool calls and their results: each call answered once, at once and first."""

import re
from collections import Counter
from itertools import pairwise

from tests.standin.content import merged_turns
from tests.standin.errors import Refusal
from tests.standin.issued import tools_hash
from tests.standin.rules.call import Call, Located, unanswered_server_calls

ID = "^[a-zA-Z0-9_-]+$"


def unique_calls(call: Call) -> None:
    """Tool calls' ids fit the pattern, and none occurs twice."""
    seen: set[str] = set()
    for _, blocks in merged_turns(call.body):
        for path, block in blocks:
            if block["type"] == "tool_use":
                if not re.fullmatch(ID, block["id"]):
                    raise Refusal(f"{path}.id: String should match pattern '{ID}'")
                if block["id"] in seen:
                    raise Refusal(f"{path}.id: `tool_use` ids must be unique")
                seen.add(block["id"])


def results_answer_calls(call: Call) -> None:
    """The user turn after tool calls begins with exactly one result for each of them."""
    turns = merged_turns(call.body)
    for (_, before), (role, blocks) in pairwise([("", []), *turns]):
        asked = [block["id"] for _, block in before if block["type"] == "tool_use"]
        results = [(path, block) for path, block in blocks if block["type"] == "tool_result"]
        if role == "user":
            _no_strays(asked, results)
            _results_first(blocks)
        given = {block["tool_use_id"] for _, block in results}
        missing = [id_ for id_ in asked if id_ not in given]
        if missing:
            raise Refusal(
                f"{blocks[0][0]}: `tool_use` ids were found without `tool_result` blocks "
                f"immediately after: {', '.join(missing)}. Each `tool_use` block must have a "
                "corresponding `tool_result` block in the next message."
            )


def server_calls_left_open(call: Call) -> None:
    """While a `server_tool_use` is unanswered, only tool results come back, with the same tools."""
    turns = merged_turns(call.body)
    for (_, before), (role, blocks) in pairwise(turns):
        for id_ in unanswered_server_calls(before) if role == "user" else ():
            other = [path for path, block in blocks if block["type"] != "tool_result"]
            if other:
                raise Refusal(f"{other[0]}: only `tool_result` blocks may follow the open {id_}")
            sent = call.issued.sent_with(id_)
            if sent is not None and sent.tools != tools_hash(call.body):
                raise Refusal(f"tools: must stay the same while {id_} is unanswered")


def _no_strays(asked: list[str], results: list[Located]) -> None:
    for path, block in results:
        if block["tool_use_id"] not in asked:
            raise Refusal(
                f"{path}: unexpected `tool_use_id` found in `tool_result` blocks: "
                f"{block['tool_use_id']}. Each `tool_result` block must have a corresponding "
                "`tool_use` block in the previous message."
            )
    for id_, times in Counter(block["tool_use_id"] for _, block in results).items():
        if times > 1:
            raise Refusal(f"each `tool_use` must have a single result; {id_} has {times}")


def _results_first(blocks: list[Located]) -> None:
    other = False
    for path, block in blocks:
        if block["type"] == "tool_result" and other:
            raise Refusal(f"{path}: `tool_result` blocks must come before all other content")
        other = other or block["type"] != "tool_result"
