"""The offline model: answers with extracts, deterministically, without a provider.

It runs in the same loop as any model: it searches for the words of the question, reads the best
places, and quotes them with citations. It understands nothing, and every answer says so.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from glossator.core.events import Usage
from glossator.core.file_kinds import weigh_by_kind
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
from glossator.llm.offline_view import (
    Candidate,
    Extract,
    View,
    best_extract,
    code_fence,
    is_comment,
    shared,
    view,
)

_LABEL = "**Offline, extractive.** No model was asked."
_UNSEEN = "The attached images were not looked at: only a model sees them."
_PLACES = 6  # that are read
_EXTRACTS = 4  # that are shown
_PLACES_OF_A_FILE = 2
_NAMES = 3
_GREP_LINES = 20
_READ_LINES = 180


class OfflineModel:
    """Implements `Model` without a provider."""

    id = "offline"
    offline = True
    window = 1_000_000  # it has no window
    images = False

    async def prepare(self) -> None:
        """Nothing to prepare."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """The next step: search, read, or the answer."""
        seen = view(request.messages)
        available = {tool.name for tool in request.tools}
        calls = [call for call in _next_calls(seen) if call.name in available]
        if calls:
            yield _reply("", calls)
            return
        paragraphs = _answer(seen)
        for paragraph in paragraphs:
            yield TextPiece(f"{paragraph}\n\n")
        yield _reply("\n\n".join(paragraphs), [])

    async def close(self) -> None:
        """Nothing to close."""


def _next_calls(seen: View) -> list[ToolCall]:
    if seen.ending:
        return []
    step = len(seen.results)
    if not seen.results:
        arguments = _searches(seen)
    elif not seen.has_read:
        arguments = [
            ("Read", {"path": place.path, "offset": place.first_line, "limit": place.lines})
            for place in _choose(seen)
        ]
    else:
        arguments = []
    return [
        ToolCall(f"offline_{seen.turn}_{step + number}", name, values)
        for number, (name, values) in enumerate(arguments)
    ]


def _searches(seen: View) -> list[tuple[str, ContentBlock]]:
    names = seen.attached_names or identifiers(seen.question)
    query = " ".join(names) if seen.attached_names else seen.question
    searches: list[tuple[str, ContentBlock]] = []
    if query_terms(query):
        searches.append(("Search", {"query": query, "limit": 8}))
    for name in names[:_NAMES]:
        values = {"pattern": rf"\b{name}\b", "output_mode": "content", "head_limit": _GREP_LINES}
        searches.append(("Grep", values))
    if words := [term for term in query_terms(query) if term.isalnum()][:_NAMES]:
        searches.append(("Glob", {"pattern": f"*{{{','.join(words)}}}*"}))
    return searches


def _choose(seen: View) -> list[Candidate]:
    """The best places, code before tests and changelogs, from several files."""
    by_kind = weigh_by_kind(seen.question)
    defining = {place.path for place in seen.places if place.defines}

    def weigh(place: Candidate) -> float:
        return 1.0 if place.path in defining else by_kind(place.path)

    chosen: list[Candidate] = []
    for place in sorted(seen.places, key=lambda place: -weigh(place)):
        of_file = sum(place.path == other.path for other in chosen)
        shown = any(place.overlaps(other) for other in chosen)
        if of_file < _PLACES_OF_A_FILE and not shown:
            chosen.append(place.capped(_READ_LINES))
        if len(chosen) == _PLACES:
            break
    return chosen


def _answer(seen: View) -> list[str]:
    label = f"{_LABEL} {_UNSEEN}" if seen.images else _LABEL
    names = " ".join(seen.attached_names)
    terms = query_terms(names or seen.question)
    attached = ((extract,) for extract in seen.attached)
    found = (best_extract(stretches, terms) for stretches in (*attached, *seen.reads))
    extracts: list[Extract] = []
    for extract in found:
        if not any(extract.overlaps(other) for other in extracts):
            extracts.append(extract)
    if not extracts:
        unsearched = (
            "There was no tool to look with." if terms else "There was no word to look for."
        )
        return [label, f"Nothing was found. {next(iter(seen.failures), unsearched)}"]
    chosen = "These lines share the most words with the question."
    most = max(shared(extract, terms) for extract in extracts)
    telling = [extract for extract in extracts if 2 * shared(extract, terms) >= most]
    places = [at for number, at in enumerate(telling) if not _repeats_comment(at, telling[:number])]
    return [f"{label} {chosen}", *(_quote(extract) for extract in places[:_EXTRACTS])]


def _repeats_comment(extract: Extract, before: Sequence[Extract]) -> bool:
    """Whether it is only a comment, of a file that is quoted already."""
    return is_comment(extract) and any(extract.path == other.path for other in before)


def _quote(extract: Extract) -> str:
    lines = f"{extract.first_line}-{extract.last_line}"
    opening, closing = code_fence(extract)
    return f"From [cite: doc, {extract.path}, {lines}]:\n\n{opening}\n{extract.text}\n{closing}"


def _reply(text: str, calls: list[ToolCall]) -> Reply:
    content: list[ContentBlock] = [{"type": "text", "text": text}] if text else []
    content += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
        for call in calls
    ]
    stop = StopReason.TOOL_USE if calls else StopReason.END_TURN
    message: Message = {"role": "assistant", "content": content}
    return Reply(message, stop, Usage(), text, tuple(calls), dollars=0.0)
