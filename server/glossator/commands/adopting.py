"""The question whether something that the workspace asks for may run, be it a hook or a server."""

from __future__ import annotations

from collections.abc import Iterable

from glossator.application import Application
from glossator.core.question import Option, Question
from glossator.core.shown import some_of

_ADOPT = Option("Adopt it", "It runs from now on, until anything of this changes.")
_NOT = Option("Do not run it")
_MOST_FILES = 10  # that are named


async def may_run(app: Application, *lines: str) -> bool:
    """Ask the user, who is shown the lines that are not empty."""
    question = Question("\n".join(filter(None, lines)), (_ADOPT, _NOT), refusal=_NOT.label)
    return _ADOPT.label in (await app.port.ask_user(question)).chosen


def watched(app: Application, files: Iterable[str]) -> str:
    """Which files an adoption is of, as sentences."""
    names = some_of([app.host.snapshot().relative(each) for each in files], _MOST_FILES)
    if not names:
        return "No file of the workspace is watched for changes: what it uses may change unasked."
    return (
        f"If one of these files changes, you are asked again: {names}. Other files that it uses"
        " may change unasked."
    )
