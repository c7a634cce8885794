"""Makes statements about a repository: true ones, and for each a false twin.

A statement says one fact or two, in one of the phrasings, and cites the definition, a narrow span
of it, or two spans. Its twin changes one thing: the claim, or the lines that are cited. The same
sources and seed give the same statements.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from glossator.core.file_kinds import FileKind, kind_of, language_of
from glossator.grounding import CitedLines
from glossator_eval.citing import cited, elsewhere, says_nothing, text_of
from glossator_eval.facts import KINDS, Fact, FileFacts, Lines
from glossator_eval.falsifying import (
    DEEDS,
    INVENTED,
    NEGATION,
    NEIGHBOUR,
    WRONG_CITATION,
    WRONG_FILE,
    Pool,
    content_twins,
    may_be_denied,
)
from glossator_eval.labelled import SourceText
from glossator_eval.outline_facts import outline_facts
from glossator_eval.phrasing import Pair, Phrasings, Style, slots_in
from glossator_eval.python_facts import python_facts

TWO_CLAIMS = "two claims"
_LONGEST = 80  # lines of a definition that is cited whole
_NARROW = 5
_NEGATED = 0.15  # share of the true statements that say what is not so
_TWO = 0.06  # share of those that say two things
_MOST_FILES = 100
_TRIES = 20


@dataclass(frozen=True, slots=True)
class MadeStatement:
    """A sentence with the lines it cites.

    `falsification` says how it was made false, "" if it is true. Twins have the same `number`.
    `claims` is what the sentence says.
    """

    number: int
    text: str
    kind: str
    language: str
    cited: tuple[CitedLines, ...]
    claims: tuple[Fact, ...]
    falsification: str = ""


@dataclass(frozen=True, slots=True)
class _Claim:
    """A fact and the template that says it; `plain` is the template without negation."""

    fact: Fact
    pair: Pair

    @property
    def template(self) -> str:
        return self.pair[0 if self.fact.holds else 1]


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence before it is put into words: one claim, or two about the same function.

    A `clause` that no lines carry may stand at its end.
    """

    claims: tuple[_Claim, ...]
    spans: tuple[Lines, ...]
    style: Style
    clause: str = ""

    @property
    def kind(self) -> str:
        return self.claims[0].fact.kind if len(self.claims) == 1 else TWO_CLAIMS

    def is_not_in(self, file: FileFacts, span: Lines) -> bool:
        """Whether there are such lines, and they carry none of the claims."""
        return all(
            says_nothing(file, each.fact, slots_in(each.template), span) for each in self.claims
        )


def statements(
    documents: Iterable[SourceText], phrasings: Phrasings, *, most: int, seed: int = 0
) -> list[MadeStatement]:
    """At most so many true statements about the code, each followed by its twin.

    Kinds, and for each kind falsifications, are drawn as evenly as there are any.
    """
    chance = random.Random(seed)  # noqa: S311 - a sample
    return list(_Maker(_facts_of(documents, chance), phrasings, chance).make(most))


def _facts_of(documents: Iterable[SourceText], chance: random.Random) -> list[FileFacts]:
    code = [each for each in documents if kind_of(each.path) == FileKind.CODE]
    chance.shuffle(code)
    found = []
    for each in code:
        language = language_of(each.path, each.text)
        facts = (
            python_facts(each.path, each.text)
            if language == "python"
            else outline_facts(each.path, each.text, language)
        )
        if facts is not None and facts.facts:
            found.append(facts)
        if len(found) == _MOST_FILES:
            break
    return found


class _Maker:
    """Draws statements from files; counts what it drew."""

    def __init__(
        self, files: Sequence[FileFacts], phrasings: Phrasings, chance: random.Random
    ) -> None:
        self._files, self._phrasings, self._chance = files, phrasings, chance
        self._made: Counter[tuple[str, str]] = Counter()  # by kind ("": all) and falsification
        pool: defaultdict[str, set[str]] = defaultdict(set)
        for file in files:
            for fact in file.facts:
                for slot, term in zip(KINDS[fact.kind], fact.terms, strict=True):
                    pool[slot].add(term)
        self._pool: Pool = {slot: sorted(terms) for slot, terms in pool.items()}

    def make(self, most: int) -> Iterator[MadeStatement]:
        """Pairs, one of each kind in turn until enough are made or no fact is left."""
        by_kind: defaultdict[str, list[tuple[FileFacts, Fact]]] = defaultdict(list)
        for file in self._files:
            for fact in file.facts:
                if not any("`" in term for term in fact.terms):
                    by_kind[fact.kind].append((file, fact))
        queues = [self._mixed(by_kind[kind]) for kind in KINDS if by_kind[kind]]
        number = 0
        while number < most and any(queues):
            for queue in filter(None, queues):
                if number < most and (pair := self._pair(*queue.pop(), number)):
                    yield from pair
                    number += 1

    def _mixed(self, found: list[tuple[FileFacts, Fact]]) -> list[tuple[FileFacts, Fact]]:
        """In random order, with as many absences as facts: most functions are not async."""
        self._chance.shuffle(found)
        holding = [each for each in found if each[1].holds]
        absent = [each for each in found if not each[1].holds][: len(holding) + 1]
        mixed = [*holding, *absent]
        self._chance.shuffle(mixed)
        return mixed

    def _pair(
        self, file: FileFacts, fact: Fact, number: int
    ) -> tuple[MadeStatement, MadeStatement] | None:
        said = self._said(file, fact)
        if said is None:
            return None
        twins: defaultdict[str, list[tuple[FileFacts, _Said]]] = defaultdict(list)
        for label, other_file, other in self._twins(file, said):
            twins[label].append((other_file, other))
        if not twins:
            return None
        label = self._rarest(said.kind, twins)
        self._made[said.kind, label] += 1
        self._made["", label] += 1
        place, twin = self._chance.choice(twins[label])
        one = self._statement(number, file, said, file)
        return one, replace(self._statement(number, file, twin, place), falsification=label)

    def _rarest(self, kind: str, labels: Iterable[str]) -> str:
        """One that was drawn seldom: half of the time for this kind, else over all."""
        of_kind = self._chance.random() < 0.5
        return min(labels, key=lambda each: self._made[kind if of_kind else "", each])

    def _statement(
        self, number: int, file: FileFacts, said: _Said, place: FileFacts
    ) -> MadeStatement:
        """A sentence about the file that cites lines of `place`."""
        facts = tuple(claim.fact for claim in said.claims)
        lines = cited(place, said.spans)
        return MadeStatement(number, self._text(file, said), said.kind, file.language, lines, facts)

    def _said(self, file: FileFacts, fact: Fact) -> _Said | None:
        """A true sentence about the fact; None if its lines are too many."""
        style = Style.drawn(self._chance)
        claims: tuple[_Claim, ...] = (self._claim(fact),)
        if fact.holds and self._chance.random() < _NEGATED:
            claims = self._absent(file, claims[0]) or claims
        elif fact.holds and self._chance.random() < _TWO:
            claims = self._two(file, fact) or claims
        spans = self._spans(claims)
        return _Said(claims, spans, style) if spans else None

    def _claim(self, fact: Fact) -> _Claim:
        pairs = self._phrasings.pairs[fact.kind]
        return _Claim(fact, self._chance.choice(pairs))

    def _absent(self, file: FileFacts, claim: _Claim) -> tuple[_Claim, ...]:
        """That something else is not so."""
        subject, *others = KINDS[claim.fact.kind]
        said = slots_in(claim.pair[1])
        if subject not in said or not others:
            return ()
        shown = text_of(cited(file, [claim.fact.within]))
        twins = content_twins(
            file, claim.fact, said, shown, self._pool, self._chance, frozenset({subject})
        )
        absent = [replace(each.fact, holds=False) for each in twins if may_be_denied(file, each)]
        return (replace(claim, fact=self._chance.choice(absent)),) if absent else ()

    def _two(self, file: FileFacts, fact: Fact) -> tuple[_Claim, ...]:
        """The claim and another one about the same function."""
        others = [
            each
            for each in file.facts
            if each.within == fact.within and each.kind != fact.kind and each.holds
        ]
        if not others:
            return ()
        both = []
        for one in (fact, self._chance.choice(others)):
            pairs = [each for each in self._phrasings.pairs[one.kind] if each[0].startswith("{f} ")]
            if not pairs:
                return ()
            both.append(_Claim(one, self._chance.choice(pairs)))
        return tuple(both)

    def _spans(self, claims: Sequence[_Claim]) -> tuple[Lines, ...]:
        fact = claims[0].fact
        first, last = fact.within
        whole = (fact.within,) if last - first < _LONGEST else ()
        if len(claims) > 1 or not fact.holds:
            return whole
        narrow = self._narrow(fact.lines, fact.within)
        if narrow[1] - narrow[0] >= _NARROW * 2:
            return whole
        if fact.head[1] < narrow[0] and self._chance.random() < 0.2:
            return fact.head, narrow
        return whole if whole and self._chance.random() < 0.6 else (narrow,)

    def _narrow(self, lines: Lines, within: Lines) -> Lines:
        """The lines and, up to five, some around them."""
        spare = max(0, _NARROW - 1 - (lines[1] - lines[0]))
        before = self._chance.randint(0, spare // 2)
        after = self._chance.randint(0, spare - before)
        return max(within[0], lines[0] - before), min(within[1], lines[1] + after)

    def _twins(self, file: FileFacts, said: _Said) -> Iterator[tuple[str, FileFacts, _Said]]:
        """False sentences and true ones with wrong lines, each with the file that it cites."""
        shown = text_of(cited(file, said.spans))
        for number, claim in enumerate(said.claims):

            def with_(changed: Fact, number: int = number, claim: _Claim = claim) -> _Said:
                claims = list(said.claims)
                claims[number] = replace(claim, fact=changed)
                return replace(said, claims=tuple(claims))

            if len(said.claims) == 1:
                yield NEGATION, file, with_(replace(claim.fact, holds=not claim.fact.holds))
            if claim.fact.holds:
                keep = frozenset("f") if len(said.claims) > 1 else frozenset()  # it is said once
                slots = slots_in(claim.template)
                for twin in content_twins(
                    file, claim.fact, slots, shown, self._pool, self._chance, keep
                ):
                    yield twin.falsification, file, with_(twin.fact)
        if all(claim.fact.holds for claim in said.claims):
            yield from self._elsewhere(file, said)
            yield from self._invented(file, said)

    def _elsewhere(self, file: FileFacts, said: _Said) -> Iterator[tuple[str, FileFacts, _Said]]:
        """The sentence with lines that do not carry it."""
        others = [each for each in self._files if each is not file]
        for other in self._chance.sample(others, min(_TRIES, len(others))):
            if all(
                span[1] <= len(other.lines) and said.is_not_in(other, span) for span in said.spans
            ):
                yield WRONG_FILE, other, said
                break
        near, far = elsewhere(file, said.claims[0].fact)
        self._chance.shuffle(far)
        for label, places in ((NEIGHBOUR, near), (WRONG_CITATION, far[:_TRIES])):
            for place in places:
                span = place.first, min(place.last, place.first + _LONGEST - 1)
                if said.is_not_in(file, span):
                    yield label, file, replace(said, spans=(span,))
                    break

    def _invented(self, file: FileFacts, said: _Said) -> Iterator[tuple[str, FileFacts, _Said]]:
        """The sentence with more at its end, of which nothing in the function tells."""
        claim = said.claims[0]
        if said.kind not in DEEDS or not claim.template.startswith("{f} "):
            return
        code = text_of(cited(file, [claim.fact.within]))
        clauses = [clause for clause, words in self._phrasings.clauses if not words.search(code)]
        if clauses:
            yield INVENTED, file, replace(said, clause=self._chance.choice(clauses))

    def _text(self, file: FileFacts, said: _Said) -> str:
        first, *rest = (
            self._phrasings.say(
                claim.template.removeprefix("{f} ") if number else claim.template,
                claim.fact.kind,
                claim.fact.terms,
                said.style.plain() if number else said.style,
                owner=_qualifier(file, claim.fact),
                path=file.path,
            )
            for number, claim in enumerate(said.claims)
        )
        if said.clause:
            comma = "" if said.clause.startswith(",") else " "
            return f"{first.removesuffix('.')}{comma}{said.clause}."
        return f"{first.removesuffix('.')} and {rest[0]}" if rest else first


def _qualifier(file: FileFacts, fact: Fact) -> str:
    return f"{fact.owner}{'::' if file.language == 'rust' else '.'}" if fact.owner else ""
