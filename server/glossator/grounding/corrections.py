"""Corrects an answer: statements that their lines do not support are rewritten, marked or dropped.

Statements in tables and quoted code are not rewritten, since a sentence cannot stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from glossator.core.citation_words import OTHERWISE, UNSURE
from glossator.core.citations import CitationMark, rewrite_citations
from glossator.core.prompts import load_prompt
from glossator.core.run_events import Correcting, Correction
from glossator.grounding.cited_lines import CitedLines
from glossator.grounding.entailment import blocks_of, explained, material, named
from glossator.grounding.rules import Verdict
from glossator.grounding.statement_lines import CitedStatement
from glossator.grounding.statements import AnswerStatement
from glossator.grounding.verdicts import CheckedStatement

NONE_UNFIT: Mapping[str, str] = {}
MOST = 10  # sentences in one request
TOKENS = 130  # of a reply, for each sentence

_NOTHING_LEFT = (
    "No sentence was supported by its lines, so all were left out. To keep them, set"
    ' grounding.correction to "mark".'
)
_JOINED = re.compile(r"^\s*[,;]?\s*\w+\s+")  # how a clause is joined to the one before
_SPARE = 200  # characters that a rewritten sentence may have beside twice the old one

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "sentences": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "sentence": {"type": "integer"},
                    "text": {"type": "string"},
                    "lines": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["sentence", "text", "lines"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["sentences"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Edit:
    """The change of a statement: `after` takes its place, together with its citations."""

    statement: AnswerStatement
    what: Correcting
    after: str
    reason: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A new sentence; `place` are the lines that support it, if they are not the cited ones.

    It is `unfit`, which says why, if it changes nothing.
    """

    text: str
    place: CitationMark | None = None
    unfit: str = ""


def rewritten(fallen: CheckedStatement, rewrite: Rewrite) -> Edit:
    """The new sentence with the old one's citations, before its full stop or behind it."""
    text, place = rewrite.text, rewrite.place
    if fallen.statement.goes_on:  # no sentence ends here
        text = text.rstrip(".!")
    judged = {each.at for each in fallen.citations if each.basis is not None}
    kept = [mark for mark in fallen.statement.marks if mark.start in judged]
    if place is not None:
        kept = [place, *(mark for mark in kept if mark.path != place.path)]
    marks = " ".join(dict.fromkeys(mark.plain for mark in kept))
    is_inside = any(mark.end < fallen.statement.end for mark in fallen.statement.marks[-1:])
    if is_inside and text.endswith((".", "!", "?")):
        after = f"{text[:-1]} {marks}{text[-1]}"
    else:
        after = f"{text} {marks}"
    return Edit(fallen.statement, Correcting.REWRITTEN, after, fallen.reason)


def can_be_rewritten(answer: str, statement: AnswerStatement) -> bool:
    """Whether the statement is a sentence, which alone can be rewritten."""
    return not (statement.is_code or _is_row(answer, statement))


def marked(answer: str, fallen: CheckedStatement) -> Edit:
    """The statement with words that say it is not confirmed, or that the lines say otherwise."""
    words = OTHERWISE if fallen.verdict is Verdict.CONTRADICTED else UNSURE
    own = answer[fallen.statement.start : fallen.statement.end]
    if fallen.statement.is_code:
        after = f"{own}\n\n{words}"
    elif _is_row(answer, fallen.statement):
        after = re.sub(r"\s*\|?$", f" {words} |", own, count=1)
    else:
        after = f"{own} {words}"
    return Edit(fallen.statement, Correcting.MARKED, after, fallen.reason)


def dropped(fallen: CheckedStatement) -> Edit:
    """The edit that drops the statement."""
    return Edit(fallen.statement, Correcting.DROPPED, "", fallen.reason)


def _is_row(answer: str, statement: AnswerStatement) -> bool:
    return answer[statement.start : statement.end].lstrip().startswith("|")


def edited(answer: str, edits: Iterable[Edit]) -> str:
    """The answer with the edits made; an item that loses its only sentence loses its marker."""
    for edit in sorted(edits, key=lambda each: each.statement.start, reverse=True):
        start, end = edit.statement.start, edit.statement.end
        before, behind = answer[:start], answer[end:]
        if edit.statement.goes_on and not edit.after:
            behind = _JOINED.sub("", behind, count=1)
        if edit.after:
            answer = before + edit.after + behind
            continue
        line = before.rpartition("\n")[2]
        is_alone = not line.strip(" \t-*+>0123456789.)") and not behind.partition("\n")[0].strip()
        if is_alone:
            before, behind = before[: len(before) - len(line)], behind.partition("\n")[2]
        if before.endswith("\n\n"):
            behind = behind.lstrip("\n")
        elif behind.startswith("\n"):
            before = before.rstrip(" ")
        answer = before + (behind if is_alone else behind.lstrip(" "))
    return answer.rstrip() or _NOTHING_LEFT


def chained(done: Sequence[Correction], answer: str, edits: Iterable[Edit]) -> list[Correction]:
    """The corrections after further edits of `answer`: each sentence as it was first and is last.

    A sentence that only cites other lines now is not among them.
    """
    corrections = list(done)
    for edit in edits:
        now = answer[edit.statement.start : edit.statement.end]
        at = next((n for n, each in enumerate(corrections) if each.after == now), None)
        if at is None:
            corrections.append(Correction(edit.what, now, edit.after, edit.reason))
        else:
            corrections[at] = replace(corrections[at], what=edit.what, after=edit.after)
    return [each for each in corrections if _words(each.before) != _words(each.after)]


def _words(text: str) -> list[str]:
    return rewrite_citations(text, lambda _: "").rstrip(" .").split()


def prompt_of(
    fallen: Sequence[CheckedStatement],
    cited: Sequence[CitedStatement],
    others: Iterable[CitedLines],
    unfit: Mapping[str, str] = NONE_UNFIT,
) -> tuple[str, Sequence[CitedLines]]:
    """The request to rewrite statements, and the lines it shows, under their numbers.

    The lines are those that the statements cite, and `others` that may carry them. What was `unfit`
    in the last reply is told, by the text of the statement.
    """
    blocks = blocks_of((*(part for each in cited for part in each.lines), *others))
    wrong = (
        f"{number}. (about {named(own.lines, blocks) or 'lines that were not read'}"
        f"{explained(own)}) {' '.join(own.text.split())}\n   Wrong: {each.reason}"
        f"{f' {again}' if (again := unfit.get(each.statement.text)) else ''}"
        for number, (each, own) in enumerate(zip(fallen, cited, strict=True), 1)
    )
    prompt = load_prompt("grounding/correction").render(material=material(blocks, wrong))
    return prompt, blocks


def texts_in(
    reply: Mapping[str, Any], fallen: Sequence[CheckedStatement], blocks: Sequence[CitedLines]
) -> dict[int, Rewrite]:
    """The rewritten sentences, by the place of the old one; "" if the lines support nothing.

    A reply that is no sentence, or far longer, is ignored; so are lines that were not shown.
    """
    found: dict[int, Rewrite] = {}
    sentences = reply.get("sentences")
    for each in sentences if isinstance(sentences, list) else ():
        match each:
            case {"sentence": int(number), "text": str(text)} if 1 <= number <= len(fallen):
                plain = " ".join(rewrite_citations(text, lambda _: "").split())
                old = fallen[number - 1].statement.text
                if "```" not in plain and len(plain) <= 2 * len(old) + _SPARE:
                    place = _place(each.get("lines"), blocks)
                    is_same = _words(plain) == _words(old) and place is None
                    unfit = _unfit(each.get("lines"), blocks) if is_same else ""
                    found[number - 1] = Rewrite(plain, place, unfit)
            case _:
                continue
    return found


def _unfit(lines: object, blocks: Sequence[CitedLines]) -> str:
    """What is wrong with a reply that keeps a sentence."""
    match lines:
        case [int(number), int(first), int(last)] if 1 <= number <= len(blocks):
            block = blocks[number - 1]
            has = f"{block.first_line}-{block.first_line + len(block.lines) - 1}"
            return f"You kept it for lines {first}-{last} of part [{number}], which has {has}."
        case _:
            return "You kept it and named no lines that are shown here."


def _place(lines: object, blocks: Sequence[CitedLines]) -> CitationMark | None:
    """The mark for `[block number, first line, last line]`; None for lines not in the block."""
    match lines:
        case [int(number), int(first), int(last)] if 1 <= number <= len(blocks):
            block = blocks[number - 1]
            if block.first_line <= first <= last < block.first_line + len(block.lines):
                return CitationMark(0, 0, block.path, first, last)
        case _:
            pass
    return None
