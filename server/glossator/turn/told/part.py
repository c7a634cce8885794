"""Gathers what goes with a question, in parallel; a part that fails never fails the question.

A part that fails or is late is left out, and the user is told.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from glossator.core.errors import GlossatorError

logger = logging.getLogger(__name__)

SECONDS = 3.0  # for each part

_Part = TypeVar("_Part")


@dataclass(frozen=True, slots=True)
class Telling:
    """Texts for the next message.

    They count as told when `sent` is called. Call it once the message holds them, and await nothing
    in between.
    """

    texts: tuple[str, ...] = ()
    sent: Callable[[], object] = lambda: None


async def in_time(
    what: str, part: Awaitable[_Part], nothing: _Part, tell: Callable[[str], object]
) -> _Part:
    """The part, or `nothing` if it fails or is late; `tell` is then called with the reason.

    `what` names the part in the plural, at the beginning of a sentence.
    """
    try:
        async with asyncio.timeout(SECONDS):
            (got,) = await asyncio.gather(part, return_exceptions=True)
    except TimeoutError:
        why = f"they were not there within {SECONDS:g} s"
    else:
        if not isinstance(got, BaseException):
            return got
        why = str(got)
        if not isinstance(got, GlossatorError | OSError):  # of ours: the question is answered
            logger.error("%s failed", what, exc_info=got)
            why = f"it failed inside Glossator: {got!r}"
    tell(f"{what} did not go with the question: {why.removesuffix('.')}.")
    return nothing
