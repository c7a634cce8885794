"""Texts in user messages that are not the user's words: what each is, by the prompt it is made of.

A prompt that goes into a user message is named here, so that people are not told that they said
it, and a compaction does not keep it as their words. Of these texts a notice of the permission mode
stands in a message when the mode differs from the last notice in the conversation, so that notices
survive a resume, a rewind and a compaction without further state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from glossator.core.prompts import load_prompts
from glossator.core.window import Kind
from glossator.llm import ContentBlock, Message

_MODES: Mapping[str, str] = {
    "plan": "user/mode_plan",
    "ask": "user/mode_ask",
    "acceptEdits": "user/mode_accept_edits",
    "auto": "user/mode_auto",
    "restricted": "user/mode_restricted",  # the editor does not trust the workspace
}
MODES = tuple(_MODES.values())

TEXTS: Mapping[str, Kind] = {
    "compaction/head": Kind.SUMMARY,
    "compaction/summary": Kind.SUMMARY,
    "compaction/extract": Kind.SUMMARY,
    "compaction/said": Kind.KEPT,
    "compaction/failure": Kind.KEPT,
    "compaction/result": Kind.KEPT,
    "compaction/answered": Kind.KEPT,
    "compaction/image": Kind.REMINDER,
    "compaction/state": Kind.STATE,
    "grounding/synthesis": Kind.REMINDER,
    "user/attachment": Kind.ATTACHMENT,
    "user/findings": Kind.ATTACHMENT,
    "user/folder": Kind.ATTACHMENT,
    "user/folder_again": Kind.ATTACHMENT,
    "user/image": Kind.ATTACHMENT,
    "user/diagnostics": Kind.ATTACHMENT,
    "user/terminal": Kind.ATTACHMENT,
    "user/git_diff": Kind.ATTACHMENT,
    "user/git_commit": Kind.ATTACHMENT,
    "grounding/facts": Kind.FACT,
    "grounding/facts_gone": Kind.REMINDER,
    "user/editor_state": Kind.REMINDER,
    "user/git": Kind.REMINDER,
    "user/instructions": Kind.INSTRUCTIONS,
    "user/memory": Kind.MEMORY,
    "user/abandoned": Kind.REMINDER,
    "user/agents": Kind.REMINDER,
    "user/skills": Kind.REMINDER,
    "user/clarified": Kind.REMINDER,
    "user/command": Kind.ATTACHMENT,
    "user/skill": Kind.ATTACHMENT,
    "user/changed": Kind.REMINDER,
    "user/citations": Kind.REMINDER,
    "user/hook": Kind.REMINDER,
    "user/hook_stop": Kind.REMINDER,
    "user/last_word": Kind.REMINDER,
    "user/looked_at": Kind.REMINDER,
    "user/mcp_connected": Kind.REMINDER,
    "user/mcp_instructions": Kind.REMINDER,
    "user/mcp_prompt": Kind.ATTACHMENT,
    "user/mcp_resource": Kind.ATTACHMENT,
    "user/not_attached": Kind.REMINDER,
    "user/refused": Kind.REMINDER,
    "user/since": Kind.REMINDER,
    "user/undone": Kind.REMINDER,
    **dict.fromkeys(MODES, Kind.REMINDER),
}


def prompt_of(text: str) -> str:
    """The name of the prompt that a text in a user message is made of; "" for the user's words."""
    return next((name for opening, name in _openings() if text.startswith(opening)), "")


@cache
def _openings() -> tuple[tuple[str, str], ...]:
    """What each text begins with, and its prompt; the longest first, as some share a beginning."""
    openings = [(prompt.opening, name) for name, prompt in load_prompts(TEXTS).items()]
    return tuple(sorted(openings, key=lambda each: -len(each[0])))


def mode_notice(mode: str, messages: Sequence[Message]) -> str:
    """The notice of the mode for a conversation; "" if its last notice says the same."""
    text = _notices()[_MODES[mode]]
    return "" if _last_notice(messages) == text else text


def is_mode_notice(block: ContentBlock) -> bool:
    """Whether a block of a user message is a notice of the mode."""
    return block.get("text") in _notices().values()


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
def _notices() -> Mapping[str, str]:
    """The notices, by prompt."""
    return {name: prompt.render() for name, prompt in load_prompts(MODES).items()}


def words_of_user(messages: Sequence[Message]) -> tuple[str, ...]:
    """The user's words in these messages."""
    return tuple(
        block["text"]
        for message in messages
        for block in message["content"]
        if message["role"] == "user"
        and block.get("type") == "text"
        and not prompt_of(block["text"])
    )
