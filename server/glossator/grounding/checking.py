"""Checks whether lines carry a statement about them, without a model.

Three checks, each of which can refuse: every name, number and quoted text of the statement stands
in the lines; what it claims (`grounding/claims.py`) is written there (`grounding/evidence.py`); and
what it denies is not. What passes is *supported* if its claims are all written, and it names and
says nothing beside them (`grounding/saying.py`); else *undecided*: nothing speaks against it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from operator import itemgetter

from glossator.core.shown import shown
from glossator.grounding.calling import (
    NO_CALLS,
    Calls,
    call_of,
    in_lines,
    names_to_look_up,
    refuted,
    told_elsewhere,
)
from glossator.grounding.cited import CitedLines, Code, Evidence, spaced
from glossator.grounding.claim import Claim, Relation
from glossator.grounding.claims import claims_of
from glossator.grounding.denying import is_denied
from glossator.grounding.encoding import Known, encoded, is_statement
from glossator.grounding.english import is_english, is_negation
from glossator.grounding.evidence import find
from glossator.grounding.literals import is_among, value_of
from glossator.grounding.saying import says_more
from glossator.grounding.wording import Kind, Token, is_of_lines, is_set_aside, tokens_of

_IMPLIED = frozenset(  # what lines may mean without writing it
    "None null nil undefined void True False true false self cls this bool int str float list dict"
    " tuple set bytes object string number boolean any unknown never Promise"
    " try except catch finally raise throw return yield async await import from def class func fn"
    " function if else for while with".split()
)
_COUNTED = frozenset(
    "argument arguments parameter parameters line lines time times file files place places case"
    " cases branch branches method methods function functions class classes step steps call calls"
    " element elements item items entry entries field fields value values key keys of way ways"
    " constants imports exceptions errors names types kinds".split()
)
_COMPUTED = re.compile(  # lines that may stand for a number which is not written in them
    r"<<|>>|\*\*| [*/%] |\b(?:HTTP_?)?Status\w+|\b(?:MAX|MIN|Max|Min)[A-Z_\d]\w*|\bmath\."
)
_LINE_WORDS = frozenset("line l".split())
_SAID: Mapping[Relation, str] = {  # of the subject; {} are the objects
    Relation.CALLS: "calls {}",
    Relation.USES: "uses {}",
    Relation.CONTAINS: "contains {}",
    Relation.RAISES: "raises {}",
    Relation.CATCHES: "catches {}",
    Relation.RETURNS: "returns {}",
    Relation.YIELDS: "yields {}",
    Relation.EXTENDS: "extends {}",
    Relation.IMPORTS: "imports {}",
    Relation.DEFAULTS: "has the default {}",
    Relation.EQUALS: "equals {}",
    Relation.ASSIGNS: "assigns {}",
    Relation.TAKES: "takes {}",
    Relation.KEYWORD_ONLY: "takes {} by keyword only",
    Relation.REQUIRED: "requires {}",
    Relation.COUNT: "has {} parameters",
    Relation.TYPE: "has the type {}",
    Relation.RETURN_TYPE: "has the return type {}",
    Relation.ASYNC: "is asynchronous",
    Relation.IMPLEMENTS: "implements {}",
    Relation.MEMBER: "defines {}",
    Relation.SORT: "is of the kind {}",
    Relation.DECORATED: "is decorated with {}",
    Relation.BEFORE: "comes before {}",
    Relation.COMPARES: "compares with {}",
}


class Verdict(StrEnum):
    """What checks found of a statement."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict, and in one sentence why the statement is refused.

    It is `sure` where something that the statement quotes stands nowhere in the lines, and is no
    number that they may stand for, and where the workspace has a call that refutes it. `parts` are
    those of the lines that carry it, if not all do. `of_rest`: what the rest of
    the definition says of a denial.
    """

    verdict: Verdict
    reason: str = ""
    sure: bool = False
    parts: tuple[CitedLines, ...] = ()
    of_rest: Judgement | None = None


def names_called(statement: str, cited: Sequence[CitedLines]) -> tuple[str, ...]:
    """The names whose calls elsewhere would tell more of a statement; see `calling.py`."""
    tokens = tokens_of(statement)
    known = _known([Code(each) for each in cited])
    return names_to_look_up(tokens, claims_of(tokens, known))


def check(statement: str, cited: Sequence[CitedLines], calls: Calls = NO_CALLS) -> Judgement:
    """Whether all the lines together carry the statement; `calls` are those of the workspace."""
    codes = [_code(each, calls) for each in cited]
    tokens = tokens_of(statement)
    known = _known(codes)
    if why := refuted(tokens, known, calls, lambda name: any(c.defining(name) for c in codes)):
        return Judgement(Verdict.CONTRADICTED, why, sure=True)
    judged = [
        [(claim, _best(claim, codes)) for claim in clause] for clause in claims_of(tokens, known)
    ]
    missing = max(_missing(tokens, codes), key=itemgetter(1), default=None)  # the surest
    if missing and not _denies(tokens, codes):
        named, sure = missing
        reason = f"{named} does not occur in the lines.{_elsewhere(chain(*judged), calls)}"
        return Judgement(Verdict.UNSUPPORTED, reason, sure)
    for findings in judged:
        if refused := _refused_clause(findings, codes):
            return replace(refused, reason=f"{refused.reason}{_elsewhere(findings, calls)}")
        for claim, found in findings:
            is_open = found is Evidence.UNKNOWN and claim.sure and not claim.topical
            if is_open and not claim.condition and call_of(claim, calls):
                where = told_elsewhere(claim, calls)
                reason = f"The lines do not say {_said(claim)}. {where}"
                return Judgement(Verdict.UNSUPPORTED, reason)
    is_carried = _is_carried(tokens, known, list(chain(*judged)), codes)
    return Judgement(Verdict.SUPPORTED if is_carried else Verdict.UNDECIDED)


def _is_carried(
    tokens: Sequence[Token],
    known: Known,
    found: Sequence[tuple[Claim, Evidence]],
    codes: Sequence[Code],
) -> bool:
    """Whether the lines carry each claim, and the statement says nothing beside its claims."""
    if not all(claim.sure and _carries(claim, evidence, codes) for claim, evidence in found):
        return False
    named = {token for claim, _ in found for token in _named_in(claim)}
    if all(token.kind is Kind.NUMBER for token in named):
        return False
    if any(token not in named for token in tokens if _has_to_be_claimed(token)):
        return False
    return not says_more(encoded(tokens, known), [claim for claim, _ in found])


def _has_to_be_claimed(token: Token) -> bool:
    if token.kind is Kind.FRAGMENT:
        return not is_statement(token)  # its parts are tokens of their own
    return token.kind in (Kind.NAME, Kind.STRING, Kind.NUMBER) and not token.inside


def _named_in(claim: Claim) -> set[Token]:
    return set(filter(None, (claim.subject, *claim.objects, *claim.inside, claim.source)))


def _refused_clause(
    findings: Sequence[tuple[Claim, Evidence]], codes: Sequence[Code]
) -> Judgement | None:
    """Why a clause is refused: one of its claims is, or all that it denies together are written."""
    refusals = [
        _refused(claim, found) if claim.sure and not _may_be_unwritten(claim, codes) else None
        for claim, found in findings
    ]
    denials = [why for (claim, _), why in zip(findings, refusals, strict=True) if claim.negated]
    others = [why for (claim, _), why in zip(findings, refusals, strict=True) if not claim.negated]
    if denials and all(denials):
        return denials[0]
    return next(filter(None, others), None)


def _may_be_unwritten(claim: Claim, codes: Sequence[Code]) -> bool:
    """Whether it names what lines may write in another way: folders, as in `from a.b import c`.

    Or names that they put together: `emit_after("save")` for `after_save`.
    """
    return any(
        ("/" in each.text and "." not in each.text) or _is_put_together(each, codes)
        for each in _named_in(claim)
    )


def _is_put_together(token: Token, codes: Sequence[Code]) -> bool:
    is_name = token.kind is Kind.NAME and not any(code.has(token.text) for code in codes)
    return is_name and any(code.puts_together(token.last) for code in codes)


def _code(cited: CitedLines, calls: Calls) -> Code:
    last = cited.first_line + len(cited.lines) - 1
    return Code(cited, in_lines(calls, cited.path, cited.first_line, last))


def _elsewhere(findings: Iterable[tuple[Claim, Evidence]], calls: Calls) -> str:
    """Where calls are that the lines do not show, behind a reason."""
    told = (told_elsewhere(each, calls) for each, found in findings if found is not Evidence.FOUND)
    return next((f" {where}" for where in told if where), "")


def _known(codes: Sequence[Code]) -> Known:
    return lambda word: any(code.has(word) for code in codes)


def _carries(claim: Claim, found: Evidence, codes: Sequence[Code]) -> bool:
    return is_denied(claim, found, codes) if claim.negated else found is Evidence.FOUND


def _denies(tokens: Sequence[Token], codes: Sequence[Code]) -> bool:
    """Whether the statement says of these lines what is not there: that need not occur in them.

    One of its names has to, else it says nothing about these lines.
    """
    words = {token.text.lower() for token in tokens if token.kind is Kind.WORD}
    if not any(map(is_negation, words)):
        return False
    names = [token for token in tokens if token.kind in (Kind.NAME, Kind.FILE)]
    bare = [token for token in tokens if token.kind is Kind.WORD and not is_english(token.text)]
    return any(code.has(token.text) for token in (*names, *bare) for code in codes) or bool(
        words & {"module", "file"}
    )


def _missing(tokens: Sequence[Token], codes: Sequence[Code]) -> Iterator[tuple[str, bool]]:
    """What the statement names and no lines hold, and whether it is quoted: code, number, text."""
    whole = "\n".join(code.text for code in codes)
    quotes_code = any(token.quoted for token in tokens)  # then other quotes may only set words off
    is_written = False  # the fragment that the tokens are inside of
    for at, token in enumerate(tokens):
        if token.kind is Kind.FRAGMENT:
            is_written = re.search(spaced(token.text), whole) is not None
        if token.inside and is_written:
            continue
        match token.kind:
            case Kind.NAME if not (_named(token, codes) or is_set_aside(at, tokens)):
                yield shown(token.text), token.quoted
            case Kind.NUMBER if not _numbered(at, tokens, codes):
                yield shown(token.text), _COMPUTED.search(whole) is None
            case Kind.STRING if not _quoted(token, whole, is_scare=quotes_code):
                yield f"“{shown(token.text)}”", True
            case Kind.FILE if not _filed(token.text, codes):
                yield shown(token.text), False
            case _:
                pass


def _named(token: Token, codes: Sequence[Code]) -> bool:
    if token.last in _IMPLIED:
        return True
    parts = [part for part in token.parts if part not in _IMPLIED]
    if all(any(code.has(part) for code in codes) for part in parts):
        return True
    # an instance's or a module's name may be told by words: the last part counts
    return (
        len(parts) > 1
        and (not token.quoted or "::" in token.text)
        and any(code.has(parts[-1]) for code in codes)
    ) or _is_put_together(token, codes)


def _numbered(at: int, tokens: Sequence[Token], codes: Sequence[Code]) -> bool:
    token = tokens[at]
    value = value_of(token.text)
    if value is None:
        return True
    before = tokens[at - 1].text.lower() if at else ""
    behind = tokens[at + 1].text.lower() if at + 1 < len(tokens) else ""
    if before in _LINE_WORDS:
        return any(
            code.cited.first_line <= value < code.cited.first_line + len(code.cited.lines)
            for code in codes
        )
    if is_of_lines(at, tokens) or (behind in _COUNTED and not token.quoted):
        return True
    return any(is_among(value, code.numbers) for code in codes)


def _quoted(token: Token, whole: str, *, is_scare: bool) -> bool:
    wanted = " ".join(token.text.split())
    if not wanted or (is_scare and not token.quoted and wanted.isalpha() and wanted.islower()):
        return True
    pieces = [piece.strip() for piece in re.split(r"…|\.\.\.|%\w|\{[^{}]*\}", wanted)]
    plain = " ".join(
        re.sub(r"\\(.)", r"\1", re.sub(r"[\"']\s*\n\s*[rfb]*[\"']", "", whole)).split()
    )
    return all(piece in plain or piece in " ".join(whole.split()) for piece in pieces)


def _filed(name: str, codes: Sequence[Code]) -> bool:
    plain = name.removeprefix("./").strip("/")
    return any(
        f"/{code.cited.path}".endswith(f"/{plain}")
        or f"/{plain}/" in f"/{code.cited.path}"
        or plain in code.text
        or code.has(plain.rsplit("/", 1)[-1].rsplit(".", 1)[0])
        for code in codes
    )


def _best(claim: Claim, codes: Sequence[Code]) -> Evidence:
    """What the most telling of the lines say."""
    found = {find(claim, code) for code in codes}
    order = (Evidence.FOUND, Evidence.OPPOSITE, Evidence.ABSENT)
    return next((each for each in order if each in found), Evidence.UNKNOWN)


def _refused(claim: Claim, finding: Evidence) -> Judgement | None:
    if claim.negated:
        if finding is Evidence.FOUND and not claim.condition:
            return Judgement(Verdict.CONTRADICTED, f"The lines do say {_said(claim)}.")
        return None
    if finding is Evidence.OPPOSITE:
        return Judgement(Verdict.CONTRADICTED, f"The lines contradict {_said(claim)}.")
    if finding is Evidence.ABSENT:
        return Judgement(Verdict.UNSUPPORTED, f"The lines do not say {_said(claim)}.")
    return None


def _said(claim: Claim) -> str:
    """A claim in words, as if it were not negated: that `f` calls `g`."""
    objects = " and ".join(map(_in_words, claim.objects))
    if claim.topical:
        return f"what the sentence {'denies' if claim.negated else 'says'} of {objects}"
    subject = _in_words(claim.subject) if claim.subject else "it"
    says = f"{claim.sign} {objects}" if claim.sign else _SAID[claim.relation].format(objects)
    return f"that {subject} {says}"


def _in_words(token: Token) -> str:
    match token.kind:
        case Kind.STRING:
            return f"“{shown(token.text)}”"
        case Kind.NUMBER | Kind.WORD:
            return shown(token.text)
        case _:
            return f"`{shown(token.text)}`"
