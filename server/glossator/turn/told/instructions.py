"""Instruction files of a session: which count, and which the model was told of."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from functools import partial

import platformdirs

from glossator.application import Application, WorkspaceNow
from glossator.core.uri import home_of
from glossator.core.window import ContextKind
from glossator.sessions import INSTRUCTIONS, Run, Session
from glossator.turn.told.instruction_files import (
    InstructionFile,
    InstructionFinder,
    Instructions,
    instruction_reminders,
)
from glossator.turn.told.part import Telling

IN_PROMPT = "promptInstructions"  # as INSTRUCTIONS, of those in the system prompt
_NOT_SEEN = "instructionsNotSeen"  # what the user was told that the model does not see of them


async def instructions_now(
    app: Application, now: WorkspaceNow, touched: Iterable[str] = ()
) -> Instructions:
    """The files that count when a session begins: the user's, and those of a trusted workspace.

    `touched` are paths below whose folders such files count, too.
    """
    find = _finder(app, now).find
    return await asyncio.to_thread(find, trusted=now.trusted, touched=tuple(touched))


async def further_instructions(app: Application) -> Instructions:
    """With those of folders further down, which count once something below is shown."""
    await app.ready()
    now = app.now()
    return await instructions_now(app, now, await asyncio.to_thread(_finder(app, now).listed))


async def left_out_files(app: Application, now: WorkspaceNow) -> tuple[str, ...]:
    """Instruction files that do not count because the workspace is not trusted."""
    return () if now.trusted else await asyncio.to_thread(_finder(app, now).left_out)


def versions(files: Iterable[InstructionFile]) -> list[list[str]]:
    """Which files, and as they are now, for `IN_PROMPT` and `INSTRUCTIONS`."""
    return [[file.path, file.sha256] for file in files]


def _know(session: Session, files: Iterable[InstructionFile]) -> None:
    """The model was told of these files in a message."""
    if told := versions(files):
        session.keep(INSTRUCTIONS, told)


def not_seen_notice(session: Session, found: Instructions) -> str:
    """What the model does not see of the files, as far as the user was not told; or ""."""
    told = {each for entry in session.kept(_NOT_SEEN) for each in entry}
    new = [each for each in found.not_seen if each not in told]
    if not new:
        return ""
    session.keep(_NOT_SEEN, new)
    return f"Of the instruction files the model does not see all: {'; '.join(new)}."


async def new_instructions(
    app: Application, now: WorkspaceNow, session: Session, run: Run, attached: Iterable[str] = ()
) -> Telling:
    """What the model has to be told of files that count now, changed, or are gone.

    Those of a folder count once something below it was shown, or is `attached` (paths). The user is
    told what of them the model does not see.
    """
    finder = _finder(app, now)
    kept = (*session.kept(IN_PROMPT)[-1:], *session.kept(INSTRUCTIONS))
    told = {path: sha256 for files in kept for path, sha256 in files}
    shown = (*session.reads.paths(), *attached)

    def look() -> tuple[Instructions, tuple[InstructionFile, ...]]:
        found = finder.find(trusted=now.trusted, touched=shown)
        return found, _fresh(finder, found, told)

    found, fresh = await asyncio.to_thread(look)
    if notice := not_seen_notice(session, found):
        run.tell(notice)
    return Telling(instruction_reminders(fresh), partial(_know, session, fresh))


def _fresh(
    finder: InstructionFinder, found: Instructions, told: Mapping[str, str]
) -> tuple[InstructionFile, ...]:
    """The files that the model was not told of as they are now."""
    here = {file.path for file in found.files}
    gone = (path for path, sha256 in told.items() if sha256 and path not in here)
    return (
        *(file for file in found.files if told.get(file.path) != file.sha256),
        *(finder.gone(path) for path in gone if not finder.is_there(path)),
    )


def _finder(app: Application, now: WorkspaceNow) -> InstructionFinder:
    config = platformdirs.user_config_dir("glossator")
    home, off = home_of(app.environment), now.is_off(ContextKind.INSTRUCTIONS)
    return InstructionFinder(now.snapshot, home, config, now.hidden, off)
