"""Calls beside the cited lines: what an index of the workspace adds to a statement about calls.

An index knows calls by their spelling: one that it finds is there, but that it finds none proves
nothing. So it refutes "`f` is never called" and "only `g` calls `f`", and supports no statement.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from glossator.core.file_kinds import FileKind, kind_of
from glossator.core.shown import shown
from glossator.grounding.cited import CallSite, Code
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
_BEGIN, _END = r"^(?:note that )?", r"$"  # all of the statement
_REFUTABLE = tuple(re.compile(f"{_BEGIN}{form}{_END}") for form in _FORMS)
_SIGNS = {Kind.NAME: "N", Kind.FILE: "F"}


def names_to_look_up(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The names whose calls would tell more of a statement; none if it is not about calls."""
    if not any(t.kind is Kind.WORD and _ABOUT_CALLS.fullmatch(t.text) for t in tokens):
        return ()
    names = (t.last for t in tokens if t.kind is Kind.NAME and not t.inside)
    return tuple(dict.fromkeys(names))[:_MOST]


def callers_claimed(
    tokens: Sequence[Token], codes: Sequence[Code]
) -> tuple[Token, tuple[Token, ...]] | None:
    """What a statement says all callers of: `f`, and these, none if it is said to be never called.

    None if it says nothing of the kind, or the lines do not define `f`, or it is of a part of the
    code.
    """
    text = " ".join(_sign(at, token) for at, token in enumerate(tokens) if not token.inside)
    text = text.rstrip(" .!")
    if _PLACED.search(text):
        return None
    for pattern in _REFUTABLE:
        match = pattern.search(text)
        if match is None:
            continue
        called = _token(match["o"], tokens)
        if any(each.name == called.last for code in codes for each in code.definitions):
            callers = re.findall(r"N\d+", match.groupdict().get("s") or "")
            return called, tuple(_token(each, tokens) for each in callers)
    return None


def other_call(called: Token, callers: Sequence[Token], calls: Calls) -> str:
    """Where something is called by none of its `callers`; "" if no such call is known.

    Calls in tests and examples do not count, nor those by itself.
    """
    for site in calls.get(called.last, ()):
        is_meant = any(each.last in site.within for each in (called, *callers))
        if site.sure and kind_of(site.path) is FileKind.CODE and not is_meant:
            return f"`{shown(called.text)}` is called in {_place(site)}."
    return ""


def called_elsewhere(name: Token, calls: Calls) -> str:
    """Where something that the lines do not hold is called, behind a reason; "" if not known."""
    site = next((each for each in calls.get(name.last, ()) if each.sure), None)
    return f" `{shown(name.text)}` is called in {_place(site)}." if site else ""


def _place(site: CallSite) -> str:
    """`send` (src/client.py, line 8)."""
    caller = f"`{shown('.'.join(site.within))}`" if site.within else "code outside of functions"
    return f"{caller} ({shown(site.path)}, line {site.line})"


def _sign(at: int, token: Token) -> str:
    """A name as `N3`, by the number of its token; a word in small letters."""
    return f"{_SIGNS[token.kind]}{at}" if token.kind in _SIGNS else token.text.lower()


def _token(sign: str, tokens: Sequence[Token]) -> Token:
    return tokens[int(sign[1:])]
