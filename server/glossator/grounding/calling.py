"""Calls beside the cited lines: what an index of the workspace adds to a statement about calls.

An index knows calls by their spelling: one that it finds is there, but that it finds none proves
nothing. So what it finds can refute "`f` is never called" and "only `g` calls `f`", and tell where
a call is that the lines do not show. It carries no statement whose lines show no call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from glossator.core.file_kinds import FileKind, kind_of
from glossator.core.shown import shown
from glossator.grounding.cited import CallSite
from glossator.grounding.claim import Claim, Relation
from glossator.grounding.encoding import Known, encoded
from glossator.grounding.english import NEGATION
from glossator.grounding.wording import Kind, Token

Calls = Mapping[str, Sequence[CallSite]]  # by the name that is called

NO_CALLS: Calls = {}
_MOST = 4  # names of a statement that are looked up
_ABOUT_CALLS = re.compile(r"\b(?:call\w*|invok\w+|unused|used)\b", re.IGNORECASE)
_PLACED = re.compile(  # then it is about some of the code
    r"\b(?:file|module|package|class|here|this|these|outside|tests?|directly|itself|(?!only)[a-z]+ly|with"
    r"|if|when|while|until|unless|before|after|again|twice|once)\b|F\d"
)
_N = r"(?:(?:the )?(?:function|method|class|helper) )?"
_NAMES = rf"{_N}N\d+(?:(?: ,| and| or| , and) {_N}N\d+)*"
_ONE = rf"{_N}(?P<o>N\d+)"
_CALLED = r"(?:called|invoked|used)"
_NOBODY = r"(?:nothing|nobody|no one|no code|no function)"
_ANYWHERE = (
    r"(?: (?:anywhere|anymore|at all|by (?:anything|anyone|anybody|any code|any function)"
    r"|in the (?:workspace|project|repository|code|codebase)))*"
)
_FORMS = (
    rf"{_ONE} (?:is|are) (?:never|not|nowhere) {_CALLED}{_ANYWHERE}",
    rf"{_NOBODY} (?:ever )?(?:calls|invokes|uses) {_ONE}{_ANYWHERE}",
    rf"{_ONE} (?:has|have) no callers?{_ANYWHERE}",
    rf"there (?:is|are) no (?:callers?|calls?) (?:of|to) {_ONE}{_ANYWHERE}",
    rf"{_ONE} (?:is|are) unused",
    rf"only (?P<s>{_NAMES}) (?:calls?|invokes?|uses?) {_ONE}",
    rf"{_ONE} (?:is|are) (?:only {_CALLED}|{_CALLED} only) (?:by|in|from) (?P<s>{_NAMES})",
    rf"{_ONE} (?:is|are) {_CALLED} (?:by nothing but|nowhere but in) (?P<s>{_NAMES})",
    rf"the only callers? of {_ONE} (?:is|are) (?P<s>{_NAMES})",
    rf"(?P<s>{_NAMES}) (?:is|are) the only callers? of {_ONE}",
    rf"{_NOBODY} (?:but|except|other than) (?P<s>{_NAMES}) (?:calls|invokes|uses) {_ONE}",
)
_BEGIN = r"(?:^|[,;:] (?:and |but )?|\b(?:and|but|so|that|because) )"
_END = r"(?=$| ?[,;:]| (?:and|but|so|because) )"
_REFUTABLE = tuple(re.compile(f"{_BEGIN}{form}{_END}") for form in _FORMS)
_NARROWED = re.compile(rf"\b(?:{NEGATION}|false|untrue|wrong|in|within|inside|under|for|from)\b")


def names_to_look_up(
    tokens: Sequence[Token], clauses: Sequence[Sequence[Claim]]
) -> tuple[str, ...]:
    """The names whose calls would tell more of a statement; none if it is not about calls."""
    words = " ".join(token.text for token in tokens if token.kind is Kind.WORD)
    if not _ABOUT_CALLS.search(words):
        return ()
    calls = [each for clause in clauses for each in clause if each.relation is Relation.CALLS]
    called = [token for claim in calls for token in claim.objects]
    named = called or [token for token in tokens if token.quoted]
    names = (token.last for token in named if token.kind is Kind.NAME and not token.inside)
    return tuple(dict.fromkeys(names))[:_MOST]


def refuted(
    tokens: Sequence[Token], known: Known, calls: Calls, defined: Callable[[Token], object]
) -> str:
    """Why it is not so that something is never called, or by some alone; "" if nothing is found.

    It has to be `defined` by the lines, and no part of the code named for it. Calls in tests and
    examples refute nothing.
    """
    text = encoded(tokens, known) if calls else ""
    if not text or _PLACED.search(text):
        return ""
    for pattern in _REFUTABLE:
        match = pattern.search(text)
        if match is None or _NARROWED.search(text[: match.start()]):
            continue
        called = _token(match["o"], tokens)
        if not defined(called):
            continue
        callers = [
            _token(each, tokens) for each in re.findall(r"N\d+", match.groupdict().get("s") or "")
        ]
        for site in calls.get(called.last, ()):
            is_meant = any(is_in(site, each) for each in (called, *callers))  # or calls itself
            if site.sure and _counts(site) and not is_meant:
                return f"`{shown(called.text)}` is called in {place(site)}."
    return ""


def _counts(site: CallSite) -> bool:
    return kind_of(site.path) is FileKind.CODE


def call_of(claim: Claim, calls: Calls) -> tuple[Token, CallSite] | None:
    """Where the subject of a claim calls one of its objects, as it says."""
    if claim.relation is not Relation.CALLS or claim.negated or claim.subject is None:
        return None
    found = ((each, site) for each in claim.objects for site in calls.get(each.last, ()))
    return next(((each, site) for each, site in found if is_in(site, claim.subject)), None)


def told_elsewhere(claim: Claim, calls: Calls) -> str:
    """Where the calls are that a claim names, if the lines do not show them; "" if not known."""
    if found := call_of(claim, calls):
        called, site = found
        return f"The call of `{shown(called.text)}` is in {place(site)}."
    if claim.relation is Relation.CALLS and not claim.negated:
        for called in claim.objects:
            if site_ := next((each for each in calls.get(called.last, ()) if each.sure), None):
                return f"`{shown(called.text)}` is called in {place(site_)}."
    return ""


def in_lines(calls: Calls, path: str, first: int, last: int) -> Iterator[tuple[str, CallSite]]:
    """The calls on lines of a file, with the names that are called."""
    for name, sites in calls.items():
        for site in sites:
            if site.path == path and first <= site.line <= last:
                yield name, site


def is_in(site: CallSite, definition: Token) -> bool:
    """Whether the call stands in a definition of this name."""
    return definition.last in site.within


def place(site: CallSite) -> str:
    """`send` (src/client.py, line 8)."""
    caller = f"`{shown('.'.join(site.within))}`" if site.within else "code outside of functions"
    return f"{caller} ({shown(site.path)}, line {site.line})"


def _token(sign: str, tokens: Sequence[Token]) -> Token:
    return tokens[int(sign[1:])]
