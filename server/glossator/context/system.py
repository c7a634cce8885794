"""The system prompt, which is frozen per session, and notices of the permission mode.

A message says which mode holds when it differs from the last notice in the conversation. So the
notices survive a resume, a rewind and a compaction without further state.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache

from glossator.core.citations import fences
from glossator.documents import WorkspaceSnapshot
from glossator.llm import ContentBlock, Message
from glossator.prompts import load_prompt

_PROMPTS: Mapping[str, str] = {
    "plan": "user/mode_plan",
    "ask": "user/mode_ask",
    "acceptEdits": "user/mode_accept_edits",
    "auto": "user/mode_auto",
    "restricted": "user/mode_restricted",  # the editor does not trust the workspace
}
PROMPTS = tuple(_PROMPTS.values())

_PLAN = re.compile(  # a heading, or bold words that head what follows
    r"^ {0,3}(?:#{1,6}\s+|\*\*)(?:[\d.)]+\s+)?(?:(?!(?:why|how|what|no|without)\b)[\w-]+ ){0,3}"
    r"plan[ \t]*(?:$|\*\*(?::|[ \t]*$)|[:#.,(\u2013\u2014-]|(?:for|of|to)\b)",
    re.IGNORECASE | re.MULTILINE,
)


def system_blocks(
    snapshot: WorkspaceSnapshot, today: date, shared_prompt: str = "system/static"
) -> tuple[str, ...]:
    """The two blocks; the first is equal for every user and project."""
    shared = load_prompt(shared_prompt).render()
    roots = "\n".join(f"- {root}" for root in snapshot.roots) or "- (no folder is open)"
    session = load_prompt("system/session").render(
        roots=roots, platform=platform.system(), date=today.isoformat()
    )
    return shared, session


def mode_notice(mode: str, messages: Sequence[Message]) -> str:
    """The notice of the mode for a conversation; "" if its last notice says the same."""
    text = load_prompt(_PROMPTS[mode]).render()
    return "" if _last_notice(messages) == text else text


def ends_in_plan(answer: str) -> bool:
    """Whether an answer has a section with a plan, as `user/mode_plan` demands."""
    quoted = fences(answer)
    return any(
        not any(start <= found.start() < end for start, end in quoted)
        for found in _PLAN.finditer(answer)
    )


def is_mode_notice(block: ContentBlock) -> bool:
    """Whether a block of a user message is a notice of the mode."""
    return block.get("text") in _notices()


def _last_notice(messages: Sequence[Message]) -> str:
    notices = (
        str(block["text"])
        for message in reversed(messages)
        if message["role"] == "user"
        for block in reversed(message["content"])
        if is_mode_notice(block)
    )
    return next(notices, "")


@cache
def _notices() -> frozenset[str]:
    return frozenset(load_prompt(name).render() for name in PROMPTS)
