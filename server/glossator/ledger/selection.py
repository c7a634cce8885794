"""Chooses which statements become facts, when two say the same, and which come first.

Marks, articles and case do not count. A fact is read later, without the text
around it.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from glossator.core.fact import Fact, NewFact, Passage
from glossator.ledger.rows import DAY, ID_BYTES, MAX_STATEMENT, Rows, fact_of, row_of
from glossator.memory import bearing, secret_in
from glossator.store import FORGOTTEN_DAYS, LedgerRow

Lines = tuple[int, int]  # the first and the last, 1-based

_MAX_PINNED = 20  # that go with a question, whatever was pinned by others
_TOKEN = re.compile(r"\w+|[<>=!+\-/%&|^~@#$]+")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_ARTICLES = frozenset({"a", "an", "the"})
_DENYING = frozenset("not no never only without unless except".split())
_SMALL = _ARTICLES | frozenset(
    "again also and are as at be by does for from function has in into is it its itself method of"
    " on that the then this to which with will".split()
)
_LABEL = re.compile(r"^\s*(?:\*\*|__)[^*_]+(?:\*\*|__)\s*:\s+")  # of an item
_LEANS = re.compile(  # it begins with a word for something that was named before, or goes on
    r"\W*(?:in (?:both|either|this|that|these|those|such|each) "
    r"|it|its|they|their|this|that|these|those|both|he|she|otherwise|then|next|such"
    r"|after (?:that|this)|finally|i|we|you|so|therefore|thus"
    r"|hence|however|but|and|also|instead|likewise|the (?:same|other|first|second|last))\b"
    r"|\W*(?:yes|no)\s*[:,.\u2014\u2013]",
    re.IGNORECASE,
)
_POINTS = re.compile(  # it says so of something further on, or leaves it to the next sentence
    r"\b(?:now|too|still|here|(?:this|last|first|next) (?:row|table|list|line|item))\b"
    r"|\b(?:do(?:es)? (?:the same|so|likewise)|the opposite|(?:is|are) then|the (?:former|latter)"
    r"|as (?:above|before))\b|:\s*$",
    re.IGNORECASE,
)
_NAMES = re.compile(r"`[^`]+`|\w_\w|\b[A-Za-z]+[a-z][A-Z]|\w\(\)|\w\.\w|\b[A-Z]\w*[A-Z]")  # code
_DONE = re.compile(  # in this run
    r"\W*[A-Z][a-z]+ed\b|.*\b(?:was|were|has been|have been) (?:\w+ly )?\w+ed\b"
)
_NO_SUBJECT = re.compile(  # it says what is done, or was done, and not by whom
    r"\W*[A-Za-z]+(?:s|ed)\s+(?:an?|the|its|their|all|each|every|any|no|new|more|this|`)"
)
_REFERS = re.compile(  # to something that was named before
    r"\bthe (?:new|old|same(?!\b.* as\b)|other|former|latter|resulting|above|following|rest|one)\b"
    r"|\b(?:with|by|to|from|of|in|on|for|into|as) (?:it|them|this|that|these|those)\b(?! [a-z])",
    re.IGNORECASE,
)
_BARE_SUBJECT = re.compile(  # "The handler takes …"
    r"\W*the (?:[a-z]+ ){1,3}(?:[a-z]+s|is|are|was|can|may|must|will|has)\b", re.IGNORECASE
)
_PRONOUN = re.compile(r"\b(?:it|they|them|its|their)\b", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:[a-z]{2,}(?:s|ed)|is|are|was|were|has|can|must|will|have|do|cannot|may)\b"
)
_PART = re.compile(r"[^\w`]*[a-z][a-z'\u2019]* ")  # of a sentence: it begins in small letters


@dataclass(frozen=True, slots=True)
class Known:
    """A fact that is known, with the lines where it stands now."""

    fact: Fact
    lines: Lines
    is_fresh: bool


def fact_to_add(
    new: NewFact,
    passages: Sequence[Passage],
    session_id: str,
    run_id: str,
    known: Iterable[Known],
    *,
    renews: bool = True,
) -> Fact | None:
    """The fact that is to be added; None if it is known and fresh, or must not be kept.

    `passages` are those of the spans of `new`. One that says nearly the same as a fresh one of the
    same lines is known. A stale fact that says the same is renewed, under its id. Unless it
    `renews`, it stays: it may hold in the working copy of a colleague.
    """
    passage, *context = passages
    statement = " ".join(new.statement.split())
    if not passage.lines or not statement or len(statement) > MAX_STATEMENT:
        return None
    if secret_in(statement):
        return None
    key = meaning_key(statement)
    here = [each for each in known if each.fact.passage.path == passage.path]
    fresh = [each for each in here if each.is_fresh and _meets(each.lines, passage)]
    if any(are_twins(each.fact.statement, statement) for each in fresh):
        return None
    same = [each for each in here if meaning_key(each.fact.statement) == key]
    stale = [each for each in same if not each.is_fresh]
    before = max(stale, key=lambda each: _meets(each.lines, passage), default=None)
    id_ = fact_id(key, new.path, passage)
    if before and renews:
        id_ = before.fact.id
    elif any(each.fact.id == id_ for each in stale):  # its own lines are as they were
        context_lines = (line for each in context for line in each.lines)
        id_ = fact_id(key, new.path, passage, (*passage.before, *passage.after, *context_lines))
    return Fact(
        id_,
        statement,
        new.path,
        passage,
        new.span.sha256,
        new.confidence,
        new.basis,
        datetime.now(UTC),
        session_id,
        run_id,
        before.fact.pinned if before else False,
        tuple(context),
    )


def _meets(lines: Lines, passage: Passage) -> bool:
    first, last = lines
    return first <= passage.last_line and passage.first_line <= last


def listed(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The facts in the order of lists: pinned ones first, then the newest."""
    return tuple(sorted(facts, key=lambda each: (not each.pinned, -each.created_at.timestamp())))


def for_question(
    question: str, facts: Sequence[Fact], most: int, *, all_: bool = False
) -> list[Fact]:
    """The listed facts for a question: pinned ones first, then the likeliest; blocking.

    With `all_`, others follow. They are up to `most`, or as many as are pinned. Of two that say
    nearly the same only the first is taken.
    """
    pinned = [each for each in facts if each.pinned][:_MAX_PINNED]
    others = [each for each in facts if not each.pinned]
    found = bearing(question, [(each.statement, each.path) for each in others])
    rest = [at for at in range(len(others)) if at not in found] if all_ else []
    chosen = pinned
    for each in (others[at] for at in (*found, *rest)):
        if len(chosen) >= most:
            break
        if not any(e.path == each.path and are_twins(e.statement, each.statement) for e in chosen):
            chosen.append(each)
    return chosen


def fitting(rows: Rows, held: Mapping[str, Fact], most: int) -> dict[str, LedgerRow]:
    """The team's rows to keep: those of held and forgotten facts, and the newest others; blocking.

    There are only so many others that together with the held ones they do not exceed `most`.
    """
    others = [fact for key, row in rows.items() if key not in held and (fact := fact_of(row))]
    first = {each.id for each in listed((*held.values(), *others))[:most]}
    return {
        key: row for key, row in rows.items() if row.value is None or key in held or key in first
    }


def unknown(facts: Iterable[Fact], rows: Rows) -> dict[str, LedgerRow]:
    """The rows of facts that are unknown here, not even as forgotten ones.

    That is known for `FORGOTTEN_DAYS`, so older facts are left out.
    """
    since = time.time() - FORGOTTEN_DAYS * DAY
    new = {each.id: row_of(each, each.created_at.timestamp()) for each in facts}
    return {
        key: row
        for key, row in new.items()
        if key not in rows and row.changed > since and fact_of(row) is not None
    }


def surplus(facts: Iterable[Fact], most: int, goes_late: Callable[[Fact], bool]) -> list[str]:
    """The ids of the facts above the limit: the oldest first, but those that go late after others.

    Pinned ones are the last.
    """
    order = sorted((each.pinned, goes_late(each), each.created_at, each.id) for each in facts)
    return [key for *_, key in order[: max(len(order) - most, 0)]]


def meaning_key(statement: str) -> str:
    """A key that is the same for the same words in the same order; case counts in names of code."""
    words = (_word(token) for token in _TOKEN.findall(_BULLET.sub("", statement, count=1)))
    return _hash(word for word in words if word not in _ARTICLES)


def are_twins(one: str, other: str) -> bool:
    """Whether two statements say the same but for small words: the names are in the same order."""
    words = [frozenset(_word(token) for token in _TOKEN.findall(each)) for each in (one, other)]
    return _names(one) == _names(other) and words[0] ^ words[1] <= _SMALL


def _names(statement: str) -> list[str]:
    """The words that nothing can replace: names, numbers, denials, and code in back-ticks."""
    found: list[str] = []
    for at, piece in enumerate(statement.split("`")):
        words = map(_word, _TOKEN.findall(piece))
        found += [each for each in words if at % 2 or _is_telling(each)]
    return found


def _is_telling(word: str) -> bool:
    """Whether a word is a name, a number or a denial."""
    return word.lower() != word or "_" in word or word.isdigit() or word in _DENYING


def fact_id(key: str, path: str, passage: Passage, around: Iterable[str] = ()) -> str:
    """The id of a fact with this meaning key: every server that finds it gives it the same one.

    `around` are hashes of other lines, by which it differs from one about lines that read the same.
    """
    return f"f{_hash((key, path, *passage.lines, *around))}"


def _word(token: str) -> str:
    is_name = "_" in token or token[1:].lower() != token[1:]
    return token if is_name else token.lower()


def _hash(parts: Iterable[str]) -> str:
    text = "\n".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=ID_BYTES).hexdigest()


def without_label(statement: str) -> str:
    """The statement without the label of a list's item: `**Limits**: …`."""
    return _LABEL.sub("", statement, count=1)


def stands_alone(statement: str) -> bool:
    """Whether it makes sense without the sentences, or the table, around it."""
    is_row = statement.lstrip().startswith("|")
    leans = _LEANS.match(statement) or _POINTS.search(statement) or _PART.match(statement)
    refers = _DONE.match(statement) or _NO_SUBJECT.match(statement) or _REFERS.search(statement)
    verb = _VERB.search(re.sub(r"`[^`]*`", "x", statement))  # `Retry-After` alone says nothing
    return not (is_row or leans or refers) and verb is not None and _names_early(statement)


def _names_early(statement: str) -> bool:
    """Whether it names its code before a pronoun refers to it.

    So it is with "`send` closes the connection when it fails", and not with "The handler takes
    what `send` gave it".
    """
    named = _NAMES.search(statement)
    if named is None or _BARE_SUBJECT.match(statement):
        return False
    return not _PRONOUN.search(statement[: named.start()])
