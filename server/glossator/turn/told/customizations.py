"""Customizations in conversations: listings, skills that the model loads, and `/name`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from glossator.application import Application, Explore, WorkspaceNow
from glossator.core.attached import Exhibit
from glossator.core.errors import UsageError
from glossator.core.looks import look
from glossator.core.prompts import load_prompt
from glossator.core.shown import in_tags, shown, shown_prose, shown_text, some_of
from glossator.customizations import (
    CustomizationKind,
    Customizations,
    CustomizationState,
    Rendered,
    Skill,
    Skills,
    SkillTool,
    listing,
    read_skill_file,
    render,
    skill_files,
)
from glossator.llm import ToolSpec
from glossator.sessions import Session

_TYPED = re.compile(r"/(?P<word>[^\W_][\w.:-]*)(?:\s+(?P<arguments>.*))?", re.DOTALL)
OWNERS = {"user": "user's own", "project": "project in this workspace"}
_MAX_NAMED_COMMANDS = 3  # commands that were not run, in a notice


async def customizations_now(app: Application, now: WorkspaceNow) -> Customizations:
    """The customizations that count; the workspace's only where it is known to be trusted."""
    off = frozenset[str]().union(*(now.off.get(kind, ()) for kind in CustomizationKind))
    load = app.customization_files.load
    return await look(load, now.snapshot, now.hidden, trusted=now.trusted, off=off)


async def customization_notices(
    app: Application, session: Session, found: Customizations | None
) -> tuple[str, ...]:
    """The lists of sub-agents and skills that the conversation lacks, if its tools can use them.

    It lacks them when it begins, and after a compaction. `found` are the customizations, if known.
    """
    wanted = [name for name in _used_by(session.tools) if not _has(session, name)]
    if not wanted:
        return ()
    found = found or await customizations_now(app, app.now())
    lists = {
        "user/agents": {each.name: each.description for each in found.agents.values()},
        "user/skills": {e.name: e.description for e in found.skills.values() if e.by_model},
    }
    return tuple(
        load_prompt(name).render(listing=in_tags(listing(lists[name])))
        for name in wanted
        if lists[name]
    )


def _used_by(tools: Iterable[ToolSpec]) -> Iterator[str]:
    for tool in tools:
        if tool.name == Explore.name and "agent" in tool.input_schema.get("properties", {}):
            yield "user/agents"
        if tool.name == SkillTool.name:
            yield "user/skills"


def _has(session: Session, prompt: str) -> bool:
    return session.conversation.was_told(load_prompt(prompt).opening)


@dataclass(frozen=True, slots=True)
class Expansion:
    """What a question that begins with `/name` stands for; empty if no file describes that.

    Mentions in `mentioning` count as the question's own. `notice` is for the user.
    """

    parts: tuple[Exhibit, ...] = ()
    mentioning: str = ""
    notice: str = ""


async def expand(app: Application, question: str, built_in: frozenset[str]) -> Expansion:
    """The command or skill that the question names; words that are `built_in` name none."""
    typed = _TYPED.fullmatch(question.strip())
    if typed is None or typed["word"] in built_in:
        return Expansion()
    word, arguments = typed["word"], typed["arguments"] or ""
    found = await customizations_now(app, app.now())
    called = found.called(word)
    if called is None:
        return Expansion(notice=_why_not(found, word))
    if isinstance(called, Skill):
        text, rendered = await _loaded(app, called, arguments)
        return Expansion((Exhibit(text, f"/{word}"),), notice=_not_run(word, rendered))
    rendered = await asyncio.to_thread(render, called.body, arguments)
    text = load_prompt("user/command").render(
        name=word, owner=OWNERS[called.owner], text=in_tags(rendered.text)
    )
    return Expansion((Exhibit(text, f"/{word}"),), rendered.text, _not_run(word, rendered))


class LoadedSkills(Skills):
    """The skills of a conversation, read from their files as they are now."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def load(self, name: str, arguments: str) -> str:
        """The text of a skill that the model may load. Raises `UsageError`."""
        skill = await self._skill(name)
        if not skill.by_model:
            raise UsageError(
                f"Only the user loads the skill {name}, by typing /{name}.\n"
                "Go on without it, or ask the user."
            )
        return (await _loaded(self._app, skill, arguments))[0]

    async def read(self, name: str, file: str, first_line: int) -> str:
        """Part of a file in a skill's folder. Raises `UsageError`."""
        skill, app = await self._skill(name), self._app
        snapshot, hidden = app.host.snapshot(), app.acting.hidden()
        text = await asyncio.to_thread(read_skill_file, skill, file, first_line, snapshot, hidden)
        return in_tags(shown_prose(text))

    async def _skill(self, name: str) -> Skill:
        skills = (await customizations_now(self._app, self._app.now())).skills
        if name not in skills:
            known = some_of([each.name for each in skills.values() if each.by_model], 20) or "none"
            raise UsageError(
                f"There is no skill {shown(name)}; there are: {known}.\nChoose one, or go on"
                " without."
            )
        return skills[name]


async def _loaded(app: Application, skill: Skill, arguments: str) -> tuple[str, Rendered]:
    snapshot, hidden = app.host.snapshot(), app.acting.hidden()

    def work() -> tuple[str, Rendered]:
        rendered = render(skill.body, arguments, skill.folder)
        names = ", ".join(map(shown, skill_files(skill, snapshot, hidden)))
        files = f"Files of its folder, which Skill reads with `file`: {names}" if names else ""
        prompt = load_prompt("user/skill")
        text = prompt.render(
            name=skill.name,
            owner=OWNERS[skill.owner],
            text=in_tags(rendered.text),
            files=files,
        )
        return text.rstrip(), rendered

    return await asyncio.to_thread(work)


def _why_not(found: Customizations, word: str) -> str:
    """Why a file's `/word` cannot be used, if there is such a file."""
    kinds = {CustomizationKind.SKILL, CustomizationKind.COMMAND}
    for each in found.listed:
        if each.name == word and each.kind in kinds and each.state is not CustomizationState.ON:
            return f"/{word} is sent as you typed it. {each.why}"
    return ""


def _not_run(word: str, rendered: Rendered) -> str:
    """What the user is told about commands that other agents would have run."""
    if not rendered.not_run:
        return ""
    commands = some_of([f"`{shown_text(each)}`" for each in rendered.not_run], _MAX_NAMED_COMMANDS)
    return (
        f"/{word} names commands to run before it is sent; they were not run: {commands}. The"
        " model may run them, and asks as for any other."
    )
