"""Texts in user messages that are not the user's words: what each is, by the prompt it is made of.

A prompt that goes into a user message is named here, so that it is neither shown nor kept by a
compaction as the user's words. A notice of the permission mode is put into a message when the mode
differs from the conversation's last notice; so notices survive a resume, a rewind and a compaction
without further state.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from glossator.core.context_kinds import Kind
from glossator.core.prompts import load_prompts
from glossator.llm import ContentBlock, Message

_MODES: Mapping[str, str] = {
    "plan": "user/mode_plan",
    "ask": "user/mode_ask",
    "acceptEdits": "user/mode_accept_edits",
    "auto": "user/mode_auto",
    "restricted": "user/mode_restricted",  # the editor does not trust the workspace
}
MODES = tuple(_MODES.values())

# What was cut from a text, by the notes that Glossator itself puts into it for the model.
_LISTING = re.compile(r"^\((Descriptions are .+|[\d,]+ more are there, .+)\.\)$", re.MULTILINE)
_EDITOR = re.compile(r"^(?:Open|Edited last): .*, (and more)$", re.MULTILINE)
_GIT = re.compile(r"^\[([\d,]+ more)\]$", re.MULTILINE)
_OUTPUT = re.compile(r"^\[cut here: (.+)\]$", re.MULTILINE)
_FILE = re.compile(r"^\[([\d,]+ more characters) were cut; read", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class OwnText:
    """What the texts of a prompt are, for people; the first value in a text stands for no `name`.

    Without a `why` they are there like all of their kind. `cut` finds what was left out.
    """

    kind: Kind
    name: str = ""
    why: str = ""
    cut: re.Pattern[str] | None = None


_REMINDER = OwnText(Kind.REMINDER, "reminders")
TEXTS: Mapping[str, OwnText] = {
    "compaction/head": OwnText(Kind.SUMMARY, "summary"),
    "compaction/summary": OwnText(Kind.SUMMARY, "summary"),
    "compaction/extract": OwnText(Kind.SUMMARY, "summary"),
    "compaction/said": OwnText(Kind.KEPT, "your words"),
    "compaction/failure": OwnText(Kind.KEPT, "failures"),
    "compaction/result": OwnText(Kind.KEPT, "results"),
    "compaction/answered": OwnText(Kind.KEPT, "results"),
    "compaction/image": _REMINDER,
    "compaction/state": OwnText(Kind.STATE, "state"),
    "grounding/synthesis": OwnText(
        Kind.REMINDER, "plan", "the results of the tasks, and the question again"
    ),
    "user/attachment": OwnText(Kind.ATTACHMENT),
    "user/findings": OwnText(Kind.ATTACHMENT),
    "user/folder": OwnText(Kind.ATTACHMENT),
    "user/folder_again": OwnText(Kind.ATTACHMENT),
    "user/image": OwnText(Kind.ATTACHMENT),
    "user/diagnostics": OwnText(Kind.ATTACHMENT, "diagnostics"),
    "user/terminal": OwnText(Kind.ATTACHMENT),
    "user/git_diff": OwnText(Kind.ATTACHMENT, "git diff", cut=_OUTPUT),
    "user/git_commit": OwnText(Kind.ATTACHMENT, cut=_OUTPUT),
    "grounding/facts": OwnText(Kind.FACT, "facts"),
    "grounding/facts_gone": OwnText(Kind.REMINDER, "facts", "facts that hold no more"),
    "user/editor_state": OwnText(
        Kind.REMINDER, "editor", "what it shows; context.ambient turns this off", cut=_EDITOR
    ),
    "user/git": OwnText(
        Kind.REMINDER, "git", "branch, changes and last commits as the session began", cut=_GIT
    ),
    "user/instructions": OwnText(Kind.INSTRUCTIONS, "instruction files", cut=_FILE),
    "user/memory": OwnText(Kind.MEMORY),
    "user/abandoned": OwnText(
        Kind.REMINDER, "abandoned question", "the question before has no answer"
    ),
    "user/agents": OwnText(
        Kind.REMINDER, "sub-agents", "the list of those that files describe", cut=_LISTING
    ),
    "user/skills": OwnText(
        Kind.REMINDER, "skills", "the list of those that the model may load", cut=_LISTING
    ),
    "user/clarified": _REMINDER,
    "user/command": OwnText(Kind.ATTACHMENT),
    "user/skill": OwnText(Kind.ATTACHMENT),
    "user/changed": OwnText(
        Kind.REMINDER, "changed files", "what changed in files that the model has read"
    ),
    "user/citations": _REMINDER,
    "user/hook": OwnText(Kind.REMINDER, "hooks", "what hooks that you set up or adopted add"),
    "user/hook_stop": OwnText(Kind.REMINDER, "hooks", "what hooks that you set up or adopted add"),
    "user/last_word": _REMINDER,
    "user/looked_at": _REMINDER,
    "user/mcp_connected": OwnText(
        Kind.REMINDER, "MCP servers", "tools that became available later"
    ),
    "user/mcp_instructions": _REMINDER,
    "user/mcp_prompt": OwnText(Kind.ATTACHMENT),
    "user/mcp_resource": OwnText(Kind.ATTACHMENT),
    "user/not_attached": _REMINDER,
    "user/refused": _REMINDER,
    "user/since": _REMINDER,
    "user/undone": OwnText(Kind.REMINDER, "undone", "what you took back"),
    **dict.fromkeys(MODES, OwnText(Kind.REMINDER, "mode", "what may be done without asking you")),
}


def prompt_of(text: str) -> str:
    """The prompt that a text in a user message is made of; "" for the user's own words."""
    return next((name for opening, name in _openings() if text.startswith(opening)), "")


@cache
def _openings() -> tuple[tuple[str, str], ...]:
    """How the texts of each prompt begin; the longest first, as some beginnings are the same."""
    openings = [(prompt.opening, name) for name, prompt in load_prompts(TEXTS).items()]
    return tuple(sorted(openings, key=lambda each: -len(each[0])))


def mode_notice(mode: str, told: Sequence[str]) -> str:
    """The notice of the mode for a conversation; "" if its last notice says the same mode.

    `told` are the texts in its user messages, oldest first.
    """
    text, notices = _notices()[_MODES[mode]], frozenset(_notices().values())
    last = next((each for each in reversed(told) if each in notices), "")
    return "" if last == text else text


def is_mode_notice(block: ContentBlock) -> bool:
    """Whether a block of a user message is a notice of the mode."""
    return block.get("text") in _notices().values()


@cache
def _notices() -> Mapping[str, str]:
    """The notices by the name of their prompt."""
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
