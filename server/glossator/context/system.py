"""The system prompt, which is frozen per session, and notices of the permission mode.

A message says which mode holds when it differs from the last notice in the conversation. So the
notices survive a resume, a rewind and a compaction without further state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from glossator.context.instructions import Instructions
from glossator.core.prompts import load_prompt, load_prompts
from glossator.core.shown import shown
from glossator.llm import ContentBlock, Message
from glossator.workspace import WorkspaceSnapshot

_PROMPTS: Mapping[str, str] = {
    "plan": "user/mode_plan",
    "ask": "user/mode_ask",
    "acceptEdits": "user/mode_accept_edits",
    "auto": "user/mode_auto",
    "restricted": "user/mode_restricted",  # the editor does not trust the workspace
}
PROMPTS = tuple(_PROMPTS.values())
SECTIONS_APART = "\n\n"


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the system prompt's second block; all but the text is for people.

    `cut` says what was left out of it, "" for nothing.
    """

    name: str
    text: str
    why: str
    cut: str = ""


def system_blocks(
    sections: Sequence[Section], shared_prompt: str = "system/static"
) -> tuple[str, ...]:
    """The two blocks; the first is equal for every user and project."""
    return load_prompt(shared_prompt).render(), SECTIONS_APART.join(each.text for each in sections)


def session_section(snapshot: WorkspaceSnapshot, facts: str) -> Section:
    """The workspace's folders, and facts about the session in lines."""
    roots = "\n".join(f"- {shown(root)}" for root in snapshot.roots) or "- (no folder is open)"
    text = load_prompt("system/session").render(roots=roots, facts=facts)
    return Section("this session", text, "the workspace and where you work; of this session")


def language_section(language: str) -> Section:
    """The language that the user wants to be written to in."""
    text = load_prompt("system/language").render(language=language)
    return Section("language", text, "your setting context.language")


def profile_section(role: str, persona: str, rules: Sequence[str]) -> Section | None:
    """Who the user wants to be answered by; None if they do not say."""
    words = (role and f"You are {role.strip()}", persona.strip(), *(f"- {rule}" for rule in rules))
    profile = "\n".join(filter(None, words))
    if not profile:
        return None
    text = load_prompt("system/profile").render(profile=profile)
    return Section("profile", text, "your settings profile.role, profile.persona, profile.rules")


def instruction_sections(found: Instructions) -> tuple[Section, ...]:
    """A section for each instruction file, the first below the heading of them all."""
    sections: list[Section] = []
    for file in found.files:
        text = file.rendered()
        if not sections:
            text = load_prompt("system/instructions").render(files=text)
        cut = f"{file.cut:,} characters of it" if file.cut else ""
        why = f"an instruction file, {file.origin}"
        sections.append(Section(file.name, text, why, cut))
    return tuple(sections)


def mode_notice(mode: str, messages: Sequence[Message]) -> str:
    """The notice of the mode for a conversation; "" if its last notice says the same."""
    text = _notices()[_PROMPTS[mode]]
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
    return {name: prompt.render() for name, prompt in load_prompts(PROMPTS).items()}
