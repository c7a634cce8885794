"""False twins of true claims: each differs in one thing, and certainly does not hold.

A name or value is exchanged only for one with which the claim is not even possible, in any function
or class of the file that has the subject's name. Classes that may be related are left alone: what
raises a subclass raises its bases, too.
"""

from __future__ import annotations

import builtins
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from glossator_eval.facts import KINDS, Fact, FileFacts, key

NEAR = "name in the lines"
FAR = "name elsewhere"
NUMBER = "number"
CONSTANT = "constant"
NEGATION = "negation"
DIRECTION = "direction"
WRONG_FILE = "wrong file"
NEIGHBOUR = "neighbouring lines"
WRONG_CITATION = "wrong citation"
INVENTED = "invented clause"
FALSIFICATIONS = (
    NEAR, FAR, NUMBER, CONSTANT, NEGATION, DIRECTION, WRONG_FILE, NEIGHBOUR, WRONG_CITATION,
    INVENTED,
)  # fmt: skip
DEEDS = frozenset(  # kinds that say what a function does, which a clause can be added to
    {"attribute", "call", "raise", "throw", "catch", "return", "string", "comparison", "generator"}
)

_DEFINED = frozenset("fc")  # slots of which every name of the file is known
_KIN = frozenset("be")
_VALUES = frozenset({"v", "x", "s", "count", "sort"})
_NAMES = frozenset("pbmeghd")  # slots in which any word of the lines could stand
_LOOSE = frozenset({"t", "v", "s", "module", "x", "a"})  # where a part of the term may be right
_OF_PARAMETERS = frozenset({"required", "keyword-only", "default", "parameter type"})
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_OPPOSITE = {"==": "!=", "!=": "==", "is": "is not", "is not": "is"}
_TURNED = {"True": "False", "False": "True", "true": "false", "false": "true"}
_EMPTY = 4  # characters of a string, with its quotes, that says too little
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_ATTRIBUTE = re.compile(r"\bself\.[A-Za-z_]\w*")
_NUMERAL = re.compile(r"-?\d+(\.\d+)?")
_STRING = re.compile(r"""("|')[^"'\\]*\1""")
_KEYWORDS = frozenset(
    "and as assert async await break class const continue def defer del elif else enum except"
    " export extends false False finally fn for from func function global go if impl import in"
    " interface is lambda let match mut new nil None nonlocal not null or package pass pub raise"
    " range return self static struct super switch this throw trait true True try type undefined"
    " use var void where while with yield".split()
)
_TRIES = 12
_MOST = 100  # terms of the repository that are looked through


@dataclass(frozen=True, slots=True)
class Twin:
    """A false claim, and what was changed."""

    falsification: str
    fact: Fact


Pool = Mapping[str, Sequence[str]]  # terms of a repository by slot


def content_twins(
    file: FileFacts,
    fact: Fact,
    said: frozenset[str],
    shown: str,
    pool: Pool,
    chance: random.Random,
    keep: frozenset[str] = frozenset(),
) -> Iterator[Twin]:
    """Twins that say something else, at most one of a sort for each slot.

    `said` are the slots that the sentence says, those to `keep` are not changed; `shown` is the
    text of the cited lines.
    """
    for number, slot in enumerate(KINDS[fact.kind]):
        if slot not in said - keep:
            continue
        if slot == "o":
            yield from _turned(file, fact, number)
            continue
        for near in (True, False):
            known = _sample(pool.get(slot, ()), chance)
            candidates = _candidates(file, fact, number, shown, known, near=near)
            chance.shuffle(candidates)
            for name in candidates[:_TRIES]:
                terms = (*fact.terms[:number], name, *fact.terms[number + 1 :])
                other = replace(
                    fact, terms=terms, owner=_owner(file, name) if not number else fact.owner
                )
                if is_false(file, other, fact, number, said):
                    yield Twin(_sort(fact.terms[number], slot, near=near), other)
                    break
    swapped = _swapped(file, fact)
    if swapped is not None and set(KINDS[fact.kind]) <= said - keep:
        yield Twin(DIRECTION, swapped)


def is_false(file: FileFacts, other: Fact, fact: Fact, number: int, said: frozenset[str]) -> bool:
    """Whether `other`, which has another term in one slot, certainly does not hold.

    What the sentence does not say may be anything.
    """
    slots = KINDS[fact.kind]
    slot, old, new = slots[number], fact.terms[number], other.terms[number]
    if key(new) in map(key, fact.terms) or "`" in new:
        return False
    subject = fact.terms[0]
    doubts = (
        slot in _LOOSE and (old.lower() in new.lower() or new.lower() in old.lower()),
        slot in _KIN and _may_be_kin(file, old, new, fact),
        slot == "s" and any(new[1:-1] in each for each in file.known("string", subject, 1)),
        slot == "c" and not file.ancestors(new)[1],
        fact.kind == "order" and slot in "gh" and file.may_hold("call", (subject, new)),
        fact.kind == "import" and slot == "n" and _comes_near(file, new, fact.terms[1]),
        fact.kind == "raise if" and slot == "e" and file.may_hold("raise", (subject, new)),
    )
    terms = [term if slot in said else None for slot, term in zip(slots, other.terms, strict=True)]
    return not any(doubts) and not file.may_hold(fact.kind, terms)


def may_be_denied(file: FileFacts, twin: Twin) -> bool:
    """Whether it is true to say that the false claim is not so.

    It is not where the denial takes something else for granted: that a parameter that can be left
    out is one, or that what is not called later is called at all.
    """
    fact = twin.fact
    if fact.kind in _OF_PARAMETERS:
        return key(fact.terms[1]) in file.known("parameter", fact.terms[0], 1)
    if fact.kind == "order":
        return twin.falsification == DIRECTION
    return fact.kind != "comparison" or twin.falsification not in {DIRECTION, NEGATION}


def _sort(old: str, slot: str, *, near: bool) -> str:
    if slot == "count" or (slot in _VALUES and _NUMERAL.fullmatch(old)):
        return NUMBER
    if slot in _VALUES:
        return CONSTANT
    return NEAR if near else FAR


def _candidates(
    file: FileFacts, fact: Fact, number: int, shown: str, known: Sequence[str], *, near: bool
) -> list[str]:
    """Terms that could stand in a slot: such as occur in the cited lines, or do not.

    `known` are terms of that slot in the repository.
    """
    slot, old = KINDS[fact.kind][number], fact.terms[number]
    if slot in _VALUES and _STRING.fullmatch(old):
        known = [*known, *_terms(file, "string", 1), *_terms(file, "constant", 1)]
    if slot in _VALUES and (literals := _literals(old, slot, shown, known, near=near)) is not None:
        return literals
    if slot in _DEFINED:
        known = _subjects(file, slot)
    elif slot == "sort":
        return [] if near else list(known)
    elif slot == "n":
        known = _terms(file, fact.kind, number)
    elif near and slot == "attribute":
        return sorted(set(_ATTRIBUTE.findall(shown)))
    elif near and slot in _NAMES:
        words = sorted(_words(shown) - _KEYWORDS)
        liked = set(map(key, known))
        return [each for each in words if each in liked] or words
    else:
        known = [*_terms(file, fact.kind, number), *known]
    if slot in {"v", "x", "a"}:
        known = [each for each in known if _IDENTIFIER.fullmatch(each)]
    return [each for each in known if _occurs(key(each), shown) == near]


def _literals(
    old: str, slot: str, shown: str, known: Sequence[str], *, near: bool
) -> list[str] | None:
    """Other literals of the same type; None if the term is no literal."""
    if slot == "count":
        return [str(int(old) + step) for step in (1, 2, -1) if int(old) + step > 1] if near else []
    if _NUMERAL.fullmatch(old):
        return _numbers(old, shown, near=near)
    if old in _TURNED:
        return [_TURNED[old]] if near else []
    if not _STRING.fullmatch(old):
        return None
    return [
        each
        for each in known
        if _STRING.fullmatch(each) and len(each) > _EMPTY and (each[1:-1] in shown) == near
    ]


def _sample(terms: Sequence[str], chance: random.Random) -> Sequence[str]:
    return terms if len(terms) <= _MOST else chance.sample(terms, _MOST)


def _numbers(old: str, shown: str, *, near: bool) -> list[str]:
    if near:
        return sorted({found[0] for found in re.finditer(r"(?<![\w.])\d+(?![\w.])", shown)})
    if "." in old:
        return [str(float(old) + 1), str(float(old) * 2)]
    value = int(old)
    return [str(each) for each in (value + 1, value - 1, value * 10, value + 5) if each >= 0]


def _turned(file: FileFacts, fact: Fact, number: int) -> Iterator[Twin]:
    """Another operator between the same sides."""
    sign = fact.terms[number]
    for label, table in ((DIRECTION, _FLIPPED), (NEGATION, _OPPOSITE)):
        if sign in table:
            terms = (*fact.terms[:number], table[sign], *fact.terms[number + 1 :])
            if not file.may_hold(fact.kind, terms):
                yield Twin(label, replace(fact, terms=terms))


def _comes_near(file: FileFacts, name: str, module: str) -> bool:
    """Whether the name is imported from a module above or below this one."""
    modules = [
        each.terms[1] for each in file.facts if each.kind == "import" and each.terms[0] == name
    ]
    return any(each in module or module in each for each in modules)


def _swapped(file: FileFacts, fact: Fact) -> Fact | None:
    """The claim the other way round; None if it has no direction, or may hold so, too."""
    if fact.kind in {"base", "call"}:
        one, other = fact.terms
        subjects = _subjects(file, KINDS[fact.kind][0])
        turned = replace(fact, terms=(other, one), owner="")
        known = fact.kind == "base" or key(other) in subjects
        return turned if known and not file.may_hold(fact.kind, turned.terms) else None
    if fact.kind == "order":
        name, first, then = fact.terms
        turned = replace(fact, terms=(name, then, first))
        return None if file.may_hold("order", turned.terms) else turned
    return None


def _may_be_kin(file: FileFacts, old: str, new: str, fact: Fact) -> bool:
    """Whether one class may be derived from the other, so that the claim would hold after all."""
    old, new = key(old), key(new)
    one, other = getattr(builtins, old, None), getattr(builtins, new, None)
    if isinstance(one, type) and isinstance(other, type):
        return issubclass(one, other) or issubclass(other, one)
    if not new[:1].isupper():  # no class
        return new in file.bases
    mine = {old} if fact.kind != "base" else {old, key(fact.terms[0])}
    if any(new in file.ancestors(each)[0] or each in file.ancestors(new)[0] for each in mine):
        return True
    if new not in file.bases:  # one of another file: the base of anything whose bases are unknown
        return not all(file.ancestors(each)[1] for each in mine)
    return False


@lru_cache(maxsize=2_000)
def _terms(file: FileFacts, kind: str, number: int) -> list[str]:
    """What stands in a slot in the facts of the file."""
    return sorted({each.terms[number] for each in file.facts if each.kind == kind and each.holds})


@lru_cache(maxsize=2_000)
def _subjects(file: FileFacts, slot: str) -> list[str]:
    """The functions, or the classes, of which the file's facts are known."""
    return sorted({each.terms[0] for each in file.facts if KINDS[each.kind][0] == slot})


def _owner(file: FileFacts, name: str) -> str:
    return next((each.owner for each in file.facts if each.terms[0] == name), "")


def _occurs(name: str, text: str) -> bool:
    return name in (_words(text) if _IDENTIFIER.fullmatch(name) else text)


@lru_cache(maxsize=16)
def _words(text: str) -> frozenset[str]:
    return frozenset(_IDENTIFIER.findall(text))
