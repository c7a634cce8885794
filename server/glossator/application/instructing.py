"""Instruction files of a session: which count, and which the model was told of."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace

import platformdirs

from glossator.application.application import Application
from glossator.context import InstructionFinder, Instructions, instructions_reminder
from glossator.sessions import INSTRUCTIONS, Session

_IN_PROMPT = "promptInstructions"  # as INSTRUCTIONS, of those in the system prompt


async def instructions_now(app: Application, touched: Iterable[str] = ()) -> Instructions:
    """The files that count: the user's, and those of a trusted workspace.

    `touched` are paths below whose folders such files count, too.
    """
    trusted, finder = app.acting.trust.is_trusted, _finder(app)
    return await asyncio.to_thread(finder.find, trusted=trusted, touched=tuple(touched))


async def left_out_files(app: Application) -> tuple[str, ...]:
    """Instruction files that do not count because the workspace is not trusted."""
    if app.acting.trust.is_trusted:
        return ()
    return await asyncio.to_thread(_finder(app).left_out)


def know_instructions(
    session: Session, instructions: Instructions, *, in_prompt: bool = False
) -> None:
    """The model is told of these files, in the system prompt or in a message."""
    told = [[file.path, file.sha256] for file in instructions.files]
    if in_prompt or told:
        session.keep(_IN_PROMPT if in_prompt else INSTRUCTIONS, told)


async def new_instructions(app: Application, session: Session) -> str:
    """What the model has to be told of files that count now, or changed; "" if there is nothing.

    Those of a folder count once something below it was shown.
    """
    found = await instructions_now(app, session.reads.paths())
    kept = (*session.kept(_IN_PROMPT)[-1:], *session.kept(INSTRUCTIONS))
    told = {path: sha256 for files in kept for path, sha256 in files}
    fresh = tuple(file for file in found.files if told.get(file.path) != file.sha256)
    if not fresh:
        return ""
    known = replace(found, files=fresh)
    know_instructions(session, known)
    return instructions_reminder(known)


def _finder(app: Application) -> InstructionFinder:
    home = app.environment.get("HOME") or app.environment.get("USERPROFILE")
    config = platformdirs.user_config_dir("glossator")
    return InstructionFinder(app.host.snapshot(), home, config, app.acting.hidden())
