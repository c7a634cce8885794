"""The words in which English says what code does, one relation after the other.

In these patterns a name is written `N3`, a text `S3`, a value `V3`, a file `F3` and other quoted
code `C3`, each with the number of its token; words stand as they are, in lower case. `{s}` is a
subject, `{o}` one object or several, `{t}` a value, and `{_}` words between that may be anything
but the beginning of another clause.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from glossator.grounding.claim import Relation

_BREAK = (
    r"(?:if|when|whenever|unless|because|since|while|although|so|where|but|until|once|as|that"
    r"|which|who)"
)
_GAP = rf"(?:(?!{_BREAK}\b)[a-z][a-z']* ){{0,6}}?"
NAME = r"[NC]\d+"
ANY = r"[NCSVF]\d+"
_MACROS = {
    "s": rf"(?P<s>{NAME})",
    "o": rf"(?P<o>{ANY}(?:(?: ,| and| or| , and| , or| nor) (?:[a-z]+ )?{ANY})*)",
    "t": rf"(?P<t>{ANY})",
    "o1": rf"(?P<o>{NAME})",
    "t1": rf"(?P<t>{NAME})",
    "listed": rf"(?P<o>{NAME}(?:(?: ,| and| or| , and) {NAME})*)",
    "m": rf"(?P<m>{ANY})",
    "be": r"(?:is|are|was|were|be|been|being|gets?|got|isn't|aren't|'s)",
    "by": r"(?:by|from|in|inside|within)",
    "params": r"(?:arguments?|parameters?|params?|args?)",
    "members": r"(?:methods?|members?|fields?|attributes?|propert\w+)",
    "sort": r"(?P<w>class|interface|struct|enum|trait|function|method|constant|type|property)",
    "s2": rf"(?P<s2>{NAME})",
    "end": r"(?! (?:named|called|of type|[NCFSV]\d|[a-z]+$))",
    "count": (
        r"(?P<n>at least one|at least V\d+|V\d+|no|zero|one|two|three|four|five|six|seven|eight"
        r"|nine|ten)"
    ),
    "for_s": rf"(?: {_GAP}(?:of|to|in|by|for) (?P<s>{NAME}))?",
    "_": _GAP,
}


def _verb(active: str, participle: str, between: str = "") -> tuple[str, ...]:
    """The patterns of a transitive verb; its object may follow after words."""
    return (
        f"{{s}} {{_}}(?:{active}) {{_}}{between}{{o}}",
        f"{{o}} {{_}}(?:{{be}}) {{_}}(?:{participle})(?: {{_}}{{by}} {{_}}{{s}})?",
        f"{{o}} ,? ?(?:which {{be}} )?(?:{participle}) {{_}}{{by}} {{_}}{{s}}",
        f"^(?:{active}) {{_}}{between}{{o}}",
    )


PATTERNS: Final[dict[Relation, tuple[str, ...]]] = {
    Relation.CALLS: (
        *_verb(
            "calls?|calling|invokes?|invoking|delegates? to|triggers?|goes through|hands over to",
            "called(?! with)|invoked|triggered",
        ),
        "calls? {_}(?:to|of) {o}(?: {_}{by} {s})?",
    ),
    Relation.CONTAINS: (
        "{s} {_}(?:contains?|uses?|includes?|mentions?|holds?|has|refers? to) {_}(?P<o>S\\d+)",
        "(?P<o>S\\d+) {_}(?:appears?|occurs?|used|contained|present|found)(?: {_}{by} {s})?",
    ),
    Relation.CATCHES: _verb(
        "catch(?:es)?|catching|handles?|handling|swallows?|suppress(?:es)?|traps?|recovers? from"
        "|guards? against",
        "caught|handled|swallowed|suppressed|trapped",
    ),
    Relation.RAISES: _verb(
        "raises?|raising|throws?|throwing|fails? with|signals?", "raised|thrown|signalled"
    ),
    Relation.RETURNS: (
        *_verb("returns?|returning|gives? back|hands? back|evaluates? to", "returned"),
        "result of {s} {_}(?:is|can be|may be) {_}{o}",
        "{o} {_}is what {s} {_}returns?",
    ),
    Relation.EQUALS: (
        "{s} {_}(?:set|equal|assigned|initiali[sz]ed|defined) {_}(?:to|as|at|with) {_}{t}",
        "(?<! of ){s} (?:is|equals|holds|=|:=)(?: not)?(?: the)?(?: number| string| value)* {t}",
        "(?<!return )value of {_}{s} {_}(?:is|equals) {_}{t}",
        "{s} {_}(?:has|with) {_}value {_}{t}",
        "{s} {_}(?:holds|stands for) {_}{t}",
        "{t} is {_}value of {s}",
    ),
    Relation.TAKES: (
        "{s} {_}(?:takes?|taking|accepts?|accepting|(?<!must )expects?|receives?) {_}{listed}",
        "{s} {_}has {_}{params} {_}{listed}",
        "{o1} {_}{be} {_}{params} {_}(?:of|to) {s}",
        "(?:pass|give|hand) {_}{o1} to {_}{s}",
        "{o1} {_}(?:passed|given) to {_}{s}(?! {_}(?:by|as))",
        "{s} {_}called with {_}{listed}",
        "signature {_}(?:of|for) {_}{s} {_}(?:includes?|has|contains?|lists?) {_}{o1}",
    ),
    Relation.COUNT: (
        "(?:{s} {_})?(?P<n>doesn't|not|never) {_}(?:takes?|have|accepts?|need) any {params}{end}",
        "(?:{s} {_})?(?P<n>without) (?:any )?{params}{end}",
        "(?:{s} {_})?{count} {params}{end}(?: {_}{s2})?",
        "{s} {_}(?P<n>takes?|has|have|accepts?|with|are) (?:some |any )?{params}{end}",
        "(?P<n>are) {params}{end}(?: {_}{s})?",
    ),
    Relation.ASYNC: (
        "{s} {_}(?:is|be|isn't) {_}(?P<a>async|asynchronous|coroutine|awaitable)",
        "{s} {_}(?P<a>awaited|asynchronously)",
        "{s} {_}declared (?:with |as )?(?P<a>async)",
        "{s} {_}(?:is|runs?) {_}(?P<y>synchronous|synchronously)",
    ),
    Relation.MEMBER: (
        "{o1} {_}(?:is|are) {_}{members} {_}(?:of|in|on) {s}",
        "{s} {_}(?:defines?|declares?|provides?) {_}{o1}",
        "(?P<s>F\\d+) {_}(?:defines?|declares?|contains?) {_}{o1}",
        "{s} {_}(?:has|contains|offers) {_}{members} {_}{o1}",
        "{o1} belongs to {s}",
        "{o1} {_}(?:defined|declared|implemented) {_}(?:by|in|on|inside|within) {s}",
        "{s} (?:[a-z]+ )?(?:method|member) {o1}",
    ),
    Relation.IMPLEMENTS: ("{s} {_}implements? {_}{o}",),
    Relation.SORT: (
        "{s} {_}(?:is|are|isn't|as|makes it) {_}(?:an?|the) (?!given ){_}{sort}(?! of)\\b",
        "(?:makes?|calls?) {s} (?:an?|the) {_}{sort}(?! of)\\b",
    ),
    Relation.BEFORE: (
        "{o1} {_}(?:before|ahead of|prior to) {_}{t}",
        "{t1} {_}(?:after|following) {_}{o1}",
        "first {_}{o1} {_}then {_}{t}",
        "{o1} ?,? (?:and )?(?:only )?then {_}{t}",
        "{o1} {_}precedes? {_}{t}",
        "{t1} {_}follows? {_}{o1}",
        "{o1} {_}(?:comes|happens|runs) before {_}{t}",
        "(?:not|never|doesn't) {_}{t} {_}until {_}{o1}",
        "{o1} {_}(?:earlier|sooner) than {_}{t}",
        "{t1} {_}later than {_}{o1}",
        "{o1} {_}(?:,|and|followed by|next) {_}(?:later|next|followed by|afterwards) {_}{t}",
        "{o1} {_}followed by {_}{t}",
        "{o1} {_}first {_}(?:and|,) {_}{t}",
        "starts? with {_}{o1} {_}(?:and|then|,) {_}{t}",
        "{t1} {_}preceded by {_}{o1}",
        "^{_}once {_}{o1} {_}, {_}(?:[NC]\\d+ )?{_}{t}",
        "^{_}when {_}{t} , {_}already {_}{o1}",
        "^{_}after {_}{o1} , {_}(?:[NC]\\d+ )?{_}{t}",
        "^{_}before {_}{t} , {_}(?:[NC]\\d+ )?{_}{o1}",
    ),
}
_SIGNS: Final = (  # longer phrases first
    (">=", ("(?:greater|larger|higher|more|bigger) (?:than )?or equal to|at least"
           "|no (?:less|fewer|smaller|lower) than|>=")),
    ("<=", ("(?:less|smaller|lower|fewer) (?:than )?or equal to|at most|up to"
           "|no (?:more|greater|larger|higher) than|<=")),
    (">", ("(?:greater|larger|bigger|higher|more|longer|above|over|beyond|past)(?: than)?"
          "|exceeds?|surpass(?:es)?|>")),
    ("<", "(?:less|smaller|lower|fewer|shorter|below|under)(?: than)?|<"),
    ("!=", "unequal to|different from|differs? from|other than|anything but|!==?"),
    ("==", "equal to|equals?|the same as|===?"),
    ("is", "identical to|is|be"),
)  # fmt: skip
_AUXILIARY = (
    r"(?:is|are|was|be|being|becomes?|has|have|to|must|should|would|will|does|do|gets|isn't"
    r"|doesn't|aren't|not|never|no longer|already|still|strictly)"
)
_MACRO = re.compile(r"\{\w+\}")
_WORD = re.compile(r"(?<!\\)[a-z][a-z']+")
_OWN: Final[dict[Relation, tuple[str, ...]]] = {  # words that stand in macros
    Relation.TAKES: (_MACROS["params"],),
    Relation.COUNT: (_MACROS["params"], _MACROS["count"]),
    Relation.MEMBER: (_MACROS["members"],),
    Relation.SORT: (_MACROS["sort"],),
    Relation.COMPARES: tuple(words for _, words in _SIGNS),
}
INVERSE: Final = {
    ">=": "<", "<": ">=", "<=": ">", ">": "<=", "==": "!=", "!=": "==", "is": "is not",
}  # fmt: skip
COMPARED: Final = tuple(
    (
        sign,
        re.compile(
            rf"(?P<l>[NCSF]\d+)(?P<aux>(?: {_AUXILIARY})*?) (?:{words})"
            rf"(?P<not>(?: not)?) (?:[a-z][a-z']* ){{0,2}}?(?P<r>{ANY})(?!\w| , V)"
        ),
    )
    for sign, words in _SIGNS
)
INSTEAD: Final = {  # what the words of a more telling relation do not say besides
    Relation.RETURN_TYPE: (Relation.RETURNS, Relation.TYPE, Relation.DECORATED, Relation.MEMBER),
    Relation.TYPE: (
        Relation.DECORATED,
        Relation.MEMBER,
        Relation.EQUALS,
        Relation.SORT,
        Relation.TAKES,
    ),
    Relation.DECORATED: (Relation.MEMBER,),
    Relation.ASYNC: (Relation.SORT,),
    Relation.KEYWORD_ONLY: (
        Relation.SORT,
        Relation.REQUIRED,
        Relation.TAKES,
        Relation.CALLS,
        Relation.MEMBER,
    ),
    Relation.REQUIRED: (Relation.CALLS, Relation.TAKES, Relation.MEMBER, Relation.SORT),
    Relation.COUNT: (Relation.MEMBER, Relation.TAKES, Relation.CALLS, Relation.SORT),
    Relation.DEFAULTS: (
        Relation.EQUALS,
        Relation.MEMBER,
        Relation.USES,
        Relation.CONTAINS,
        Relation.ASSIGNS,
        Relation.TAKES,
    ),
    Relation.TAKES: (Relation.MEMBER,),
    Relation.CONTAINS: (Relation.USES, Relation.MEMBER),
    Relation.EXTENDS: (Relation.SORT, Relation.MEMBER),
    Relation.MEMBER: (Relation.SORT,),
    Relation.YIELDS: (Relation.USES, Relation.SORT),
    Relation.BEFORE: (),
}


@cache
def compiled(relation: Relation) -> tuple[re.Pattern[str], ...]:
    """The patterns of a relation; groups have the names of the macros."""
    return tuple(
        re.compile(_filled(pattern).replace("  ", " ") + r"(?![\w])")
        for pattern in PATTERNS[relation]
    )


def _filled(pattern: str) -> str:
    for name, macro in _MACROS.items():
        pattern = pattern.replace(f"{{{name}}}", macro)
    return pattern


@cache
def words_of(relation: Relation) -> frozenset[str]:
    """The words that the patterns of a relation consist of, in the singular, too."""
    patterns = (_MACRO.sub(" ", each) for each in PATTERNS.get(relation, ()))
    words = _WORD.findall(" ".join((*patterns, *_OWN.get(relation, ()))))
    return frozenset(words) | {each.removesuffix("s") for each in words}


@cache
def vocabulary() -> frozenset[str]:
    """The words that patterns and comparisons consist of: their meaning is known."""
    return frozenset().union(*map(words_of, Relation))
