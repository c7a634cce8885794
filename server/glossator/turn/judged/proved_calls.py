"""Proves or refutes "`f` is never called", "only `g` calls `f`", and the same of uses.

A call that a server knows refutes. To support, each place of the name in the workspace must be the
definition, a call by who is said to call, an import, or another thing, as a server tells.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field

from glossator.core.code import CodeKind
from glossator.core.shown import shown
from glossator.core.span import Basis
from glossator.grounding import (
    UNDECIDED,
    CallSite,
    Claim,
    Judgement,
    Relation,
    Verdict,
    place_of_call,
)
from glossator.symbols import Use
from glossator.turn.judged.evidence import (
    FUNCTIONS,
    TYPES,
    Defined,
    Evidence,
    Line,
    Uses,
    gives_away,
    names_fit,
)
from glossator.turn.judged.heritage import extends_ours_alone
from glossator.turn.judged.unseen import (
    has_bases,
    is_called_by_tools,
    is_private,
    is_reached,
)

_EVERYTHING = "__all__"


async def prove_calls(evidence: Evidence, claim: Claim) -> Judgement | None:
    """The judgement of a claim about calls or uses; None if no server answers."""
    own = await evidence.defined(claim)
    if own is None:
        return UNDECIDED
    known = await evidence.told(CodeKind.REFERENCES, own.place)
    if known is None:
        return None
    uses, is_open = await asyncio.gather(evidence.uses(own.symbol.name), _is_open(evidence, own))
    found = _Found(evidence, claim, own, uses, known)
    if (other := found.other()) is not None:
        verb = "called" if other.reference.kind == "call" else "used"
        where = place_of_call(_site(evidence, other))
        reason = f"`{shown(claim.subject.text)}` is {verb} in {where}."
        return Judgement(Verdict.CONTRADICTED, reason, sure=True, basis=Basis.SERVER)
    if is_open or not await found.supports():
        return UNDECIDED
    does = "calls" if claim.relation is Relation.CALLS else "uses"
    reason = f"Nothing {'else ' if claim.others else ''}in the workspace {does} it."
    parts = (claim.cited,)
    return Judgement(Verdict.SUPPORTED, reason, sure=True, parts=parts, basis=Basis.SERVER)


async def _around(evidence: Evidence, own: Defined) -> Defined | None:
    """The function or class that it is defined in; None if that is none, or not plain."""
    symbol, document = own.symbol, own.document
    if not symbol.container:
        return None
    found = [
        each
        for each in await evidence.symbols_in(document.path, symbol.container[-1])
        if each.container == symbol.container[:-1]
        and each.first_line <= symbol.name_line <= each.last_line
    ]
    return Defined(document, found[0]) if len(found) == 1 else None


async def _is_open(evidence: Evidence, own: Defined) -> bool:
    """Whether it may be called where its name does not stand as it is."""
    symbol, around = own.symbol, await _around(evidence, own)
    is_member = bool(symbol.container) and (around is None or around.symbol.kind not in FUNCTIONS)
    if not evidence.is_whole or is_called_by_tools(evidence, own):
        return True
    if is_member and (around is None or not await _is_plain(evidence, around)):
        return True
    if symbol.kind in TYPES and has_bases(own):
        return True
    return await asyncio.to_thread(is_reached, evidence, own, is_member=is_member)


async def _is_plain(evidence: Evidence, around: Defined) -> bool:
    """Whether a class stands for itself: nothing keeps it, and no base calls what it defines."""
    symbol = around.symbol
    is_decorated = symbol.first_line != symbol.name_line
    is_class = symbol.kind == "class" and not symbol.container
    return is_class and not is_decorated and await extends_ours_alone(evidence, around)


@dataclass
class _Found:
    """The places of a name; on those in `known` a server finds references to `own`."""

    evidence: Evidence
    claim: Claim
    own: Defined
    uses: Uses
    known: frozenset[Line]
    unknown: list[Use] = field(default_factory=list)  # which may mean something else
    callers: dict[str, set[Line]] = field(default_factory=dict)  # by name as it is said
    given_away: bool = False  # its package offers it

    def other(self) -> Use | None:
        """A call, or another use, by something that is not said to do it."""
        kinds = {"call"} if self.claim.relation is Relation.CALLS else {"call", "reference"}
        return next(
            (
                use
                for use in self.uses.hits
                if (use.line.path, use.line.number) in self.known
                and all(
                    each.reference.kind in kinds
                    for each in self.uses.by_line[use.line.path, use.line.number]
                )
                and not self._is_itself(use)
                and not any(each.last in use.reference.within for each in self.claim.others)
                and self.evidence.is_product(use.line.path)
                and not self.evidence.app.acting.hides(use.line.path)
            ),
            None,
        )

    async def supports(self) -> bool:
        """Whether nothing else calls it, and all that are said to do it do."""
        own, uses = self.own, self.uses
        is_told = own.line in self.known and self.known <= uses.by_line.keys()
        if not (is_told and uses.is_whole and _is_named(self.claim, own)):
            return False
        is_fine = all([await self._is_fine(use) for use in uses.hits])
        if not (is_fine and self._are_all_callers() and self._is_said_of_enough()):
            return False
        return await self.evidence.explained(self.unknown, own, uses)

    def _are_all_callers(self) -> bool:
        """Whether each who is said to call does, and is one function alone."""
        are_single = all(len(lines) == 1 for lines in self.callers.values())
        return are_single and set(self.callers) == {each.text for each in self.claim.others}

    def _is_said_of_enough(self) -> bool:
        """Whether the claim need not hold outside: there something may be called that is offered.

        What nothing calls, and is not private, may be there for others, too.
        """
        is_dead = not self.claim.others and not is_private(self.evidence, self.own)
        return self.claim.of_workspace or not (self.given_away or is_dead)

    async def _is_fine(self, use: Use) -> bool:
        """Whether a place does not speak against the claim; what is open is kept for later."""
        line, reference = use.line, use.reference
        at, is_of_calls = (line.path, line.number), self.claim.relation is Relation.CALLS
        is_hidden = self.evidence.app.acting.hides(line.path)
        match reference.kind:
            case kind if is_hidden or kind == "definition":
                return at == self.own.line and not is_hidden
            case "text":
                is_export = reference.within == (_EVERYTHING,) and self._is_quoted(use)
                self.given_away = self.given_away or is_export
                return is_export and is_of_calls
            case _ if at not in self.known:
                self.unknown.append(use)
                return True
            case "import":
                return self._is_fine_import(use)
            case "reference" if is_of_calls:
                return False  # it may be called from there
            case _:  # else it is open whether a call of itself is meant, too
                is_itself = bool(self.claim.others) and self._is_itself(use)
                return is_itself or await self._is_by_caller(use)

    def _is_fine_import(self, use: Use) -> bool:
        line, name = use.line, self.own.symbol.name
        behind = line.text[use.reference.end :]
        renamed = re.match(r"\s*(?:as\s+(\w+)|:)", behind)
        if renamed and renamed[1] != name:
            return False
        self.given_away = self.given_away or gives_away(line.path) or "export" in line.text
        if self.claim.relation is Relation.CALLS:
            return True
        users = {path for lines in self.callers.values() for path, _ in lines}
        users |= {u.line.path for u in self.uses.hits if self._caller_of(u)}
        return line.path in users

    def _is_itself(self, use: Use) -> bool:
        """Whether a function calls itself there."""
        symbol = self.own.symbol
        if symbol.kind not in FUNCTIONS:
            return False
        around = (*symbol.container, symbol.name)
        is_within = use.reference.within[: len(around)] == around
        return use.line.path == self.own.document.path and is_within

    def _caller_of(self, use: Use) -> str:
        """The name, as it is said, of the innermost function around a use; "" if it is none."""
        within = use.reference.within
        for each in self.claim.others:
            if within[-1:] == (each.last,) and names_fit(each.parts, use.line.path, within):
                return each.text
        return ""

    async def _is_by_caller(self, use: Use) -> bool:
        caller = self._caller_of(use)
        if not caller:
            return False
        within, path = use.reference.within, use.line.path
        around = [
            each
            for each in await self.evidence.symbols_in(path, within[-1])
            if (*each.container, each.name) == within
            and each.first_line <= use.line.number <= each.last_line
        ]
        if len(around) != 1 or use.line.number < around[0].name_line:  # it may decorate it
            return False
        self.callers.setdefault(caller, set()).add((path, around[0].name_line))
        return True

    def _is_quoted(self, use: Use) -> bool:
        text, reference = use.line.text, use.reference
        return text[reference.start - 1 : reference.end + 1] in (
            f'"{self.own.symbol.name}"',
            f"'{self.own.symbol.name}'",
        )


def _is_named(claim: Claim, own: Defined) -> bool:
    """Whether the name that is said, with what stands before it, means what is defined."""
    symbol = own.symbol
    return names_fit(claim.subject.parts, own.document.path, (*symbol.container, symbol.name))


def _site(evidence: Evidence, use: Use) -> CallSite:
    path = evidence.snapshot.relative(use.line.path)
    return CallSite(path, use.line.number, use.reference.within, sure=True)
