"""Proofs by language servers: what they know of all the workspace's code decides some sentences.

One call that a server tells refutes "`f` is never called" and "only `g` calls `f`"; one class does
"nothing extends `X`". No silence of a server supports these (docs/decisions/0082). That one class
extends another is supported by its word. Nothing here raises for what it cannot find out: then the
sentence stays as it is.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from glossator.application import Application
from glossator.core.code import CodeKind
from glossator.core.document import Document
from glossator.core.errors import UsageError
from glossator.core.file_kinds import CODE, FileKind, kind_of, language_of
from glossator.core.shown import shown
from glossator.core.span import Basis
from glossator.core.uri import to_path
from glossator.grounding import (
    UNDECIDED,
    CallSite,
    Claim,
    Extent,
    Judgement,
    Relation,
    Token,
    Verdict,
    place_of_call,
)
from glossator.symbols import (
    ALL_USES,
    Limits,
    Name,
    NamePlace,
    SearchScope,
    Symbol,
    Use,
    only_definition,
)
from glossator.worker import JobFailed, WorkerGone
from glossator.workspace import WorkspaceSnapshot

logger = logging.getLogger(__name__)

SECONDS = 1.0  # for all proofs of a look at an answer

Line = tuple[str, int]  # an absolute path, and a 1-based line

_LIMITS = Limits(texts=150, hits=300, seconds=1.0)
_GRACE_SECONDS = 0.1  # for what is under way to say that it is not ready
_LANGUAGES = frozenset({"python", "javascript", "typescript", "tsx"})  # whose servers are tried
_TYPES = frozenset({"class", "interface"})
_MOST_MEMBERS = 40  # classes that extend one
_DEPTH = 4  # classes above one another
_LONGEST_HEAD = 2_000  # characters
_STRUCTURAL = re.compile(r"\bProtocol\b")
# The heads of classes that are read: before the name, and behind it with type arguments blanked.
# Any other leaves a sentence open. A lower-case name behind a dot may be no class. Two groups list
# bases.
_BEFORE = re.compile(r"\s*(?:(?:export|default|declare|abstract)\s+)*(?:class|interface)\s+")
_BASE = r"(?:[\w$]+|[\w$.]+\._?[A-Z]\w*)"
_LISTED = rf"({_BASE}(?:\s*,\s*{_BASE})*)"
_KEYWORD = r"\b(?:metaclass\s*=\s*[\w.]+|\w+\s*=\s*(?:True|False))"
_HEADS = {
    True: re.compile(  # Python
        rf"\s*(?:\(\s*(?:{_LISTED}\s*)?(?:,\s*)?(?:{_KEYWORD}\s*(?:,\s*)?)*\)\s*)?():"
    ),
    False: re.compile(rf"(?:\s+extends\s+{_LISTED})?(?:\s+implements\s+{_LISTED})?\s*\{{"),
}
_BRACKETS = {
    True: re.compile(r"\[[\w\s,.|*]*\]"),
    False: re.compile(r"<[\w$\s,.|&=\[\]]*>"),
}
_ANY_BRACKETS = re.compile(r"<(?:=>|[^<>])*>")  # of scripts, with all that a type may say
_NAMES = re.compile(r"[\w$.]+")
# stubs, with the module that each is of
_OWN = re.compile(r"/typeshed[^/]*/(?:.*/)?stdlib(?:/3)?(/.*\.py)i$|/lib\.[^/]*\.d\.ts$")


async def prove(
    app: Application, claims: Sequence[Claim], seconds: float, *, begins: bool
) -> Sequence[Judgement | None]:
    """A judgement for each claim, undecided if it could not be proved in so many seconds.

    None if no language server answers yet. `begins`: one may be started.
    """
    if not app.code.are_there:
        return [None] * len(claims)
    snapshot = app.host.snapshot()
    deadline = asyncio.get_running_loop().time() + seconds
    evidence = Evidence(app, snapshot, deadline, begins)
    found = await asyncio.gather(*(_proved(evidence, each) for each in claims))
    is_same = app.host.snapshot().revision == snapshot.revision
    return found if is_same else [None] * len(claims)


async def _proved(evidence: Evidence, claim: Claim) -> Judgement | None:
    judge = _of_calls if claim.is_of_calls else _of_types
    try:
        async with asyncio.timeout_at(evidence.deadline + _GRACE_SECONDS):
            return await judge(evidence, claim)
    except TimeoutError:
        logger.info("%s was not proved in time", claim.subject.text)
    except (WorkerGone, JobFailed, UsageError) as failure:
        logger.warning("%s was not proved: %s", claim.subject.text, failure)
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
        logger.exception("Proving a sentence failed")  # a bug in it must not cost the answer
    return UNDECIDED


def _refuted(reason: str) -> Judgement:
    return Judgement(Verdict.CONTRADICTED, reason, sure=True, basis=Basis.SERVER)


async def _of_calls(evidence: Evidence, claim: Claim) -> Judgement | None:
    """The judgement of a claim about calls or uses; None if no server answers."""
    own = await evidence.cited(claim)
    if own is None or not own.is_meant(claim.subject) or claim.limit:
        return UNDECIDED
    known = await evidence.told(CodeKind.REFERENCES, own.place)
    if known is None:
        return None
    kinds = {"call"} if claim.relation is Relation.CALLS else {"call", "reference"}
    uses = await evidence.uses(own.symbol.name)
    said = [each.last for each in claim.others]
    for use in uses:
        site = call_site(evidence.snapshot, use, sure=True)
        is_told = (use.line.path, use.line.number) in known and use.reference.kind in kinds
        is_own = use.line.path == own.document.path and own.holds(site.within)
        if is_told and not is_own and not site.is_by(said) and await _means(evidence, use, own):
            verb = "called" if use.reference.kind == "call" else "used"
            return _refuted(f"`{shown(claim.subject.text)}` is {verb} in {place_of_call(site)}.")
    return UNDECIDED


async def _means(evidence: Evidence, use: Use, own: Defined) -> bool:
    """Whether a server tells that a name means what is cited, or a part or an overload of it.

    Among the references of a method servers also tell those of others that override the same.
    """
    document = await asyncio.to_thread(evidence.snapshot.read, use.line.path)
    if not isinstance(document, Document):
        return False
    place = NamePlace(document, use.line.number, use.reference.start, own.symbol.name)
    told = await evidence.told(CodeKind.DEFINITIONS, place) or ()
    for line in told:
        at = await evidence.on(line) if line[0] == own.document.path else None
        if at is not None and own.holds(at.names):
            return True
    return False


async def _of_types(evidence: Evidence, claim: Claim) -> Judgement | None:
    """The judgement of a claim about implementations; None if no server answers.

    A server tells the implementations of a class or interface, also those further down.
    """
    at = await evidence.cited(claim)
    is_cited = claim.defined == claim.subject
    subject = at if is_cited else await evidence.only(claim.subject.text)
    if at is None or subject is None or not _is_fit(claim, subject):
        return UNDECIDED
    lines = await evidence.told(CodeKind.IMPLEMENTATIONS, subject.place)
    if lines is None:
        return None
    if len(lines) > _MOST_MEMBERS:
        return UNDECIDED
    outlined = await asyncio.gather(*map(evidence.on, sorted(lines - {subject.line})))
    members = [each for each in outlined if each is not None and each.symbol.kind in _TYPES]
    return await _by_members(evidence, claim, subject, at, members)


async def _by_members(
    evidence: Evidence, claim: Claim, subject: Defined, at: Defined, members: Sequence[Defined]
) -> Judgement:
    """The judgement by the classes that extend or implement `subject`; the lines define `at`."""
    named = [_named(each, claim, at, members) for each in claim.others]
    others = [each for each in members if each not in named]
    if claim.extent is Extent.WHOLE:
        return await _another(evidence, claim, subject, others)
    if all(each is not None and _is_wanted(each, claim, subject) for each in named):
        if claim.extent is Extent.LISTED and others:  # it may mean that these are all
            return UNDECIDED
        reached = [
            each is not None and await _reaches(evidence, each, claim, subject) for each in named
        ]
        if not all(reached):
            return UNDECIDED
        parts = (claim.cited,)
        return Judgement(Verdict.SUPPORTED, sure=True, parts=parts, basis=Basis.SERVER)
    is_one = claim.extent is Extent.SOME and named == [None]
    return await _by_bases(evidence, claim, subject, at) if is_one else UNDECIDED


def _is_fit(claim: Claim, subject: Defined) -> bool:
    """Whether the subject can be what is said of it: in scripts only interfaces are implemented."""
    if subject.symbol.kind not in _TYPES or subject.language not in _LANGUAGES:
        return False
    is_class = subject.language != "python" and subject.symbol.kind == "class"
    if is_class and claim.relation is Relation.IMPLEMENTS:
        return False
    return subject.is_meant(claim.subject)


def _named(token: Token, claim: Claim, at: Defined, members: Sequence[Defined]) -> Defined | None:
    """The only member that a name means; that of the cited lines, if they define it."""
    found = [each for each in members if each.is_meant(token)]
    if token == claim.defined:
        found = [each for each in found if each.line == at.line]
    return found[0] if len(found) == 1 else None


def _is_wanted(member: Defined, claim: Claim, subject: Defined) -> bool:
    """Whether it does what is said: classes implement interfaces, which others extend."""
    if subject.symbol.kind != "interface":
        return True
    implements = claim.relation is Relation.IMPLEMENTS
    return member.symbol.kind == ("class" if implements else "interface")


async def _reaches(
    evidence: Evidence, at: Defined, claim: Claim, subject: Defined, depth: int = _DEPTH
) -> bool:
    """Whether heads lead from a class to what it is said to extend or implement.

    In scripts a server also tells a class that implements another as one that extends it. It tells
    what each base means, so that a head that is read wrongly leads nowhere.
    """
    if at.line == subject.line or at.language == "python":
        return True
    groups = (1, 2) if claim.relation is Relation.IMPLEMENTS else (1,)
    for base in at.likely_bases(*groups) if depth else ():
        for line in await evidence.told(CodeKind.DEFINITIONS, base) or ():
            above = await evidence.on(line)
            if above is not None and await _reaches(evidence, above, claim, subject, depth - 1):
                return True
    return False


async def _another(
    evidence: Evidence, claim: Claim, subject: Defined, others: Sequence[Defined]
) -> Judgement:
    """Refuted by a class whose head names the subject as its base, if it is not said to extend it.

    A server tells that the name means the subject: another may be called the same.
    """
    name, implements = subject.symbol.name, claim.relation is Relation.IMPLEMENTS
    group = 2 if implements and subject.symbol.kind == "interface" else 1
    for each in others:
        path, is_said = each.document.path, any(map(each.is_meant, claim.others))
        is_limited = claim.limit not in ("", each.symbol.kind)
        if is_said or is_limited or not _is_wanted(each, claim, subject):
            continue
        if not evidence.is_product(path):
            continue
        for base in each.bases(group) or ():
            if base.name == name and subject.line in (
                await evidence.told(CodeKind.DEFINITIONS, base) or ()
            ):
                done = "implemented" if implements else "extended"
                also = " also" if claim.others else ""
                where = f"({shown(evidence.snapshot.relative(path))}, line {each.line[1]})"
                by = f"`{shown(each.symbol.name)}` {where}"
                return _refuted(f"`{shown(name)}` is{also} {done} by {by}.")
    return UNDECIDED


async def _by_bases(
    evidence: Evidence, claim: Claim, subject: Defined, cited: Defined
) -> Judgement:
    """Refuted if all that a class extends is known, and it is something else.

    Not where a class may fulfil or be registered as the subject without extending it.
    """
    name, is_implementing = claim.others[0], claim.relation is Relation.IMPLEMENTS
    at = cited if name == claim.defined else await evidence.only(name.text)
    if at is None or at.symbol.kind != "class" or at.language not in _LANGUAGES:
        return UNDECIDED
    is_loose = subject.symbol.kind == "interface" or _STRUCTURAL.search(subject.text)
    if is_loose or (is_implementing and at.language == "python"):
        return UNDECIDED
    if not await _extends_only_others(evidence, at, subject):
        return UNDECIDED
    does = "implement" if is_implementing else "extend"
    who, what = shown(name.text), shown(claim.subject.text)
    return _refuted(f"`{who}` does not {does} `{what}`, by its bases.")


async def _extends_only_others(
    evidence: Evidence, at: Defined, subject: Defined, depth: int = _DEPTH
) -> bool:
    """Whether all classes above one are known, and none is the subject or called like it."""
    bases = _bases_of(at)
    if bases is None or not depth or at.line == subject.line:
        return False
    for base in bases:
        if base.name == subject.symbol.name:
            return False
        lines = await evidence.told(CodeKind.DEFINITIONS, base) or frozenset()
        of_language = _of_language([path for path, _ in lines])
        if not lines:
            return False
        for line in lines:
            above = await evidence.on(line)
            if above is None and line[0].endswith(of_language):
                continue
            if above is None or above.symbol.kind not in _TYPES:
                return False
            if not await _extends_only_others(evidence, above, subject, depth - 1):
                return False
    return True


def _of_language(paths: Sequence[str]) -> tuple[str, ...]:
    """How the paths end of what a language has itself, which extends nothing of ours.

    basedpyright tells the class in a stub, and also that in Python's own module.
    """
    found = [each for path in paths if (each := _OWN.search(path))]
    return tuple(end for each in found for end in (each.string, each[1]) if end)


def _bases_of(at: Defined) -> list[NamePlace] | None:
    """Where all bases of a class are named; None where that is not plain.

    As of one that is decorated or made within a call, which may have it extend more.
    """
    symbol = at.symbol
    before = at.document.lines[symbol.name_line - 1][: symbol.name_column]
    is_bare = symbol.first_line == symbol.name_line and _BEFORE.fullmatch(before)
    return at.bases(1, 2) if is_bare else None


@dataclass(frozen=True, slots=True)
class Defined:
    """A symbol where it is defined."""

    document: Document
    symbol: Symbol

    @property
    def line(self) -> Line:
        """Where its name stands."""
        return self.document.path, self.symbol.name_line

    @property
    def language(self) -> str:
        """The language of its file; "" if it is unknown."""
        return language_of(self.document.path, self.document.text[:1_000]) or ""

    @property
    def place(self) -> NamePlace:
        """Where a server is asked about it."""
        symbol = self.symbol
        return NamePlace(self.document, symbol.name_line, symbol.name_column, symbol.name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names that it stands in, outermost first, and its own."""
        return (*self.symbol.container, self.symbol.name)

    def holds(self, names: tuple[str, ...]) -> bool:
        """Whether what has these names in the same file is it, or within it."""
        return names[: len(self.names)] == self.names

    @property
    def text(self) -> str:
        """All behind its name."""
        symbol = self.symbol
        lines = self.document.lines[symbol.name_line - 1 : symbol.last_line]
        return "\n".join(lines)[symbol.name_column + len(symbol.name) :]

    def bases(self, *groups: int) -> list[NamePlace] | None:
        """Where a class's head lists its bases; None if the head is not plain.

        Group 1 are all of Python and what others extend, 2 is what they implement.
        """
        is_python = self.language == "python"
        head = self.text[: self.text.find(":" if is_python else "{") + 1]
        return self._listed(_blanked(head, _BRACKETS[is_python]), groups)

    def likely_bases(self, *groups: int) -> list[NamePlace]:
        """The same in scripts, whatever its type arguments say: what is read may be no head."""
        return self._listed(_blanked(self.text[:_LONGEST_HEAD], _ANY_BRACKETS), groups) or []

    def _listed(self, head: str, groups: Sequence[int]) -> list[NamePlace] | None:
        """The bases that a head lists, without its type arguments."""
        symbol, is_python = self.symbol, self.language == "python"
        if not (plain := _HEADS[is_python].match(head)):
            return None
        found: list[NamePlace] = []
        listed = (_NAMES.finditer(head, *plain.span(group)) for group in groups)
        for base in chain.from_iterable(listed):
            before = head[: base.start() + base[0].rfind(".") + 1]
            line, column = before.count("\n"), len(before) - before.rfind("\n") - 1
            start = 0 if line else symbol.name_column + len(symbol.name)
            name = base[0].rpartition(".")[2]
            found.append(NamePlace(self.document, symbol.name_line + line, start + column, name))
        return found

    def is_meant(self, token: Token) -> bool:
        """Whether a name, with what stands before its dots, means this symbol."""
        path = self.document.path
        around = (*re.split(r"[/\\]", path.rpartition(".")[0]), *self.names)
        return token.last == self.symbol.name and around[-len(token.parts) :] == token.parts


def _blanked(head: str, brackets: re.Pattern[str]) -> str:
    """A head with blanks for its type arguments."""
    nested = 1
    while nested:
        head, nested = brackets.subn(lambda it: re.sub(r"\S", " ", it[0]), head)
    return head


@dataclass(frozen=True)
class Evidence:
    """Answers questions about one state of the workspace until `deadline` (loop time).

    `begins`: a server may be started for it.
    """

    app: Application
    snapshot: WorkspaceSnapshot
    deadline: float
    begins: bool

    async def told(self, kind: CodeKind, place: NamePlace) -> frozenset[Line] | None:
        """The lines that a language server tells; None if none answers."""
        seconds = max(0.0, self.deadline - asyncio.get_running_loop().time())
        answer = await self.app.code.ask(place.question(kind), seconds, begins=self.begins)
        if isinstance(answer, str):
            return None
        return frozenset((to_path(each.uri) or "", each.line + 1) for each in answer.places)

    async def cited(self, claim: Claim) -> Defined | None:
        """What the cited lines define, if they are still the same."""
        cited = claim.cited
        document = await asyncio.to_thread(self.snapshot.read, cited.path)
        if not isinstance(document, Document):
            return None
        first = cited.first_line - 1
        if tuple(document.lines[first : first + len(cited.lines)]) != cited.lines:
            return None
        symbols = await self.app.symbols.outline(self.snapshot, document, name_line=claim.line)
        found = [each for each in symbols if each.name == claim.defined.last]
        return Defined(document, found[0]) if len(found) == 1 else None

    async def only(self, name: str) -> Defined | None:
        """The only class or interface of a name in code."""
        scope = SearchScope(languages=CODE)
        found = await self.app.symbols.definitions(self.snapshot, Name.parse(name), scope)
        types = tuple(each for each in found.hits if each.symbol.kind in _TYPES)
        at = only_definition(replace(found, hits=types))
        return None if at is None else await self.on((at.line.path, at.symbol.name_line))

    async def on(self, line: Line) -> Defined | None:
        """What is defined on a line of a file that is listed and that no rule hides."""
        path, number = line
        if self.snapshot.listing.get(path) is None or self.app.acting.hides(path):
            return None
        document = await asyncio.to_thread(self.snapshot.read, path)
        if not isinstance(document, Document):
            return None
        found = await self.app.symbols.outline(self.snapshot, document, name_line=number)
        return Defined(document, found[0]) if len(found) == 1 else None

    async def uses(self, name: str) -> Sequence[Use]:
        """Where code that may be shown, and is no test, uses a name."""
        may_be_shown = SearchScope(languages=CODE, hides=self.app.acting.hidden())
        named = Name.parse(name)
        found = await self.app.symbols.uses(self.snapshot, named, ALL_USES, may_be_shown, _LIMITS)
        return [each for each in found.hits if self.is_product(each.line.path)]

    def is_product(self, path: str) -> bool:
        """Whether a file is no test, no example and not generated."""
        return kind_of(self.snapshot.relative(path)) is FileKind.CODE


def call_site(snapshot: WorkspaceSnapshot, use: Use, *, sure: bool) -> CallSite:
    """A call as the rules tell it; `sure`: it calls what is meant, not only by its name."""
    path = snapshot.relative(use.line.path)
    reference = use.reference
    return CallSite(path, reference.line, reference.within, sure, reference.held)
