"""Gathers what goes with a question, in parallel; a part that fails never fails the question.

A part that fails or is late is left out, and the user is told.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from glossator.core.errors import GlossatorError

logger = logging.getLogger(__name__)

SECONDS = 3.0  # for each part
AT_LAST = ""  # instead of the name of a part: it is made when all others are there

_Got = TypeVar("_Got")


@dataclass(frozen=True, slots=True)
class Telling:
    """Texts for the next message.

    They count as told when `sent` is called. Call it once the message holds them, and await nothing
    in between.
    """

    texts: tuple[str, ...] = ()
    sent: Callable[[], object] = lambda: None


@dataclass(frozen=True, slots=True)
class ToldPart:
    """One thing to tell; `what` names it in the plural, at the beginning of a sentence.

    A part that is `AT_LAST` is made when all others are there. It is never left out: it is waited
    for, and its errors are the question's.
    """

    what: str
    make: Callable[[], Awaitable[Telling]]


async def gathered(parts: Sequence[ToldPart], tell: Callable[[str], object]) -> tuple[Telling, ...]:
    """What each part tells, in their order; see `in_time` and `ToldPart`."""
    named = [in_time(each.what, each.make, Telling(), tell) for each in parts if each.what]
    found = iter(await asyncio.gather(*named))
    return tuple([next(found) if each.what else await each.make() for each in parts])


async def in_time(
    what: str, part: Callable[[], Awaitable[_Got]], nothing: _Got, tell: Callable[[str], object]
) -> _Got:
    """The part, or `nothing` if it fails or takes too long; `tell` is then called with why.

    `what` names the part in the plural, at the beginning of a sentence.
    """
    try:
        async with asyncio.timeout(SECONDS):
            (got,) = await asyncio.gather(part(), return_exceptions=True)
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
