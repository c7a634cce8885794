"""The offline model: answers with extracts, deterministically, without a provider.

It runs in the same loop as any model: it searches for the words of the question, looks up the names
in it, reads the best places, and quotes them with citations. It understands nothing, and every
answer says so: lines are quoted and counted, and what was not found is named.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from glossator.core.events import Usage
from glossator.core.file_kinds import FileKind, kind_of, weigh_by_kind
from glossator.core.span import Statement, StatementsOf, no_statements
from glossator.core.terms import parts_of, query_terms, stem
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
from glossator.llm.offline_extract import (
    Extract,
    best_extract,
    code_fence,
    definition_extract,
    enclosing,
    share,
    weights,
)
from glossator.llm.offline_view import Found, Names, ReadableLines, View, names_of, view

_HITS = 10  # asked of Search,
_MAX_PLACES = 6  # of which so many are read
_MAX_NAMES = 2  # that are looked up
_PROSE = "*.{md,markdown,rst,adoc,txt}"
_PROSE_HITS = 2
_ABOVE, _BELOW = 25, 8  # lines read around a place: comments, the end of a statement
_READ_LINES = 220
_ALIKE = 0.8  # the ratio of `difflib` for a name with a slip
LABEL = "**Offline, extractive.** No model was asked."
_UNSEEN = "The attached images were not looked at: only a model sees them."
_MAX_EXTRACTS = 3  # that are shown,
_EXTRACTS_BESIDE = 2  # and so many beside definitions
_DEFINITIONS = 2  # of a name, that are quoted
_MAX_LISTED = 5  # more of them that are listed
_CALLERS = 6
_MANY_CALLERS = 15  # if the question is about them
_DEFINITION_LINES = 30  # of which all are quoted
_SMALL_SHARE = 0.34  # a smaller share of the question's words says little
_LINE_CHARACTERS = 100
_MINOR = frozenset({"field", "property", "variable", "import", "parameter", "module", "impl"})
_OF_KINDS = frozenset(
    map(stem, "test tests tested changelog changed changes cover covers docs documented".split())
)
_BEGINNING_CHARACTERS = 5  # characters
_SAME_CHARACTERS = 30  # characters of a line that tell it from others
_COMMENT_LINES = 120  # lines in which a comment may begin
_ABOUT_CALLERS = re.compile(
    r"\bwho\b|\bcall(s|ed|ers?)?\b|\bus(es?|ed|ages?)\b|\binvoke", re.IGNORECASE
)


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
        calls = [call for call in _next_calls(seen) if call.name in available]
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


def _next_calls(seen: View) -> list[ToolCall]:
    if seen.ending:
        return []
    if not seen.calls:
        arguments = _searches(seen)
    elif seen.has_read:
        arguments = []
    elif names := _similar(seen):
        arguments = [call for name in names for call in _look_up(name)]
    else:
        arguments = [
            ("Read", {"path": place.path, "offset": place.first_line, "limit": _lines(place)})
            for place in _choose(seen)
        ]
    return [
        ToolCall(f"offline_{seen.turn}_{seen.calls + number}", name, values)
        for number, (name, values) in enumerate(arguments)
    ]


def _lines(place: ReadableLines) -> int:
    return place.last_line - place.first_line + 1


def _searches(seen: View) -> list[tuple[str, ContentBlock]]:
    asked = Names(seen.attached_names, ()) if seen.attached_names else names_of(seen.question)
    query = " ".join(seen.attached_names) or seen.question
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


def _similar(seen: View) -> list[str]:
    """What to look up instead of undefined names: a similar name, or the last part."""
    if any(seen.definitions.values()):
        return []
    instead: list[str] = []
    for name in names_of(seen.question).sure:
        last = re.split(r"\W", name)[-1]
        alike = get_close_matches(last, seen.near.get(name, ()), 1, _ALIKE)
        instead += alike or [last]
    return [name for name in instead if name not in seen.asked][:1]


def _choose(seen: View) -> list[ReadableLines]:
    """The definitions of the names, then the best places: code before tests and changelogs."""
    defined = [
        found.place for name in looked_up_names(seen) for found in best_definitions(seen, name)
    ]
    weigh = weigh_by_kind(seen.question)
    ranked = sorted(
        enumerate(seen.hits), key=lambda hit: (-weigh(hit[1].path) / (hit[0] + 4), hit[0])
    )
    chosen: list[ReadableLines] = []
    room = _MAX_PLACES + len(defined)
    for place in (*defined, *(hit for _, hit in ranked)):
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


@dataclass(frozen=True, slots=True)
class _Quote:
    """An extract with what encloses it, and its share of the question's words."""

    extract: Extract
    within: str
    share: float


def looked_up_names(seen: View) -> tuple[str, ...]:
    """The names that something defines."""
    return tuple(name for name, found in seen.definitions.items() if found)


def best_definitions(seen: View, name: str) -> tuple[Found, ...]:
    """The definitions of a name to quote: code before tests, types and functions before fields."""
    return _ordered_definitions(seen, name)[:_DEFINITIONS]


async def compose(seen: View, statements_of: StatementsOf) -> list[str]:
    """The paragraphs of the answer."""
    label = f"{LABEL} {_UNSEEN}" if seen.images else LABEL
    question = " ".join(seen.attached_names) or seen.question
    terms = tuple(  # of one that is in no file, a slip perhaps, the beginning is looked for
        term[:_BEGINNING_CHARACTERS] if term in seen.absent_terms else term
        for term in query_terms(question)
    )
    # without those that only say in which kind of file to look, if any are left
    terms = tuple(term for term in terms if term not in _OF_KINDS) or terms
    names = looked_up_names(seen)
    known = [place for place in seen.read if seen.stretch(place)]
    if not known and not seen.attached:
        unsearched = (
            "There was no tool to look with." if terms else "There was no word to look for."
        )
        if seen.ending and seen.hits:
            unsearched = "The run ended before the places that were found could be read."
        return [label, f"Nothing was found. {next(iter(seen.failures), unsearched)}"]
    syntax = {
        place: await statements_of(place.path, place.first_line, place.last_line) for place in known
    }
    answer = _Answer(seen, terms, syntax)
    told = [paragraph for name in names for paragraph in answer.of_name(name)]
    missing = answer.missing(names)
    rest = answer.beside(names)
    if not told:
        absent = 2 * len(seen.absent) >= len(terms)
        extracts = answer.extracts(1 if absent else _MAX_EXTRACTS)
        return [" ".join((label, *missing, answer.introduction())), *extracts]
    more = answer.extracts(_EXTRACTS_BESIDE, rest) if rest else []
    if more:
        told += ["These lines share the most words with the rest of the question.", *more]
    return [" ".join((label, *missing)), *told]


class _Answer:
    """Composes paragraphs from what was shown, using each line once."""

    def __init__(
        self, seen: View, terms: Sequence[str], syntax: Mapping[ReadableLines, Sequence[Statement]]
    ) -> None:
        self._seen, self._syntax = seen, syntax
        stretches = [stretch for place in syntax if (stretch := seen.stretch(place))]
        self._terms = weights(terms, (*seen.attached, *stretches))
        self._quoted: list[Extract] = []
        self._best = self._ranked(self._terms)

    def of_name(self, name: str) -> list[str]:
        """The paragraphs on a name: its definitions, its callers, and prose about it."""
        every = _ordered_definitions(self._seen, name)
        quoted, parts = every[:_DEFINITIONS], list[str]()
        asked = None if self._seen.attached else _ABOUT_CALLERS.search(self._seen.question)
        about_callers = asked is not None  # about attached lines, everything is asked
        for found in quoted if not about_callers else quoted[:1]:
            parts += self._definition(found)
        others = every[len(quoted) :]
        if others:
            listed = [
                f"- {each.about.partition(', lines')[0]}: {self._line(each)}"
                for each in others[:_MAX_LISTED]
            ]
            if (more := len(others) - _MAX_LISTED) > 0:
                listed.append(f"- and {more:,} more")
            parts.append("\n".join((f"`{name}` is also defined here:", "", *listed)))
        callers = self._callers(name, _MANY_CALLERS if about_callers else _CALLERS)
        parts = [*callers, *parts] if about_callers else [*parts, *callers]
        return [*parts, *self._prose(name)]

    def missing(self, names: Sequence[str]) -> list[str]:
        """Sentences on names that nothing defines and words that no file contains."""
        told: list[str] = []
        for name in names_of(self._seen.question).sure:
            if name in self._seen.asked and name not in names:
                similar = [each for each in names if each in self._seen.near.get(name, ())]
                instead = f"; `{similar[0]}` is nearest" if similar else ""
                told.append(f"I found no parsed definition of `{name}`{instead}.")
        if self._seen.absent:
            told.append(f"I found these words in no file: {', '.join(self._seen.absent)}.")
        return told

    def introduction(self) -> str:
        """What the extracts are, and how well they fit."""
        best = max((quote.share for quote in self._best), default=0.0)
        if best < _SMALL_SHARE:
            return (
                "No lines hold more than a few of the question's words, so this is probably no"
                " answer; these come closest."
            )
        return "These lines share the most words with the question."

    def beside(self, names: Sequence[str]) -> dict[str, float]:
        """The terms of the question that are not about these names."""
        own = {stem(part.lower()) for name in names for part in parts_of(name)}
        own |= {name.lower() for name in names} | {
            name.lower() for name in names_of(self._seen.question).sure
        }
        absent = self._seen.absent_terms | {"call", "defin", "document", "function", "class"}
        return {
            term: weight
            for term, weight in self._terms.items()
            if term not in own | absent and not any(term in each for each in own)
        }

    def extracts(self, most: int, terms: Mapping[str, float] | None = None) -> list[str]:
        """The best extracts; one that says much less than the best is left out."""
        ranked = self._best if terms is None else self._ranked({**self._terms, **terms}, terms)
        least = max((quote.share for quote in ranked), default=0.0) / 2
        told: list[str] = []
        for quote in ranked:
            repeats = quote.extract.is_comment and any(
                quote.extract.path == other.path for other in self._quoted
            )
            if quote.share < max(least, 0.001) or repeats or self._is_quoted(quote.extract):
                continue
            told.append(self._quote(quote.extract, quote.within))
            if len(told) == most:
                break
        return told

    def _ranked(
        self, terms: Mapping[str, float], must: Mapping[str, float] | None = None
    ) -> list[_Quote]:
        """An extract from each place that was read, ordered by its words and Search's order."""
        weigh = weigh_by_kind(self._seen.question)
        attached = self._seen.attached
        found = [(2.0, _Quote(extract, "", share(extract, terms))) for extract in attached]
        for rank, place in enumerate(self._seen.hits):
            around = next((each for each in self._syntax if each.overlaps(place)), None)
            stretch = self._seen.stretch(place)
            if around is None or stretch is None:
                continue
            statements = self._syntax[around]
            at = range(place.first_line, place.last_line + 1)
            extract = best_extract(stretch, at, statements, terms)
            holds = share(extract, must or terms)
            within = enclosing(extract, stretch, statements)
            worth = holds * weigh(place.path) / (1 + 0.2 * rank)
            found.append((worth, _Quote(extract, within, holds)))
        return [quote for _, quote in sorted(found, key=lambda each: -each[0])]

    def _definition(self, found: Found) -> list[str]:
        place = found.place
        around = next((each for each in self._syntax if each.overlaps(place)), None)
        stretch = self._seen.stretch(place)
        if around is None or stretch is None:
            return []
        statements = self._syntax[around]
        extract = definition_extract(
            stretch, place.first_line, place.last_line, statements, _DEFINITION_LINES
        )
        if self._is_quoted(extract):
            return []
        text = self._quote(extract, enclosing(extract, stretch, statements))
        if place.first_line == extract.first_line and (said := _documented(stretch, found)):
            text = f"{said}\n\n{text}"
        if extract.last_line < place.last_line:
            text += f"\n\nThe {found.kind} goes on to line {place.last_line:,}."
        return [text]

    def _callers(self, name: str, most: int) -> list[str]:
        calls = self._seen.callers.get(name, ())
        tests = [each for each in calls if kind_of(each.path) is FileKind.TEST]
        code = [each for each in calls if kind_of(each.path) is not FileKind.TEST]
        first = {(each.path, each.within): each for each in reversed(code or tests)}
        shown = list(first.values())[::-1][:most]
        if not shown:
            return []
        lines = [
            f"- {f'in `{each.within}`: ' if each.within else ''}{self._line(each)}"
            for each in shown
        ]
        more = len(calls) - len(shown)
        if more > 0:
            in_tests = f", {len(tests):,} of them in tests" if tests and code else ""
            in_tests = " in tests" if more == len(tests) and code else in_tests
            lines.append(f"- and {more:,} more{in_tests}")
        return ["\n".join((f"Calls of `{name}`:", "", *lines))]

    def _prose(self, name: str) -> list[str]:
        last = re.split(r"\W", name)[-1]
        terms = {last.lower(): 1.0}
        for place in self._seen.prose:
            around = next((each for each in self._syntax if each.overlaps(place)), None)
            stretch = self._seen.stretch(place)
            if around is None or stretch is None or kind_of(place.path) is not FileKind.PROSE:
                continue
            at = range(place.first_line, place.last_line + 1)
            extract = best_extract(stretch, at, self._syntax[around], terms)
            if re.search(rf"\b{re.escape(last)}\b", extract.text) and not self._is_quoted(extract):
                return [f"Documentation:\n\n{self._quote(extract, '')}"]
        return []

    def _is_quoted(self, extract: Extract) -> bool:
        return any(extract.overlaps(other) for other in self._quoted)

    def _quote(self, extract: Extract, within: str) -> str:
        self._quoted.append(extract)
        lines = f"{extract.first_line}-{extract.last_line}"
        opening, closing = code_fence(extract)
        where = f", in `{within}`" if within else ""
        return (
            f"From [cite: doc, {extract.path}, {lines}]{where}:\n\n"
            f"{opening}\n{extract.text}\n{closing}"
        )

    def _line(self, found: Found) -> str:
        text = found.text.strip()
        text = text if len(text) <= _LINE_CHARACTERS else f"{text[:_LINE_CHARACTERS]}…"
        ticks = "``" if "`" in text else "`"
        return f"{ticks}{text}{ticks} [cite: doc, {found.path}, {found.line}-{found.line}]"


def _ordered_definitions(seen: View, name: str) -> tuple[Found, ...]:
    weigh = weigh_by_kind(seen.question)

    def order(found: Found) -> tuple[float, bool, int]:
        place = found.place
        return -weigh(found.path), found.kind in _MINOR, place.first_line - place.last_line

    distinct = {(each.path, each.line): each for each in seen.definitions.get(name, ())}
    return tuple(sorted(distinct.values(), key=order))


def _documented(stretch: Extract, found: Found) -> str:
    """The beginning of the comment above a definition, with its line; "" if it was not shown."""
    start = max(stretch.first_line, found.place.first_line - _COMMENT_LINES)
    for number in range(start, found.place.first_line):
        said = stretch.line(number).strip(" \t/*#!")
        if len(said) > 1 and found.documentation.startswith(said[:_SAME_CHARACTERS]):
            return f"> {said} [cite: doc, {found.path}, {number}-{number}]"
    return ""
