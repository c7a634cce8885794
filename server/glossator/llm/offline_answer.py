"""The offline model's answer: paragraphs that quote and count what the tools showed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from glossator.core.file_kinds import (
    CODE,
    FileKind,
    asked_kinds,
    kind_of,
    language_of,
    weigh_by_kind,
)
from glossator.core.span import Statement, StatementsOf
from glossator.core.terms import parts_of, query_terms, stem
from glossator.llm.offline_extract import (
    Extract,
    are_twins,
    best_extract,
    code_fence,
    definition_extract,
    enclosing,
    holds,
    share,
    weights,
    whole_definition,
    without_long_comments,
    words_in,
)
from glossator.llm.offline_view import (
    Found,
    ReadableLines,
    View,
    names_of,
    without_joining_words,
)

LABEL = "**Offline: no model was asked.**"
_UNSEEN = "The attached images were not looked at: only a model sees them."
_MAX_EXTRACTS = 3  # that are shown,
_EXTRACTS_BESIDE = 2  # and so many beside definitions
_ATTACHED_LINES = 40  # attached lines that are quoted as they are
_DEFINITIONS = 2  # of a name, that are quoted
_MAX_LISTED = 5  # more of them that are listed
_CALLERS = 6
_MANY_CALLERS = 15  # if the question is about them
_DEFINITION_LINES = 30  # of which all are quoted,
_DOCSTRING_LINES = 12  # but for a longer comment
_SMALL_SHARE = 0.34  # a smaller share of the question's words says little,
_FEW_WORDS = 2  # if it is not so many words
_NAMED = 0.3  # how much names count beside lines
_LINE_CHARACTERS = 100
_MINOR = frozenset({"field", "property", "variable", "import", "parameter", "module", "impl"})
_OF_KINDS = frozenset(
    map(stem, "test tests tested changelog changed changes cover covers docs documented".split())
)
_TESTS = frozenset({"test", "tests"})  # modules within code, as Rust has them
_TESTS_WEIGHT = 0.3
_BEGINNING_CHARACTERS = 5  # characters
_SAME_CHARACTERS = 30  # characters of a line that tell it from others
_COMMENT_LINES = 120  # lines in which a comment may begin
_ABOUT_CALLERS = re.compile(
    r"\bwho\b|\bcall(s|ed|ers?)?\b|\bus(es?|ed|ages?)\b|\binvoke", re.IGNORECASE
)


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
    terms = _terms(seen)
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
    attached = answer.of_attached()
    told = [*attached, *(paragraph for name in names for paragraph in answer.of_name(name))]
    if not told and (wanted := answer.without_match(names)):
        words = " or ".join(f"`{word}`" for word in wanted)
        nothing = f"I find nothing that holds {words}; the nearest is:"
        return [" ".join((label, *answer.respelled(), nothing)), *answer.extracts(1)]
    missing = [*answer.respelled(), *answer.missing(names)]
    if not told:
        said = answer.introduction()
        return [" ".join((label, *missing, said)), *answer.extracts(_MAX_EXTRACTS)]
    rest = answer.beside(names)
    more = answer.extracts(_EXTRACTS_BESIDE, rest) if rest else []
    if more:
        told += ["These lines share the most words with the rest of the question.", *more]
    return [" ".join((label, *missing)), *told]


def _terms(seen: View) -> tuple[str, ...]:
    """What is looked for in the lines: words without those that only say in which files to look.

    Of a word that is in no file, a slip perhaps, the beginning is looked for; in a question in
    another language it is no slip.
    """
    question = " ".join(seen.attached_names) or seen.meant
    foreign = without_joining_words(seen.question) != seen.question
    terms = [
        term[:_BEGINNING_CHARACTERS] if term in seen.absent_terms else term
        for term in query_terms(question)
        if not (foreign and term in seen.absent_terms)
    ]
    return tuple(term for term in terms if term not in _OF_KINDS) or tuple(terms)


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

    def of_attached(self) -> list[str]:
        """A few attached lines as they are: the answer begins with what it is about."""
        few = [each for each in self._seen.attached if len(each.lines) <= _ATTACHED_LINES]
        return [self._quote(each.part(each.first_line, each.last_line), "") for each in few]

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

    def respelled(self) -> list[str]:
        """Sentences on words that were taken for others."""
        return [
            f"I found `{word}` in no file, and looked for `{instead}`."
            for word, instead in self._seen.respelled.items()
            if instead
        ]

    def without_match(self, names: Sequence[str]) -> list[str]:
        """The words in no file, if what was asked for is hardly there without them."""
        seen = self._seen
        absent = [word for word in seen.absent if not seen.respelled.get(word)]
        if not absent or seen.attached:
            return []
        foreign = without_joining_words(seen.question) != seen.question
        few = 1 if foreign else 2  # code has hardly any words of another language
        if few * len(absent) >= len(query_terms(seen.meant)):
            return absent
        # nothing is about a name that does not hold it; a capital tells nothing at the beginning,
        # nor in a language whose nouns have one
        if foreign:
            return []
        missing = {name for name in names_of(seen.question).sure if name not in names}
        return [
            word
            for word in absent
            if word in missing or (word[0].isupper() and seen.question.find(word) > 1)
        ]

    def introduction(self) -> str:
        """What the extracts are, and how well they fit."""
        best = max((quote.share for quote in self._best), default=0.0)
        if best < _SMALL_SHARE and best * len(self._terms) < _FEW_WORDS:
            return "I find nothing that holds more than a few of these words; the nearest are:"
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
        least = ranked[0].share / 2 if ranked else 0.0
        told: list[str] = []
        for quote in ranked:
            repeats = quote.extract.is_comment and any(
                quote.extract.path == other.path for other in self._quoted
            )
            if quote.share < max(least, 0.001) or repeats or self._is_quoted(quote.extract):
                continue
            if any(are_twins(quote.extract, other) for other in self._quoted):
                continue
            told.append(self._quote(quote.extract, quote.within))
            if len(told) == most:
                break
        return told

    def _ranked(
        self, terms: Mapping[str, float], must: Mapping[str, float] | None = None
    ) -> list[_Quote]:
        """An extract from each place that was read, ordered by its words and Search's order."""
        weigh = weigher(self._seen.question)
        attached = self._seen.attached
        found = [(2.0, _Quote(extract, "", share(extract, terms))) for extract in attached]
        for rank, place in enumerate(by_worth(self._seen)):
            around = self._around(place)
            stretch = self._seen.stretch(place)
            if around is None or stretch is None:
                continue
            statements = self._syntax[around]
            at = range(place.first_line, place.last_line + 1)
            best = without_long_comments(best_extract(stretch, at, statements, terms), terms)
            extract = whole_definition(best, stretch, statements, _DEFINITION_LINES)
            held = share(extract, must or terms, stretch, statements)
            within = enclosing(extract, stretch, statements)
            worth = (held + _NAMED * _named(place, terms)) * weigh(place) / (1 + 0.2 * rank)
            found.append((worth, _Quote(extract, within, held)))
        return [quote for _, quote in sorted(found, key=lambda each: -each[0])]

    def _around(self, place: ReadableLines) -> ReadableLines | None:
        """The lines that were read with most of a place."""
        return max(
            (each for each in self._syntax if each.overlaps(place)),
            key=lambda each: (
                min(each.last_line, place.last_line) - max(each.first_line, place.first_line)
            ),
            default=None,
        )

    def _definition(self, found: Found) -> list[str]:
        place = found.place
        around = self._around(place)
        stretch = self._seen.stretch(place)
        if around is None or stretch is None:
            return []
        statements = self._syntax[around]
        whole = definition_extract(
            stretch, place.first_line, place.last_line, statements, _DEFINITION_LINES
        )
        extract = without_long_comments(whole, self._terms, _DOCSTRING_LINES)
        if self._is_quoted(extract) or any(are_twins(extract, other) for other in self._quoted):
            return []
        text = self._quote(extract, enclosing(extract, stretch, statements))
        if place.first_line == extract.first_line and (
            said := _documented(stretch, found, extract)
        ):
            text = f"{said}\n\n{text}"
        if extract.last_line < place.last_line:
            text += f"\n\nThe {found.kind} goes on to line {place.last_line:,}."
        parts = [text]
        if extract != whole and whole.last_line < place.last_line:  # it is the head alone
            body = range(whole.last_line + 1, place.last_line + 1)
            said_below = best_extract(stretch, body, statements, self._terms)
            if not self._is_quoted(said_below) and said_below.first_line in body:
                parts.append(self._quote(said_below, ""))
        return parts

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
            around = self._around(place)
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


def _kind_weight(question: str) -> Callable[[str], float]:
    """How much a file counts by its kind; one of no known language is taken for prose."""
    by_kind = weigh_by_kind(question)

    def weigh(path: str) -> float:
        if kind_of(path) is FileKind.CODE and language_of(path) not in CODE:
            path = f"{path}.md"
        return by_kind(path)

    return weigh


def weigher(question: str) -> Callable[[ReadableLines], float]:
    """How much a place counts, 0 to 1: by its kind of file, and less within tests of code."""
    by_kind = _kind_weight(question)
    aside = 1.0 if FileKind.TEST in asked_kinds(question) else _TESTS_WEIGHT

    def weigh(place: ReadableLines) -> float:
        is_within = place.title.partition(" > ")[0] in _TESTS
        return by_kind(place.path) * (aside if is_within else 1.0)

    return weigh


def by_worth(seen: View) -> list[ReadableLines]:
    """The places that Search found in its order, but for those of kinds that count less."""
    weigh = weigher(seen.question)
    ranked = sorted(enumerate(seen.hits), key=lambda hit: (-weigh(hit[1]) / (hit[0] + 4), hit[0]))
    return [place for _, place in ranked]


def _named(place: ReadableLines, terms: Mapping[str, float]) -> float:
    """The share of the terms' weight in the names that Search found, and in the file's name."""
    named = words_in(f"{place.title} {place.path.rpartition('/')[2]}")
    found = sum(weight for term, weight in terms.items() if holds(named, term))
    return found / (sum(terms.values()) or 1.0)


def _ordered_definitions(seen: View, name: str) -> tuple[Found, ...]:
    weigh = weigh_by_kind(seen.question)
    about = {each.path for each in seen.attached}

    def order(found: Found) -> tuple[bool, float, bool, int]:
        place = found.place
        return (
            found.path not in about,
            -weigh(found.path),
            found.kind in _MINOR,
            place.first_line - place.last_line,
        )

    distinct = {(each.path, each.line): each for each in seen.definitions.get(name, ())}
    return tuple(sorted(distinct.values(), key=order))


def _documented(stretch: Extract, found: Found, quoted: Extract) -> str:
    """The beginning of the comment above or in a definition, with its line.

    "" if it is quoted, or was not shown.
    """
    start = max(stretch.first_line, found.place.first_line - _COMMENT_LINES)
    for number in range(start, min(found.place.last_line, stretch.last_line) + 1):
        if quoted.first_line <= number <= quoted.last_line:
            continue
        said = stretch.line(number).strip(" \t/*#!\"'")
        if len(said) > 1 and found.documentation.startswith(said[:_SAME_CHARACTERS]):
            return f"> {said} [cite: doc, {found.path}, {number}-{number}]"
    return ""
