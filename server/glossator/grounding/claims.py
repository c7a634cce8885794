"""Claims about all code of a workspace: what calls or uses a function, what implements a class.

The lines that a statement cites cannot show them: any other file may hold one more call. An index
or a language server may know of one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from glossator.grounding.cited_lines import CitedLines, Code, Definition
from glossator.grounding.wording import Kind, Token, tokens_of

_BEFORE = (
    r"(?:(?:the|both|class|abstract) )*(?:(?:function|method|class|helper|interface|protocol) )?"
)
_BEHIND = r"(?: (?:function|method|helper|class|interface|protocol|base class))?"
_A_NAME = rf"{_BEFORE}N\d+{_BEHIND}"
_SOME = rf"(?P<s>{_A_NAME}(?:(?: ,| and| or| , and) {_A_NAME})*)"
_THE = rf"{_BEFORE}(?P<o>N\d+){_BEHIND}"
_ALL_CODE = (
    r"(?:in|within|throughout|across|inside) (?:all of )?(?:the|this) (?:whole |entire )?"
    r"(?:workspace|project|repository|repo|codebase|code base|code)"
)
_ANYWHERE = (
    r"(?: (?:anywhere|anymore|any more|at all|by (?:anything|anyone|anybody|any code|any function"
    rf"|any class)|{_ALL_CODE}))*"
)
_IS = r"(?:is|are)(?: currently| actually)?"
_IS_NOT = rf"(?:{_IS} (?:never|not|nowhere)(?: ever)?|isn't|aren't)"
_HAS_NO = r"(?:(?:has|have) no|does not have any|doesn't have any)"
_NOBODY = r"(?:nothing|nobody|no one|no code|no function|no method|no class|no type)"
_BUT = r"(?:but|except|except for|other than|besides|apart from)"
_ONLY = r"(?:only|solely|exclusively|only ever)"
_NO_MORE = r" (?:only|alone|and (?:by )?nothing else|and nowhere else)"
_THE_ONLY = r"the (?:only|sole|single)"
_SO_MANY = r"(?:(?:only|exactly|just) )?(?P<n>a single|one|two|three)"

_CALLED = r"(?:called|invoked|used|referenced)"
_CALL = r"(?:calls?|invokes?|uses?|references?)"
_CALLERS = r"(?:callers?|call sites?|calls?|users?|uses?|usages?|references?)"
_BY = r"(?:by|in|from|within|inside)"
_OF = r"(?:of|to)"
_CALL_FORMS = (
    rf"{_THE} {_IS_NOT} {_CALLED}{_ANYWHERE}",
    rf"{_THE} {_IS} (?:unused|uncalled|unreferenced|dead code){_ANYWHERE}",
    rf"{_THE} {_HAS_NO} {_CALLERS}{_ANYWHERE}",
    rf"{_NOBODY} (?:ever )?{_CALL} {_THE}{_ANYWHERE}",
    rf"there (?:is|are) no {_CALLERS} {_OF} {_THE}{_ANYWHERE}",
    rf"only {_SOME} {_CALL} {_THE}{_ANYWHERE}",
    rf"{_SOME} alone {_CALL} {_THE}{_ANYWHERE}",
    rf"{_THE} {_IS} {_ONLY} {_CALLED} {_BY} {_SOME}{_ANYWHERE}",
    rf"{_THE} {_IS} {_CALLED} (?:{_ONLY} {_BY}|{_BY} {_ONLY}) {_SOME}{_ANYWHERE}",
    rf"{_THE} {_IS} {_CALLED} {_BY} {_SOME}{_NO_MORE}",
    rf"{_THE} {_IS} {_CALLED} (?:by nothing but|nowhere but in|by no one but) {_SOME}{_ANYWHERE}",
    rf"{_THE_ONLY} (?:callers?|users?) of {_THE} (?:is|are) {_SOME}",
    rf"{_THE} s (?:only|sole|single) (?:callers?|users?) (?:is|are) {_SOME}",
    rf"{_THE_ONLY} (?:calls|uses|usages|references) {_OF} {_THE} are (?:in|from) {_SOME}",
    rf"{_SOME} (?:is|are) {_THE_ONLY} (?:callers?|users?) of {_THE}{_ANYWHERE}",
    (
        rf"{_SOME} is {_THE_ONLY} (?:function|method|code|place|one) (?:that|which) {_CALL}"
        rf" {_THE}{_ANYWHERE}"
    ),
    rf"{_THE} has {_SO_MANY} (?:callers?|users?) [:,] {_SOME}",
    rf"all (?:calls|uses|usages|references) {_OF} {_THE} (?:are in|come from|are from) {_SOME}",
    rf"{_NOBODY} {_BUT} {_SOME} {_CALL} {_THE}{_ANYWHERE}",
)
_USES = re.compile(r"\b(?:us(?:ed?|es|ers?|ages?)|referenc\w+|un\w+|dead)\b")

_IMPLEMENT = r"(?P<v>implements?|extends?|subclass(?:es)?|inherits? from|derives? from)"
_IMPLEMENTED = r"(?P<v>implemented|extended|subclassed)"
_KIN = r"(?P<v>implementations?|implementers?|subclass(?:es)?|subtypes?|child(?:ren)?|descendants?)"
_LISTING_FORMS = (rf"{_THE} {_IS} {_IMPLEMENTED} by {_SOME}",)
_NAMING_FORMS = (
    rf"{_SOME} (?:both )?{_IMPLEMENT} {_THE}",
    rf"{_SOME} (?:is|are)(?: both)? (?:an? )?(?:concrete )?{_KIN} of {_THE}",
)
_TYPE_FORMS = (
    rf"only {_SOME} {_IMPLEMENT} {_THE}{_ANYWHERE}",
    rf"{_SOME} alone {_IMPLEMENT} {_THE}{_ANYWHERE}",
    rf"{_THE} {_IS} {_ONLY} {_IMPLEMENTED} by {_SOME}{_ANYWHERE}",
    rf"{_THE} {_IS} {_IMPLEMENTED} {_ONLY} by {_SOME}{_ANYWHERE}",
    rf"{_THE} {_IS} {_IMPLEMENTED} by {_SOME}{_NO_MORE}",
    rf"{_THE_ONLY} {_KIN} of {_THE} (?:is|are) {_SOME}",
    rf"{_SOME} (?:is|are) {_THE_ONLY} {_KIN} of {_THE}{_ANYWHERE}",
    rf"{_SOME} is {_THE_ONLY} (?:class|type) (?:that|which) {_IMPLEMENT} {_THE}{_ANYWHERE}",
    rf"{_THE} has {_SO_MANY} {_KIN} [:,] {_SOME}",
    rf"{_NOBODY} {_BUT} {_SOME} {_IMPLEMENT} {_THE}{_ANYWHERE}",
    rf"{_NOBODY} (?:ever )?{_IMPLEMENT} {_THE}{_ANYWHERE}",
    rf"{_THE} {_IS_NOT} {_IMPLEMENTED}{_ANYWHERE}",
    rf"{_THE} {_HAS_NO} {_KIN}{_ANYWHERE}",
    rf"there (?:is|are) no {_KIN} of {_THE}{_ANYWHERE}",
)
_COUNTED = re.compile(  # of some code that stands elsewhere
    r"\b(?:sole|single|one|two|three|all|every|both|each) (?:of (?:its|the) )?(?:callers?|calls?"
    r"|call sites?|uses?|users?|subclass(?:es)?|implementations?) (?:of|to|is|are|come|[:,])"
    r"|\bdead code\b"
)
_WHOLE = r"(?:the|this) (?:whole |entire )?(?:workspace|project|repository|repo|library|code ?base)"
_USE = r"(?:uses?|usages?|references?|mentions?|occurrences?|traces?)"
_USERS = rf"(?:{_USE}|callers?|call sites?|calls (?:of|to))"
_OTHER = r"(?:other|further|remaining)"
_CLAUSE = r"(?:(?!(?:and|but|or) |of [NF]\d)[^,;:\s]+ )*"  # words of it
_NOTHING_ELSE = re.compile(  # wherever the lines are from
    r"(?:^|[,;:] |\b(?:and|but|so|that|because|since|as) |(?<!if )(?<!when )\bthere (?:is|are) )(?:"
    rf"no {_OTHER} (?:code|function|method|class|module|file|place|line) {_CLAUSE}{_CALL}"
    rf"|no {_OTHER} {_USERS}|(?:nothing|nobody|no one) else {_CLAUSE}{_CALL}"
    rf"|no (?:lines?|files?|code) (?:of|in) {_WHOLE} (?:{_CALL}|ha(?:s|ve)|holds?|contains?)"
    rf"|no {_USE} (?:of|to) {_CLAUSE}"
    rf"(?:(?<!the )(?<!its )left|remains?|anywhere|any ?more|in {_WHOLE})"
    rf")\b|\b(?:has|have|found) no {_OTHER} {_USERS}\b"
)
_IN_ONE = re.compile(  # whose lines may be those that are cited
    r"\bin (?:[NF]\d|(?:this|the|its) (?:file|class|function|method|module)\b)"
)
# of one kind of code alone: others may do it all the same
_LIMITED = re.compile(r"\b(?:no|any|only|sole|single) (function|method|class)\b(?! N\d)")
_SIGN = re.compile(r"[^\w\s.,;:!?()'\"\u2018\u2019\u201c\u201d*\u2013\u2014-]")  # no word, no mark
_KINDS = {False: {"function", "method"}, True: {"class", "interface", "protocol"}}  # is a class?
_KIND = r"(function|method|class|interface|protocol)"
_COUNTS = {"a single": 1, "one": 1, "two": 2, "three": 3}
_SIGN_OF_KIND = {Kind.NAME: "N", Kind.FILE: "F"}


class Relation(StrEnum):
    """What some code does to what is claimed about."""

    CALLS = "calls"
    USES = "uses"
    IMPLEMENTS = "implements"
    EXTENDS = "extends"


class Extent(StrEnum):
    """How much a claim says with the names that it gives.

    All that there are, without a doubt; those that there are, as "is implemented by `A` and `B`"
    may mean; or some.
    """

    WHOLE = "whole"
    LISTED = "listed"
    SOME = "some"


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement that `others` call, use, implement or extend the `subject`.

    The lines `cited` define `defined`, the subject or one of the others, on the 1-based `line` of
    their file. `limit` is the only kind of code that it speaks of, as in "no class extends `X`":
    "function", "method" or "class"; "" if it speaks of any.
    """

    relation: Relation
    extent: Extent
    subject: Token
    others: tuple[Token, ...]
    defined: Token
    cited: CitedLines
    line: int
    limit: str

    @property
    def is_of_calls(self) -> bool:
        """Whether it is about calls or uses."""
        return self.relation in (Relation.CALLS, Relation.USES)

    @property
    def elsewhere(self) -> tuple[Token, ...]:
        """The names that the lines need not hold: who does it, or what is extended by an alias."""
        if self.extent is Extent.WHOLE:
            return self.others
        return () if self.defined == self.subject else (self.subject,)


def _whole(form: str) -> re.Pattern[str]:
    """A form that must be all of the statement: a word more would change what it says."""
    start = rf"^(?:note that )?(?:{_ALL_CODE} ,? ?)?"
    return re.compile(f"{start}{form}$")


@cache
def _forms() -> Sequence[tuple[Extent, re.Pattern[str]]]:
    """Compiled when the first sentence comes: that takes 30 ms."""
    forms = {
        Extent.WHOLE: (*_CALL_FORMS, *_TYPE_FORMS),
        Extent.LISTED: _LISTING_FORMS,
        Extent.SOME: _NAMING_FORMS,
    }
    return [(extent, _whole(form)) for extent, every in forms.items() for form in every]


def speaks_of_all(statement: str) -> bool:
    """Whether a statement says what all of the workspace's code does with something.

    It becomes false when code is added elsewhere, while its own lines stay the same.
    """
    text = _signed(tokens_of(statement))
    is_claim = any(form.search(text) for extent, form in _forms() if extent is not Extent.SOME)
    return is_claim or _COUNTED.search(text) is not None or _is_of_others(text)


def is_of_all_code(statement: str) -> bool:
    """Whether no lines can show a statement, be they of what it is about or not."""
    return _is_of_others(_signed(tokens_of(statement)))


def _is_of_others(text: str) -> bool:
    return _NOTHING_ELSE.search(text) is not None and _IN_ONE.search(text) is None


def claim_in(statement: str, codes: Sequence[Code]) -> Claim | None:
    """What a statement claims of all the workspace's code; None if it claims nothing of the kind.

    Also None if the lines do not define what it is about, or if it has signs that are no words and
    may mean anything: "❌ `f` is unused".
    """
    if _SIGN.search(re.sub(r"`[^`]*`", "", statement)):
        return None
    tokens = tokens_of(statement)
    text = _signed(tokens)
    for extent, form in _forms():
        if (match := form.search(text)) is None:
            continue
        groups = match.groupdict()
        subject = _token_of(match["o"], tokens)
        others = tuple(
            _token_of(each, tokens) for each in re.findall(r"N\d+", groups.get("s") or "")
        )
        if (count := groups.get("n")) and _COUNTS[count] != len(others):
            continue
        relation = _relation(text, groups.get("v"))
        is_of_calls = relation in (Relation.CALLS, Relation.USES)
        found = _defined((subject,) if is_of_calls else (subject, *others), codes)
        if found is None:
            continue
        name, cited, definition = found
        if is_of_calls and _kinds_said(match["o"], text) - _KINDS[definition.is_class]:
            return None
        line = cited.first_line + definition.start
        limit = said[1] if (said := _LIMITED.search(text)) else ""
        return Claim(relation, extent, subject, others, name, cited, line, limit)
    return None


def _relation(text: str, verb: str | None) -> Relation:
    if verb is None:
        return Relation.USES if _USES.search(text) else Relation.CALLS
    return Relation.IMPLEMENTS if verb.startswith("implement") else Relation.EXTENDS


def _kinds_said(sign: str, text: str) -> set[str]:
    """What a text calls a name: "the class `f`"."""
    said = re.findall(rf"\b{_KIND} {sign}\b|\b{sign} (?:base )?{_KIND}\b", text)
    return {kind for each in said for kind in each if kind}


def _defined(
    names: Sequence[Token], codes: Sequence[Code]
) -> tuple[Token, CitedLines, Definition] | None:
    """The first of these names that the lines define."""
    for name in names:
        for code in codes:
            for each in code.definitions:
                if each.name == name.last:
                    return name, code.cited, each
    return None


def _signed(tokens: Sequence[Token]) -> str:
    """A statement in lower case, with signs for its names."""
    text = " ".join(_sign_of(at, token) for at, token in enumerate(tokens) if not token.inside)
    return text.rstrip(" .!")


def _sign_of(at: int, token: Token) -> str:
    """A name as `N3`, numbered by its token; an ordinary word in lower case."""
    return f"{_SIGN_OF_KIND[token.kind]}{at}" if token.kind in _SIGN_OF_KIND else token.text.lower()


def _token_of(sign: str, tokens: Sequence[Token]) -> Token:
    return tokens[int(sign[1:])]
