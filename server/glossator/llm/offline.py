"""The offline model: answers with extracts, deterministically, without a provider.

It runs in the same loop as any model: it searches for the words of the question, looks up the names
in it, looks for what a word with a slip may mean, reads the best places, and quotes them with
citations (`offline_answer.py`). It understands nothing, and every answer says so: lines are quoted
and counted, and what was not found is named.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Collection
from difflib import get_close_matches

from glossator.core.events import Usage
from glossator.core.file_kinds import FileKind, kind_of
from glossator.core.span import StatementsOf, no_statements
from glossator.core.terms import identifiers, query_terms
from glossator.llm.model import (
    ContentBlock,
    Message,
    ModelEvent,
    ModelRequest,
    Reply,
    StopReason,
    TextPiece,
    ToolCall,
)
from glossator.llm.offline_answer import best_definitions, by_worth, compose, looked_up_names
from glossator.llm.offline_view import (
    ALIKE,
    Names,
    ReadableLines,
    View,
    names_of,
    slips_of,
    view,
    without_joining_words,
)

_HITS = 12  # asked of Search,
_MAX_PLACES = 8  # of which so many are read
_MAX_NAMES = 2  # that are looked up
_MAX_SLIPS = 2  # words in no file that are looked for with a slip
_PROSE = "*.{md,markdown,rst,adoc,txt}"
_PROSE_HITS = 2
_ABOVE, _BELOW = 25, 8  # lines read around a place: comments, the end of a statement
_READ_LINES = 220


class OfflineModel:
    """Implements `Model` without a provider; `statements_of` tells where extracts may be cut."""

    id = "offline"
    offline = True
    window = 1_000_000  # it has no window
    images = False

    def __init__(self, statements_of: StatementsOf = no_statements) -> None:
        self._statements_of = statements_of

    async def prepare(self) -> None:
        """Nothing to prepare."""

    async def measure(self) -> None:
        """Nothing to measure."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """The next step: search, read, or the answer."""
        seen = view(request.messages)
        available = {tool.name for tool in request.tools}
        calls = [call for call in _next_calls(seen, available) if call.name in available]
        if calls:
            yield _reply("", calls)
            return
        label, *found = await compose(seen, self._statements_of)
        paragraphs = [label, *seen.remembered, *found]
        for paragraph in paragraphs:
            yield TextPiece(f"{paragraph}\n\n")
        yield _reply("\n\n".join(paragraphs), [])

    async def close(self) -> None:
        """Nothing to close."""


def _next_calls(seen: View, available: Collection[str]) -> list[ToolCall]:
    if seen.ending:
        return []
    about: dict[int, str] = {}
    if not seen.calls:
        arguments = _searches(seen)
    elif seen.has_read:
        arguments = []
    elif "Grep" in available and (slips := _slips(seen)):
        arguments = [("Grep", _like(word)) for word in slips]
        about = {number: f"like “{word}”" for number, word in enumerate(slips)}
    elif seen.searches == 1 and any(seen.respelled.values()):
        arguments = [("Search", {"query": seen.meant, "limit": _HITS})]
    elif names := _similar(seen):
        arguments = [call for name in names for call in _look_up(name)]
    else:
        arguments = [
            ("Read", {"path": place.path, "offset": place.first_line, "limit": _lines(place)})
            for place in _choose(seen)
        ]
    return [
        ToolCall(f"offline_{seen.turn}_{seen.calls + number}", name, values, about.get(number, ""))
        for number, (name, values) in enumerate(arguments)
    ]


def _lines(place: ReadableLines) -> int:
    return place.last_line - place.first_line + 1


def _searches(seen: View) -> list[tuple[str, ContentBlock]]:
    asked = Names(seen.attached_names, ()) if seen.attached_names else names_of(seen.question)
    query = " ".join(seen.attached_names) or without_joining_words(seen.question)
    searches: list[tuple[str, ContentBlock]] = []
    if query_terms(query):
        searches.append(("Search", {"query": query, "limit": _HITS}))
    names = (*asked.sure, *asked.perhaps)[:_MAX_NAMES]
    for name in names:
        searches += _look_up(name)
    if names:
        values = {"query": " ".join(names), "glob": _PROSE, "limit": _PROSE_HITS}
        searches.append(("Search", values))
    return searches


def _look_up(name: str) -> list[tuple[str, ContentBlock]]:
    return [("Symbols", {"mode": mode, "name": name}) for mode in ("definitions", "callers")]


def _slips(seen: View) -> list[str]:
    """Words in no file that may be meant for others; names have `_similar`."""
    names = identifiers(seen.question)
    words = (word for word in seen.absent if word not in names and word not in seen.respelled)
    found = filter(slips_of, sorted(words, key=len, reverse=True))
    return list(found)[: _MAX_SLIPS - len(seen.respelled)]


def _like(word: str) -> ContentBlock:
    return {"pattern": slips_of(word), "output_mode": "content", "ignore_case": True}


def _similar(seen: View) -> list[str]:
    """What to look up instead of undefined names: a similar name, or the last part."""
    if any(seen.definitions.values()):
        return []
    instead: list[str] = []
    for name in names_of(seen.question).sure:
        last = re.split(r"\W", name)[-1]
        alike = get_close_matches(last, seen.near.get(name, ()), 1, ALIKE)
        instead += alike or [last]
    return [name for name in instead if name not in seen.asked][:1]


def _choose(seen: View) -> list[ReadableLines]:
    """The definitions of the names, then the best places: code before tests and changelogs."""
    defined = [
        found.place for name in looked_up_names(seen) for found in best_definitions(seen, name)
    ]
    chosen: list[ReadableLines] = []
    room = _MAX_PLACES + len(defined)
    for place in (*defined, *by_worth(seen)):
        if len(chosen) < room and not any(place.overlaps(other) for other in chosen):
            chosen.append(place)
    prose = [place for place in seen.prose if kind_of(place.path) is FileKind.PROSE]
    return [_widened(place) for place in dict.fromkeys((*chosen, *prose))]


def _widened(place: ReadableLines) -> ReadableLines:
    first = max(1, place.first_line - _ABOVE)
    return ReadableLines(place.path, first, min(place.last_line + _BELOW, first + _READ_LINES - 1))


def _reply(text: str, calls: list[ToolCall]) -> Reply:
    content: list[ContentBlock] = [{"type": "text", "text": text}] if text else []
    content += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
        for call in calls
    ]
    stop = StopReason.TOOL_USE if calls else StopReason.END_TURN
    message: Message = {"role": "assistant", "content": content}
    return Reply(message, stop, Usage(), text, tuple(calls), dollars=0.0)
