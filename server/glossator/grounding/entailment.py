"""Asks a model whether the cited lines support statements, and reads its reply.

The reply quotes the deciding words from each part that it relies on. A reply that quotes something
not in the lines is discarded, so invented quotes never count. Lines and statements are material;
they may contain instructions, which must not be followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter
from typing import Any

from glossator.core.prompts import load_prompt
from glossator.core.shown import in_tags, shown_prose
from glossator.grounding.cited_lines import CitedLines, squeezed
from glossator.grounding.rules import Verdict
from glossator.grounding.statement_lines import CitedStatement

MOST = 12  # statements in one request
TOKENS = 120  # of a reply, for each statement

_REQUEST_CHARACTERS = 24_000  # of lines in one request
_REST_CHARACTERS = 6_000  # of the rest of what a denial is about
_IN_PART = (
    "Not judged: what it denies may stand in the rest of the code, which is too long to show."
)
_GONE = "Not judged: only lines that were removed say so."
_MISQUOTED = "Not judged: the model quoted words that are not in the lines."
_MIN_QUOTED_CHARACTERS = 5  # characters
_ANSWERS = {
    "SUPPORTED": Verdict.SUPPORTED,
    "CONTRADICTED": Verdict.CONTRADICTED,
    "UNRELATED": Verdict.UNSUPPORTED,
}

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "answers": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "statement": {"type": "integer"},
                    "words": {"type": "array", "items": {"type": "string"}},
                    "answer": {"type": "string", "enum": list(_ANSWERS)},
                },
                "required": ["statement", "words", "answer"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["answers"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Entailed:
    """The model's verdict on a statement; `words` are the deciding ones in the lines.

    It is undecided after a `failure`, which is one sentence.
    """

    verdict: Verdict
    words: tuple[str, ...] = ()
    failure: str = ""

    @property
    def reason(self) -> str:
        """Why the statement is refused or was not judged; "" if it is supported."""
        if self.verdict is Verdict.CONTRADICTED:
            return f"The lines say otherwise: {', '.join(f'“{each}”' for each in self.words)}."
        if self.verdict is Verdict.UNSUPPORTED:
            return "The lines do not say all of it."
        if self.verdict is Verdict.UNDECIDED:
            return self.failure
        return ""


_TWO_ANSWERS = Entailed(Verdict.UNDECIDED, failure="Not judged: the model gave two answers.")
TOO_LONG = Entailed(
    Verdict.UNDECIDED, failure="Not judged: it cites more lines than a model is shown."
)


def batches(statements: Iterable[CitedStatement]) -> Iterator[tuple[CitedStatement, ...]]:
    """Group statements into few requests, so that the same lines are sent once if possible.

    Statements about lines that overlap or touch stay together; each such group goes into the first
    request with room for it. Statements about too many lines are left out.
    """
    found: list[list[CitedStatement]] = []
    for group in _groups(each for each in statements if not is_too_long(each)):
        room = next((batch for batch in found if _fit((*batch, *group))), None)
        if room is None:
            found.append(room := [])
        for each in group:
            if not _fit((*room, each)):
                found.append(room := [])
            room.append(each)
    for batch in found:
        yield tuple(sorted(batch, key=_first_lines))


def _groups(statements: Iterable[CitedStatement]) -> list[list[CitedStatement]]:
    """Statements about lines that overlap or touch, the largest group first."""
    every = sorted(statements, key=_first_lines)
    joined = list(range(len(every)))  # each with an earlier one of its group, the first with itself

    def first_of(at: int) -> int:
        while joined[at] != at:
            at = joined[at]
        return at

    parts = sorted(
        (part.path, part.first_line, part.first_line + len(part.lines), at)
        for at, each in enumerate(every)
        for part in (*each.lines, *_rest(each))
    )
    path, end, last = "", 0, 0
    for name, first, behind, at in parts:
        if name == path and first <= end:
            one, other = sorted((first_of(at), first_of(last)))
            joined[other] = one
            end = max(end, behind)
        else:
            path, end = name, behind
        last = at
    groups: dict[int, list[CitedStatement]] = {}
    for at, each in enumerate(every):
        groups.setdefault(first_of(at), []).append(each)
    return sorted(groups.values(), key=len, reverse=True)


def _first_lines(cited: CitedStatement) -> list[tuple[str, int]]:
    return [(part.path, part.first_line) for part in cited.lines]


def _fit(statements: Sequence[CitedStatement]) -> bool:
    """Whether one request may hold these statements and their lines."""
    lines = (part for each in statements for part in (*each.lines, *_rest(each)))
    return len(statements) <= MOST and (len(statements) == 1 or _size(lines) <= _REQUEST_CHARACTERS)


def is_too_long(cited: CitedStatement) -> bool:
    """Whether a statement is about more lines than a request may hold."""
    return _size(cited.lines) > _REQUEST_CHARACTERS


def _rest(cited: CitedStatement) -> tuple[CitedLines, ...]:
    """The rest of the definition that a denial is about, if a request may hold it."""
    return cited.rest if _size(cited.rest) <= _REST_CHARACTERS else ()


def that_fit(parts: Iterable[CitedLines]) -> Iterator[CitedLines]:
    """The first parts, as many as fit into a request."""
    found: list[CitedLines] = []
    for each in parts:
        found.append(each)
        if _size(found) > _REQUEST_CHARACTERS:
            return
        yield each


def _size(lines: Iterable[CitedLines]) -> int:
    every = blocks_of(lines)
    gone = (line for each in every if each.before for line in each.before.lines)
    return sum(len(line) + 1 for line in chain(gone, *(each.lines for each in every)))


def prompt_of(batch: Sequence[CitedStatement]) -> str:
    """The request about a batch: all lines once, then the statements."""
    blocks = blocks_of(part for each in batch for part in (*each.lines, *_rest(each)))
    statements = []
    for number, each in enumerate(batch, 1):
        more = named(_rest(each), blocks)
        rest = f"; the rest of it: {more}" if more else ""
        about = f"{number}. (about {named(each.lines, blocks)}{rest}{explained(each)})"
        statements.append(f"{about} {' '.join(each.text.split())}")
    tells_change = any(each.removed for each in blocks)
    removed = f"\n{load_prompt('grounding/removed').render()}" if tells_change else ""
    return load_prompt("grounding/verifier").render(
        material=material(blocks, statements), removed=removed
    )


def explained(cited: CitedStatement) -> str:
    """What tells the meaning of a statement's words, behind the lines that it is about."""
    return f"; to explain it: “{cited.context}”" if cited.context else ""


def material(blocks: Sequence[CitedLines], statements: Iterable[str]) -> str:
    """The lines, each part under its number, and what is said about them."""
    sources = (_source(*each) for each in enumerate(blocks, 1))
    return in_tags(shown_prose("\n\n".join((*sources, "\n".join(statements)))))


def named(parts: Iterable[CitedLines], blocks: Sequence[CitedLines]) -> str:
    """The numbers of the blocks that hold the parts, and which of their lines the parts are."""
    return ", ".join(_named(part, blocks) for part in parts)


def blocks_of(parts: Iterable[CitedLines]) -> list[CitedLines]:
    """The parts in the order of their files; overlapping and touching ones are joined."""
    places: dict[str, int] = {}
    every = list(dict.fromkeys(parts))
    for each in every:
        places.setdefault(each.path, len(places))
    found: list[CitedLines] = []
    for each in sorted(every, key=lambda part: (places[part.path], part.first_line)):
        if found and (both := _together(found[-1], each)):
            found[-1] = both
        else:
            found.append(each)
    return found


def _together(one: CitedLines, other: CitedLines) -> CitedLines | None:
    """Two parts joined, the first of which begins first; None if lines between them are missing."""
    skipped = other.first_line - one.first_line
    shared = one.lines[skipped : skipped + len(other.lines)]
    is_apart = one.path != other.path or skipped > len(one.lines)
    if is_apart or shared != other.lines[: len(shared)]:
        return None
    lines = (*one.lines, *other.lines[len(shared) :])
    unseen = (each for each in other.enclosing if each not in one.enclosing + lines)
    removed = tuple(sorted(dict.fromkeys((*one.removed, *other.removed)), key=lambda it: it.at))
    return replace(one, lines=lines, enclosing=(*one.enclosing, *unseen), removed=removed)


def _named(part: CitedLines, blocks: Sequence[CitedLines]) -> str:
    """The number of the block that holds a part, and which of its lines, unless the part is all."""
    last = part.first_line + len(part.lines) - 1
    for number, each in enumerate(blocks, 1):
        end = each.first_line + len(each.lines) - 1
        skipped = part.first_line - each.first_line
        if each.path != part.path or skipped < 0 or last > end:
            continue
        if each.lines[skipped : skipped + len(part.lines)] == part.lines:
            is_all = len(part.lines) == len(each.lines)
            return f"[{number}]" if is_all else f"[{number}] lines {part.first_line}-{last}"
    raise ValueError(f"No block has lines {part.first_line}-{last} of {part.path}.")


def _source(number: int, cited: CitedLines) -> str:
    within = f", within: {' / '.join(map(str.strip, cited.enclosing))}" if cited.enclosing else ""
    now = [(at, 1, f"{at}\t{line}") for at, line in enumerate(cited.lines, cited.first_line)]
    gone = [(each.at, 0, f"-\t{line}") for each in cited.removed for line in each.lines]
    lines = (text for *_, text in sorted(now + gone, key=itemgetter(0, 1)))
    return "\n".join((f"[{number}] {cited.path}{within}", *lines))


def answers_in(reply: Mapping[str, Any], batch: Sequence[CitedStatement]) -> dict[int, Entailed]:
    """The answers in a reply, by the index of their statement in the batch.

    A statement whose answer quotes words that are not in the lines stays undecided.
    """
    found: dict[int, Entailed] = {}
    shown = [part for each in batch for part in (*each.lines, *_rest(each))]
    answers = reply.get("answers")
    for each in answers if isinstance(answers, list) else ():
        match each:
            case {
                "statement": int(number),
                "answer": str(said),
                "words": str() | list() as words,
            }:
                verdict = _ANSWERS.get(said.strip().upper())
                if verdict is None or not 1 <= number <= len(batch):
                    continue
                told = _told([words] if isinstance(words, str) else words)
                answer = _as_quoted(verdict, told, batch[number - 1], shown)
                is_other = found.get(number - 1, answer).verdict is not answer.verdict
                found[number - 1] = _TWO_ANSWERS if is_other else answer
            case _:
                continue
    return found


def _as_quoted(
    verdict: Verdict, told: tuple[str, ...], cited: CitedStatement, shown: Sequence[CitedLines]
) -> Entailed:
    """The answer if its quotations were shown; a yes without a quotation of its own is a no."""
    told = tuple(
        each
        for each in told
        if len(squeezed(each)) >= _MIN_QUOTED_CHARACTERS or is_quoted(each, shown)
    )
    # Models invent quotations as easily as verdicts: only words that stand in the lines count, and
    # a yes needs words of the cited lines, not of its neighbours (docs/decisions/0052).
    is_found = bool(told) and all(is_quoted(each, shown) for each in told)
    if verdict is not Verdict.UNSUPPORTED and not is_found:
        return Entailed(Verdict.UNDECIDED, failure=_MISQUOTED)
    is_own = all(is_quoted(each, (*cited.lines, *cited.rest)) for each in told)
    if verdict is Verdict.CONTRADICTED and not is_own:
        return Entailed(Verdict.UNDECIDED, failure=_MISQUOTED)
    if verdict is not Verdict.SUPPORTED:
        return Entailed(verdict, told)
    if not is_own or not any(is_quoted(each, cited.lines) for each in told):
        return Entailed(Verdict.UNSUPPORTED)
    is_gone = all(is_of_change(each, cited.lines) for each in told)
    if is_gone or (cited.rest and not _rest(cited)):
        return Entailed(Verdict.UNDECIDED, failure=_GONE if is_gone else _IN_PART)
    return Entailed(verdict, told)


def _told(words: Sequence[object]) -> tuple[str, ...]:
    """The quotations, each once."""
    plain = (" ".join(each.split()) for each in words if isinstance(each, str))
    return tuple(filter(None, dict.fromkeys(plain)))


def is_of_change(words: str, lines: Sequence[CitedLines]) -> bool:
    """Whether quoted words occur only in lines that were removed."""
    return not is_quoted(words, [replace(each, removed=()) for each in lines])


def is_quoted(words: str, lines: Sequence[CitedLines]) -> bool:
    """Whether the words occur in the lines, spaces aside; a few words must be a whole line."""
    wanted = squeezed(words)
    now = [(*each.enclosing, *each.lines) for each in lines]
    every = [*now, *(gone.lines for each in lines for gone in each.removed)]
    if len(wanted) < _MIN_QUOTED_CHARACTERS:
        return bool(wanted) and any(squeezed(line) == wanted for each in every for line in each)
    return any(wanted in squeezed("\n".join(each)) for each in every)
