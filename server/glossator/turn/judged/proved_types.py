"""Proves or refutes "`Y` implements `X`", "only `Y` and `Z` extend `X`", "nothing implements `X`".

A server tells the implementations of a class or interface, also those further down. That there are
no others is sure for classes alone: an object of any form may stand for an interface.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

from glossator.core.code import CodeKind
from glossator.core.file_kinds import CODE
from glossator.core.shown import shown
from glossator.core.span import Basis
from glossator.grounding import UNDECIDED, Claim, Extent, Judgement, Relation, Token, Verdict
from glossator.symbols import ALL_USES, Name, SearchScope, Use, only_definition
from glossator.turn.judged.evidence import (
    LANGUAGES,
    TYPES,
    Defined,
    Evidence,
    Line,
    gives_away,
    names_fit,
)
from glossator.turn.judged.heritage import extends_another
from glossator.turn.judged.unseen import is_private, is_renamed

_MOST_MEMBERS = 40  # classes that extend one
_MOST_CHECKED = 8  # of them whose own uses are looked at
_MADE = re.compile(
    r"\btype\s*\(.*,|\bnew_class\b|\bmake_dataclass\b|\.register\b|\bmixin\b", re.IGNORECASE
)
_HEAD = re.compile(r"\bclass\b")
_STRUCTURAL = re.compile(r"\bProtocol\b")


async def prove_types(evidence: Evidence, claim: Claim) -> Judgement | None:
    """The judgement of a claim about implementations; None if no server answers."""
    at = await evidence.defined(claim)
    subject = at if claim.defined == claim.subject else await _only(evidence, claim.subject.text)
    if at is None or subject is None or not _is_fit(claim, subject):
        return UNDECIDED
    lines = await evidence.told(CodeKind.IMPLEMENTATIONS, subject.place)
    if lines is None:
        return None
    others = lines - {subject.line}
    if len(others) > _MOST_MEMBERS:
        return UNDECIDED
    outlined = await asyncio.gather(*map(evidence.outlined, sorted(others)))
    members = [each for each in outlined if each is not None and each.symbol.kind in TYPES]
    found = _Found(evidence, claim, subject, at, members, len(members) == len(others))
    return await found.judgement()


async def _only(evidence: Evidence, name: str) -> Defined | None:
    """The only symbol of a name."""
    scope = SearchScope(languages=CODE)
    found = await evidence.app.symbols.definitions(evidence.snapshot, Name.parse(name), scope)
    definition = only_definition(found)
    return None if definition is None else await evidence.defined_at(definition)


def _is_fit(claim: Claim, subject: Defined) -> bool:
    """Whether the subject can be what is said of it: in scripts only interfaces are implemented."""
    if subject.symbol.kind not in TYPES or subject.language not in LANGUAGES:
        return False
    is_class = subject.language != "python" and subject.symbol.kind == "class"
    if is_class and claim.relation is Relation.IMPLEMENTS:
        return False
    return _means(claim.subject, subject)


@dataclass(frozen=True)
class _Found:
    """The classes that extend or implement `subject`; `is_all`: nothing else was told."""

    evidence: Evidence
    claim: Claim
    subject: Defined
    at: Defined  # what the cited lines define
    members: Sequence[Defined]
    is_all: bool

    async def judgement(self) -> Judgement:
        """What is proved of the claim."""
        claim, named = self.claim, [self._named(each) for each in self.claim.others]
        others = [each for each in self.members if each not in named]
        if claim.extent is Extent.WHOLE and (why := self._another(others)):
            return Judgement(Verdict.CONTRADICTED, why, sure=True, basis=Basis.SERVER)
        if None in named:
            no = len(named) == 1 and await self._has_other_bases(claim.others[0])
            return self._refuted(claim.others[0]) if no else UNDECIDED
        if not all(each is not None and self._is_wanted(each) for each in named):
            return UNDECIDED
        if claim.extent is not Extent.SOME and (others or not await self._is_complete()):
            return UNDECIDED
        does = "implements" if claim.relation is Relation.IMPLEMENTS else "extends"
        reason = f"Nothing {'else ' if named else ''}in the workspace {does} it."
        reason = "" if claim.extent is Extent.SOME else reason
        parts = (claim.cited,)
        return Judgement(Verdict.SUPPORTED, reason, sure=True, parts=parts, basis=Basis.SERVER)

    def _named(self, token: Token) -> Defined | None:
        """The only one that a name means; that of the cited lines, if they define it."""
        found = [each for each in self.members if _means(token, each)]
        if token == self.claim.defined:
            found = [each for each in found if each.line == self.at.line]
        return found[0] if len(found) == 1 else None

    def _is_wanted(self, member: Defined) -> bool:
        """Whether it does what is said: classes implement interfaces, which others extend."""
        if self.subject.symbol.kind != "interface":
            return True
        implements = self.claim.relation is Relation.IMPLEMENTS
        return member.symbol.kind == ("class" if implements else "interface")

    def _another(self, others: Sequence[Defined]) -> str:
        """A sentence on one that names the subject as its base; "" if none is known."""
        subject, claim = self.subject.symbol.name, self.claim
        names = re.compile(rf"(?<!\w){re.escape(subject)}(?!\w)")
        for each in others:
            behind = each.head[each.head.find(each.symbol.name) + len(each.symbol.name) :]
            path = each.document.path
            if self._is_wanted(each) and self.evidence.is_product(path) and names.search(behind):
                done = "implemented" if claim.relation is Relation.IMPLEMENTS else "extended"
                also = " also" if claim.others else ""
                where = f"({shown(self.evidence.snapshot.relative(path))}, line {each.line[1]})"
                return f"`{shown(subject)}` is{also} {done} by `{shown(each.symbol.name)}` {where}."
        return ""

    def _refuted(self, name: Token) -> Judgement:
        does = "implement" if self.claim.relation is Relation.IMPLEMENTS else "extend"
        subject = shown(self.claim.subject.text)
        why = f"`{shown(name.text)}` does not {does} `{subject}`, by its bases."
        return Judgement(Verdict.CONTRADICTED, why, sure=True, basis=Basis.SERVER)

    async def _is_complete(self) -> bool:
        """Whether no class can extend the subject, or one that does, without being known."""
        subject, claim = self.subject, self.claim
        if not (self.is_all and self.evidence.is_whole) or len(self.members) > _MOST_CHECKED:
            return False
        if claim.extent is Extent.WHOLE and _is_structural(subject):
            return False
        is_dead = not claim.others and not is_private(self.evidence, subject)
        if is_dead and not claim.of_workspace:
            return False
        known = await asyncio.gather(*map(self._is_known, (subject, *self.members)))
        return all(known)

    async def _is_known(self, at: Defined) -> bool:
        """Whether each place of a class is known to a server, or means something else."""
        known, uses = await asyncio.gather(
            self.evidence.told(CodeKind.REFERENCES, at.place),
            self.evidence.uses(at.symbol.name, ALL_USES),
        )
        if known is None or not uses.is_whole or at.line not in known:
            return False
        for use in uses.hits:
            line = use.line.path, use.line.number
            is_other = use.reference.kind == "definition" and line != at.line
            if is_other or _MADE.search(use.line.text) or is_renamed(at):
                return False
            if _HEAD.search(use.line.text) and line not in self._heads():
                return False  # of a class that extends what is made of it
            is_given = use.reference.kind == "import" and gives_away(use.line.path)
            if is_given and at is self.subject and not self.claim.of_workspace:
                return False  # code outside may extend it
        unknown = [
            use
            for use in uses.hits
            if (use.line.path, use.line.number) not in known and not _is_no_base(use)
        ]
        return await self.evidence.explained(unknown, at, uses)

    def _heads(self) -> set[Line]:
        """The lines of the heads of all classes that are known."""
        return {
            (each.line[0], each.line[1] + further)
            for each in (self.subject, *self.members)
            for further in range(each.head.count("\n") + 1)
        }

    async def _has_other_bases(self, name: Token) -> bool:
        """Whether a class cannot extend the subject, since all that it extends is known."""
        if _is_structural(self.subject) or self.claim.extent is not Extent.SOME:
            return False
        is_cited = name == self.claim.defined
        at = self.at if is_cited else await _only(self.evidence, name.text)
        is_class = at is not None and at.symbol.kind == "class" and at.language in LANGUAGES
        if at is not None and at.symbol.first_line != at.symbol.name_line:
            return False  # what decorates it may have it implement more
        return (
            at is not None and is_class and await extends_another(self.evidence, at, self.subject)
        )


def _is_no_base(use: Use) -> bool:
    """Whether no class can be extended there, whatever it means: it is called, or imported."""
    kind = use.reference.kind
    is_renamed_there = re.match(r"\s*(?:as\b|:)", use.line.text[use.reference.end :])
    return kind == "call" or (kind == "import" and not is_renamed_there)


def _means(token: Token, at: Defined) -> bool:
    symbol = at.symbol
    container = (*symbol.container, symbol.name)
    return symbol.name == token.last and names_fit(token.parts, at.document.path, container)


def _is_structural(at: Defined) -> bool:
    """Whether an object of any class may stand for it."""
    return at.symbol.kind == "interface" or _STRUCTURAL.search(at.head) is not None
