"""What a sentence claims about code: `f calls g`, `a defaults to 3`, `X does not extend Y`.

A sentence is split into clauses. Each is compared with the patterns of `patterns.py`; where none
fits, its words tell a topic of `topics.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from glossator.grounding.claim import Claim, Relation
from glossator.grounding.encoding import Known, encoded
from glossator.grounding.english import ENGLISH, NEGATION, NEUTRAL, VERBS
from glossator.grounding.patterns import (
    ANY,
    COMPARED,
    INSTEAD,
    INVERSE,
    NAME,
    PATTERNS,
    compiled,
    vocabulary,
)
from glossator.grounding.topics import TELLING, Topic, topic_of
from glossator.grounding.wording import Kind, Token

_NUMBERS = dict(
    zip("no one two three four five six seven eight nine ten".split(), range(11), strict=True)
)
_LATER = re.compile(r"(?:\bnot|n't|\bnever)\b.*\buntil\b")
_LIST = re.compile(rf"{ANY}(?:(?: ,| , and| and| or| nor) (?:an? |the )?{ANY})+")
_WHEN_CALLED = re.compile(rf"\b(?:when|while|by) (?:calling|invoking|running) (?={NAME})")
_CONTRAST = re.compile(  # what is said not to be meant
    r"(?:^|(?: ,)? )(?:rather than|instead of|unlike|besides|apart from|aside from|in addition to"
    rf"|(?<=, )not|(?:but|and) not) (?:an? |the )?{ANY}(?: and {ANY})?(?= ,|$)"
    r"|(?: ,)? (?:and|but) (?:no|none|nothing) (?:others?|else)\b(?: [a-z]+)*(?= ,|$)"
)
_EFFECT = re.compile(r" , so.*$")  # what follows from it is for a model to judge
_WITHOUT = re.compile(  # what is not done besides denies nothing of what is
    r" without (?!pass|giv|suppl|provid|specif)[a-z]+ing(?: [a-z']+)*(?=$| ,)"
)
_SOME = frozenset("take takes has have accept accepts with are".split())
_NOT = re.compile(rf"\b{NEGATION}\b")
_NOT_DENIED = re.compile(r"\b(?:not only|no more than|no less than|not just|no sooner)\b")

_AND = re.compile(
    rf" (?:, )?(?:and|but|or)(?: then| also)? "
    rf"(?=(?:[a-z]+ly |first |never |only )?(?:{VERBS})\b)|(?<!^) , (?=(?:which|who|that) )"
)
_INSIDE = re.compile(
    r"(?:^| |, )(?:in|inside|within) (?:the )?"
    r"(?:(?:body|signature) of |file |module |function |method |class )?"
    r"(?P<in>[NF]\d+)(?: 's)?(?: ,)?(?= |$)"
)
_TESTING = re.compile(
    r"\b(?:check|test|compar|branch|condition|case|verif|ensur|assert|guard|distinguish)\w*"
)
_DEMANDED = re.compile(r"(?:check|test|verif|ensur|assert|guard)\w* that")
_OF_CALLED = re.compile(  # what is said of the code or a call of a function is said of it
    rf"(?:the )?(?:body|code|implementation) of (?={NAME})"
    rf"|^(?:calling|running|invoking|an? calls? (?:to|of)) "
    rf"(?={NAME} (?:[a-z]+ )?(?:{VERBS}|changes?|leads?)\b)"
)
_ENDING = re.compile(r"\b(?:rais|throw|fail|return|reject|signal)\w*")  # not what else is done
_CONDITION = re.compile(
    r"(?:^|,? ?)\b(?P<word>(?:if|when|whenever|unless|in case|whether|as long as|provided)\b"
    rf"|{_TESTING.pattern} that\b)(?P<what>[^,]*)"
)
_TESTS = rf"(?P<s>N\d+) (?:[a-z']+ ){{0,5}}?{_TESTING.pattern}"
_ONLY_ONE = re.compile(r"\bonly [NC]\d+ (?:is|are|was|were|has|have|does|do|isn't|aren't)\b")
_SUBJECT = re.compile(r"^(?:[a-z',]+ ){0,6}?(?P<s>N\d+)(?= |$)")


def claims_of(tokens: Sequence[Token], known: Known) -> tuple[tuple[Claim, ...], ...]:
    """The claims of a sentence, together those that one clause makes.

    `known` says whether a bare word is a name in the code.
    """
    return tuple(filter(None, _claims(tokens, known)))


def _claims(tokens: Sequence[Token], known: Known) -> Iterator[tuple[Claim, ...]]:
    text = encoded(tokens, known)
    text = _WITHOUT.sub("", _CONTRAST.sub(" ", _EFFECT.sub("", text)))
    text = _WHEN_CALLED.sub("in ", text)
    inside = tuple(_token(match["in"], tokens) for match in _INSIDE.finditer(text))
    bare = " ".join(_INSIDE.sub(" ", _OF_CALLED.sub("", text)).split()).strip(" ,.")
    others = tuple(token for token in tokens if token.kind is Kind.NAME)
    for clause in _clauses(bare):
        conditions = list(_CONDITION.finditer(clause))
        main = " ".join(_CONDITION.sub(" ", clause).split()).strip(" ,.")
        yield tuple(
            replace(
                each,
                inside=() if each.topical else inside,
                condition=bool(conditions),
                others=others,
                sure=each.sure and not (each.negated and _ONLY_ONE.search(clause)),
            )
            for each in _in_clause(main, clause, inside, tokens)
            if not conditions or each.relation is not Relation.EQUALS  # it has other values, too
        )
        for condition in conditions:
            if _TESTING.search(clause) or (_ENDING.search(main) and not _is_negated(main)):
                yield from _tested(condition, clause, inside, tokens)


def _tested(
    condition: re.Match[str], clause: str, inside: tuple[Token, ...], tokens: Sequence[Token]
) -> Iterator[tuple[Claim, ...]]:
    """What a condition compares; said to be tested, or not, by the words before it."""
    before = clause[: condition.start()]
    is_denied = _is_negated(f"{before} {condition['word']}")
    tests = re.search(_TESTS, f"{before} {condition['word']}")
    if condition["word"] == "unless":
        return
    owner = (*inside, _token(tests["s"], tokens)) if tests and tests["s"] else inside
    for claim in _compared(condition["what"], tokens):
        demanded = not is_denied and _DEMANDED.fullmatch(condition["word"]) is not None
        yield (replace(claim, inside=owner, negated=is_denied, demanded=demanded),)


def _compared(text: str, tokens: Sequence[Token]) -> Iterator[Claim]:
    """The first comparison of a condition."""
    for sign, pattern in COMPARED:
        if match := pattern.search(text):
            turns = len(re.findall(r"not|never|n't|no longer", match["aux"] + match["not"]))
            left, right = _token(match["l"], tokens), _token(match["r"], tokens)
            said = INVERSE[sign] if turns % 2 else sign
            yield Claim(Relation.COMPARES, left, (right,), sign=said, sure=_is_sure(match[0]))
            return


def _clauses(text: str) -> Iterator[str]:
    """The clauses, each with the subject of the first if it has none of its own."""
    parts = _AND.split(text)
    first = _SUBJECT.match(_CONDITION.sub(" ", parts[0]).strip(" ,"))
    if first and not _is_sure(first[0]):
        first = None  # the name may be an object
    yield parts[0]
    for before, part in pairwise(parts):
        if part.startswith(("which ", "who ", "that ")):
            names = re.findall(NAME, before)
            yield f"{names[-1]} {part.partition(' ')[2]}" if names else part
        else:
            yield f"{first['s']} {part}" if first else part


def _in_clause(
    clause: str, whole: str, inside: tuple[Token, ...], tokens: Sequence[Token]
) -> Iterator[Claim]:
    """The claims of a clause without its conditions; `whole` has them."""
    is_test = _TESTING.search(clause) is not None
    found = {
        relation: match
        for relation in PATTERNS
        if (match := next(filter(None, (p.search(clause) for p in compiled(relation))), None))
    }
    if is_test or Relation.EQUALS not in found:
        for claim in _compared(clause, tokens):
            if claim.sign not in ("is", "is not"):
                negated = is_test and _is_negated(_TESTING.split(clause)[0])
                yield replace(claim, negated=negated, demanded=not is_test)
                return
    claims = [
        claim
        for relation, match in found.items()
        if not any(relation in INSTEAD.get(other, ()) for other in found)
        for claim in _made(
            relation, match, tokens, negated=_is_negated(clause[: match.end()], clause)
        )
    ]
    topic = topic_of(whole) or topic_of(clause)
    if topic and topic.relation is not Relation.DEFAULTS and whole != clause:
        topic = topic_of(clause)
    outdone = set(INSTEAD[topic.relation]) if topic and topic.relation in TELLING else set()
    if (
        topic
        and topic.relation not in found
        and outdone.issuperset(each.relation for each in claims)
    ):
        said = whole if topic.relation is Relation.DEFAULTS else clause
        around = (each for each in inside if each.kind is not Kind.FILE)
        named = (*(_token(each, tokens) for each in re.findall(ANY, said)), *around)
        listed = _LIST.search(said)
        together = tuple(_token(e, tokens) for e in re.findall(ANY, listed[0])) if listed else ()
        for each in together or (None,):  # of "`a` and `b`" the same is said
            some = tuple(name for name in named if name is each or name not in together)
            if topic.is_enough_for(len(some)):
                subject = _token(topic.subject, tokens) if topic.subject and some[1:] else None
                is_meant = subject not in together or subject is each
                yield replace(_topical(topic, some), subject=subject if is_meant else None)
        return
    ordered = {each.subject for each in claims if each.relation is Relation.BEFORE}
    ordered |= {
        name for each in claims if each.relation is Relation.BEFORE for name in each.objects
    }
    yield from (
        each for each in claims if each.relation is Relation.BEFORE or each.subject not in ordered
    )


def _topical(topic: Topic, named: tuple[Token, ...]) -> Claim:
    denials = len(_NOT.findall(_scope(topic.rest)))
    return Claim(
        topic.relation,
        None,
        tuple(dict.fromkeys(named)),
        negated=(denials % 2 == 1) == topic.holds,
        sure=_is_sure(topic.between) and not _may_be_so(topic),
        topical=True,
    )


def _may_be_so(topic: Topic) -> bool:
    """Whether it is said that it can be so, or a name may tell how it is done, or where to."""
    words = {"via", "through", "using", "under"}
    if topic.relation is Relation.ASSIGNS:
        words.add("with")
    said = topic.rest.split()
    is_choice = topic.relation is Relation.KEYWORD_ONLY and topic.holds and "only" not in said
    if is_choice and not {"can", "may", "could", "or"}.isdisjoint(said):
        return True
    return not words.isdisjoint(topic.between.split())


def _is_negated(text: str, clause: str = "") -> bool:
    """Whether there is a "not"; "not … until" says that it is so later."""
    return _NOT.search(_scope(text)) is not None and not _LATER.search(clause)


def _scope(text: str) -> str:
    """The part of a clause in which a "not" denies it: "not this but that" says that."""
    return re.split(r"\bbut\b", _NOT_DENIED.sub(" ", text))[-1]


def _made(
    relation: Relation, match: re.Match[str], tokens: Sequence[Token], *, negated: bool
) -> Iterator[Claim]:
    groups = match.groupdict()
    sure = _is_sure(match[0])
    named = groups.get("s") or groups.get("s2")
    subject = _token(named, tokens) if named else None
    listed = groups.get("o") or groups.get("t") or ""
    objects = tuple(_token(each, tokens) for each in re.findall(ANY, listed))
    if relation is Relation.RAISES:  # an attribute may be raised as a number is
        sure = sure and not any("." in each.text and each.last.islower() for each in objects)
    claim = Claim(relation, subject, objects, negated, sure=sure)
    if relation is Relation.DECORATED:
        named = tuple(_token(each, tokens) for each in re.findall(ANY, groups.get("t") or listed))
        yield replace(claim, objects=named)
    elif relation is Relation.BEFORE:
        yield replace(claim, subject=objects[0], objects=(_token(groups["t"], tokens),))
    elif relation is Relation.COUNT:
        yield _counted(claim, groups["n"], tokens)
    elif relation is Relation.ASYNC:
        is_sync = bool(groups.get("y")) and "not synchronous" not in match[0]
        yield replace(claim, objects=(), negated=is_sync or negated)
    elif relation is Relation.SORT:
        yield replace(claim, objects=(Token(Kind.WORD, groups["w"]),))
    elif relation is Relation.REQUIRED:
        may_lack = groups.get("r") in ("optional", "omitted", "left out")
        has_default = groups.get("d") == "a" or may_lack
        plainly = negated and groups.get("d") not in ("no", "any")
        yield replace(claim, negated=has_default != plainly)
    elif relation is Relation.YIELDS or objects:
        source = _token(groups["m"], tokens) if groups.get("m") else None
        yield _with_source(claim, source, match.string)


def _with_source(claim: Claim, source: Token | None, clause: str) -> Claim:
    """The claim with what the words say besides: where from, and whether a member is meant."""
    if claim.relation is Relation.IMPORTS:
        from_unknown = source is None and " from " in f" {clause} "
        return replace(claim, source=source, sure=claim.sure and not from_unknown)
    return claim


def _counted(claim: Claim, count: str, tokens: Sequence[Token]) -> Claim:
    nothing = (Token(Kind.NUMBER, "0"),)
    if count in ("doesn't", "not", "never", "without", "no", "zero"):
        return replace(claim, objects=nothing, negated=False)
    if count in _SOME or count.startswith("at least"):
        return replace(claim, objects=nothing, negated=not claim.negated)
    number = _NUMBERS.get(count)
    wanted = _token(count, tokens) if number is None else Token(Kind.NUMBER, str(number))
    return replace(claim, objects=(wanted,))


def _is_sure(text: str) -> bool:
    """Whether the meaning of each word is known."""
    words = re.findall(r"(?<![\w'])[a-z][a-z']*", text)
    return all(word in ENGLISH or word in NEUTRAL or word in vocabulary() for word in words)


def _token(sign: str, tokens: Sequence[Token]) -> Token:
    return tokens[int(sign[1:])]
