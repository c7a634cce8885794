"""Chooses which statements become facts, when two say the same, and which come first.

Marks, articles and case do not count. A fact is read later, without the text
around it.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import PurePosixPath

from glossator.core.fact import Fact, NewFact, Passage
from glossator.core.names import names_in, paths_in
from glossator.core.references import refers_back
from glossator.core.terms import stem
from glossator.ledger.rows import DAY, ID_BYTES, MAX_ASKED, MAX_STATEMENT, Rows, fact_of, row_of
from glossator.memory import bearing, secret_in
from glossator.store import FORGOTTEN_DAYS, LedgerRow

Lines = tuple[int, int]  # the first and the last, 1-based

_MAX_PINNED = 20  # that go with a question, whatever was pinned by others
_TOKEN = re.compile(r"\w+|[<>=!+\-/%&|^~@#$]+")
_QUALIFIED = re.compile(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_ARTICLES = frozenset({"a", "an", "the"})
_DENYING = frozenset("not no never only without unless except".split())
_SMALL = _ARTICLES | frozenset(  # without those that turn a sentence around: "is", "by", "to"
    "again also and as at class does each every for function has have in it its itself"
    " method of on that then this thus when whenever which will with".split()
)
_AT_MOST = re.compile(
    r"\b(?:up to|at most|no more than|not more than|a maximum of)\b", re.IGNORECASE
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
    asked: str = "",
) -> Fact | None:
    """The fact that is to be kept; None if it is kept already, or must not be.

    `passages` are those of the spans of `new`, `asked` is the key of the question that it answers.
    One that says nearly the same as a fresh one of the same lines is known: that one is returned if
    its question is new. A stale fact that says the same is renewed, under its id. Unless it
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
    twins = (each.fact for each in fresh if are_twins(each.fact.statement, statement))
    if twin := next(twins, None):
        is_new = asked and asked not in twin.asked
        return replace(twin, asked=(*twin.asked, asked)[-MAX_ASKED:]) if is_new else None
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
        (asked,) if asked else (),
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
    """The listed facts for a question, up to `most`, or as many as are pinned; blocking.

    Pinned ones come first, then those that the very question brought before, those about a symbol
    or file that it names, and others that bear on it. With `all_`, the rest follows. Of two that
    say nearly the same only the first is taken.
    """
    key = meaning_key(question)
    chosen = [each for each in facts if each.pinned][:_MAX_PINNED]
    others = [each for each in facts if not each.pinned]
    names, paths = _asked_names(question), paths_in(question)
    named = {at for at, each in enumerate(others) if _is_about(each, names, paths)}
    found = bearing(
        _without_folders(question, paths), [(each.statement, each.path) for each in others], named
    )
    again = [at for at, each in enumerate(others) if key in each.asked]
    order = dict.fromkeys((*again, *found, *(range(len(others)) if all_ else ())))
    for each in (others[at] for at in order):
        if len(chosen) >= most:
            break
        if not any(e.path == each.path and are_twins(e.statement, each.statement) for e in chosen):
            chosen.append(each)
    return chosen


def _without_folders(question: str, paths: Sequence[str]) -> str:
    """The question with the mere names of its files: a path is looked for as a whole."""
    for path in sorted(paths, key=len, reverse=True):
        question = question.replace(path, PurePosixPath(path).stem)
    return question


def _asked_names(question: str) -> frozenset[str]:
    """The symbols that a question names, in small letters; of a qualified one also its last part.

    So `Client.send` is named by "send" and by "Client.send", and not by "Client".
    """
    names = [name.casefold().replace("::", ".") for name in names_in(question)]
    return frozenset((*names, *(name.rpartition(".")[2] for name in names)))


def _is_about(fact: Fact, names: frozenset[str], paths: Sequence[str]) -> bool:
    """Whether a fact names one of these symbols, or is of or about one of these files."""
    files = (fact.path, *paths_in(fact.statement)) if paths else ()
    if any(f"/{path}/" in f"/{file}/" for path in paths for file in files):
        return True
    if not names:
        return False
    held = [name.casefold().replace("::", ".") for name in _code_names(fact.statement)]
    return any(not names.isdisjoint((name, *name.split("."))) for name in held)


def _code_names(statement: str) -> Iterator[str]:
    """The names in a statement: those that can only be code, and all in back-ticks."""
    yield from names_in(statement)
    for at, piece in enumerate(statement.split("`")):
        if at % 2:
            yield from _QUALIFIED.findall(piece)


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
    """Whether two statements about the same lines say the same but for small words and endings.

    The words are in the same order, but for a clause that stands in front or behind, and so are
    the names; one of them may be qualified in one statement only.
    """
    first, second = _words(one), _words(other)
    if len(first.names) != len(second.names) or len(first.stems) != len(second.stems):
        return False
    turned = ((*first.stems[at:], *first.stems[:at]) for at in range(max(len(first.stems), 1)))
    return all(map(_is_same, first.names, second.names)) and second.stems in turned


def _is_same(one: str, other: str) -> bool:
    """Whether two names may be one: `send` and `Client.send`."""
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")


@dataclass(frozen=True, slots=True)
class _Words:
    """The names in a statement, with the numbers behind them, and the stems of all other words.

    A name is what nothing can replace: code in back-ticks, a name, a number or a denial.
    """

    names: tuple[str, ...]
    stems: tuple[str, ...]


@lru_cache(5_000)  # each is compared with many
def _words(statement: str) -> _Words:
    names: list[str] = []
    numbers: list[str] = []
    stems: list[str] = []
    for at, piece in enumerate(_AT_MOST.sub("most", statement).split("`")):
        if at % 2:
            names.append(piece.removesuffix("()"))
            continue
        for word in map(_word, _TOKEN.findall(piece)):
            if word.isdigit():
                numbers.append(word)
            elif _is_telling(word):
                names.append(word)
            elif word not in _SMALL:
                stems.append("to" if word == "into" else stem(word))
    return _Words((*names, *numbers), tuple(stems))


def _is_telling(word: str) -> bool:
    """Whether a word is a name, a number or a denial."""
    return word.lower() != word or "_" in word or word in _DENYING


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
    done = _DONE.match(statement) or _NO_SUBJECT.match(statement)
    refers = _REFERS.search(statement) or refers_back(statement)
    verb = _VERB.search(re.sub(r"`[^`]*`", "x", statement))  # `Retry-After` alone says nothing
    return not (is_row or leans or done or refers) and verb is not None and _names_early(statement)


def _names_early(statement: str) -> bool:
    """Whether it names its code before a pronoun refers to it.

    So it is with "`send` closes the connection when it fails", and not with "The handler takes
    what `send` gave it".
    """
    named = _NAMES.search(statement)
    if named is None or _BARE_SUBJECT.match(statement):
        return False
    return not _PRONOUN.search(statement[: named.start()])
