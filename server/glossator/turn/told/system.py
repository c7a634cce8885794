"""The system prompt, section by section; it is frozen with the first question of a session."""

from __future__ import annotations

from collections.abc import Sequence

from glossator.core.prompts import load_prompt
from glossator.core.shown import shown
from glossator.sessions import Section
from glossator.turn.told.instruction_files import Instructions
from glossator.workspace import WorkspaceSnapshot

SECTIONS_APART = "\n\n"


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
