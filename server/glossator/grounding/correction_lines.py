"""Chooses the lines beside the cited ones that a correction is shown, as they may carry a sentence.

All were shown before. They stand in the cited definition, were cited by the sentence that this one
leans on, or hold words of the sentence that the cited lines lack.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from math import log

from glossator.core.document import Document
from glossator.core.span import Span, runs
from glossator.grounding.citation_checks import Sources, document_of
from glossator.grounding.cited_lines import CitedLines, words_of_name
from glossator.grounding.statement_lines import CitedStatement, cited_lines, definitions_about
from glossator.grounding.wording import Kind, tokens_of

Known = Callable[[Span], "tuple[str, Document, frozenset[int]] | None"]  # of a file
Words = Callable[[str], set[str]]  # of a line

_DEFINITION_LINES = 80  # of a definition that is shown whole
_MARGIN = 3  # lines beside what is chosen
_NEAR = 10  # lines beside cited ones that stand in no short definition
_NEAREST = 40  # lines that are nearest to cited ones which were not shown
_NEAREST_WITHIN = 100  # lines of these
_WORD_LINES = 3  # lines that are chosen by their words, for each sentence
_TELLING = 0.5  # of the score of the best line
_PROSE_CHARACTERS = 4  # of a word that is no name
_SEVERAL = re.compile(r"\b(?:[a-z\d]+_\w+|[A-Za-z]+[a-z\d][A-Z]\w*)\b")
_ENDING = re.compile(r"(?<=\w{4})(?:ing|ed|es|s|e)$")


def carrying_lines(
    fallen: Iterable[CitedStatement], answer: Sequence[CitedStatement], sources: Sources
) -> tuple[CitedLines, ...]:
    """The lines beside those that the fallen statements of an answer cite; blocking."""

    @cache
    def known(span: Span) -> tuple[str, Document, frozenset[int]] | None:
        """The path, the document and the shown lines of a span's file; `span` is all of it."""
        document = document_of(span, sources)
        path = document and sources.snapshot.relative(document.path)
        if document is None or not path:
            return None
        whole = replace(span, last_line=len(document.lines))
        missing = sources.shown.missing(whole)
        return path, document, frozenset(range(1, whole.last_line + 1)).difference(missing)

    words = cache(_words)  # each line is read once for all statements
    files = [_file(c.span) for each in answer for c in each.citations if c.span]
    chosen: dict[Span, set[int]] = {file: set() for file in files}
    for each in fallen:
        for file, line in (*_around_cited(each, known), *_by_words(each, chosen, known, words)):
            chosen[file].add(line)
        at = answer.index(each)
        if at and each.context != each.statement.lead:  # it leans on the sentence before
            for span in answer[at - 1].spans:
                chosen[_file(span)] |= set(range(span.first_line, span.last_line + 1))
    found: list[CitedLines] = []
    for file, lines in chosen.items():
        if told := known(file):
            path, document, shown = told
            for start, end in runs(sorted(lines & shown)):
                span = replace(file, first_line=start, last_line=end)
                found.append(cited_lines(path, document, span))
    return tuple(found)


def _file(span: Span) -> Span:
    """A span that stands for its whole file."""
    return replace(span, first_line=1, last_line=1)


def _around_cited(cited: CitedStatement, known: Known) -> Iterator[tuple[Span, int]]:
    """The lines of the definitions around the cited ones, or the nearest lines."""
    for citation in cited.citations:
        first, last = citation.cited
        if citation.span is None or not first or not last:
            continue
        file = _file(citation.span)
        if (told := known(file)) is None:
            continue
        _, document, shown = told
        if shown.isdisjoint(range(first, last + 1)):
            far = {line: max(first - line, line - last, 0) for line in shown}
            near = [line for line in shown if far[line] <= _NEAREST_WITHIN]
            wanted = sorted(near, key=lambda line: (far[line], line))[:_NEAREST]
        else:
            span = replace(file, first_line=first, last_line=min(last, len(document.lines)))
            wanted = list(_of_definition(span, document))
        yield from ((file, line) for line in wanted)


def _of_definition(span: Span, document: Document) -> range:
    """The lines of the innermost definition around a span, if it is short, or those beside it."""
    first, last = span.first_line, span.last_line
    outer = [
        each
        for each in definitions_about(span, document)
        if each.first_line < first and last <= each.last_line
    ]
    if outer and outer[0].last_line - outer[0].first_line < _DEFINITION_LINES:
        return range(outer[0].first_line - _MARGIN, outer[0].last_line + _MARGIN + 1)
    low, high = (outer[0].first_line, outer[0].last_line) if outer else (1, len(document.lines))
    return range(max(first - _NEAR, low), min(last + _NEAR, high) + 1)


def _by_words(
    cited: CitedStatement, files: Iterable[Span], known: Known, words: Words
) -> Iterator[tuple[Span, int]]:
    """The lines with words of a statement that its own lines lack, the rarer the better."""
    own = set().union(*(words(line) for part in cited.lines for line in part.lines))
    wanted = {word: weight for word, weight in _wanted(cited.text).items() if word not in own}
    held: dict[tuple[Span, int], set[str]] = {}
    for file in files:
        if told := known(file):
            _, document, shown = told
            for line in shown:
                if has := words(document.lines[line - 1]).intersection(wanted):
                    held[file, line] = has
    often = Counter(word for has in held.values() for word in has)
    rarity = {word: wanted[word] * log(1 + len(held) / count) for word, count in often.items()}
    scores = {place: sum(rarity[word] for word in has) for place, has in held.items()}
    best = sorted(scores, key=lambda place: (-scores[place], place[0].uri, place[1]))
    least = _TELLING * max(scores.values(), default=0)
    for file, line in [place for place in best if scores[place] >= least][:_WORD_LINES]:
        yield from ((file, near) for near in range(line - _MARGIN, line + _MARGIN + 1))


def _wanted(text: str) -> dict[str, float]:
    """The words of a statement by their weight: those of names weigh twice as much."""
    found: dict[str, float] = {}
    for token in tokens_of(text):
        is_name = token.quoted or token.kind in (Kind.NAME, Kind.STRING)
        for word in _words(token.text):
            if is_name or len(word) >= _PROSE_CHARACTERS:
                found[word] = max(found.get(word, 0), 2.0 if is_name else 1.0)
    return found


def _words(text: str) -> set[str]:
    """The words of a text without their endings, and the names of several words as they are."""
    names = (name.lower() for name in _SEVERAL.findall(text))
    return {*names, *(_ENDING.sub("", word) for word in words_of_name(text))}
