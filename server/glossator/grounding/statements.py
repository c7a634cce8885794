"""Divides an answer into statements (sentences, items, rows, quoted code) and their citations.

A sentence rests on the citations in it and right behind it. A sentence without any shares those of
the next sentence in its paragraph; an item of a list shares those of the sentence that leads to the
list. Blocks are recognised as in CommonMark (markdown-it-py), with tables.
"""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from glossator.core.citations import (
    GAP,
    CitationMark,
    no_file,
    parse_citations,
    unreadable,
    without_gaps,
)
from glossator.core.references import refers_back
from glossator.grounding.wording import Kind, tokens_of

_END = re.compile(r"[.!?…]+[\"'\u201d\u2019)\]*_]*(?:(?=\s+\S)|\s*$)|\n(?=\s*\S)(?<=  \n)")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|al|no|fig|st|dr|mr|ms))\.$", re.IGNORECASE
)
_ABBREVIATION = 10  # characters of the longest, with what stands before it
_LEADS = re.compile(r":\s*$")
_NUMBER = re.compile(r"\s*(?:>\s*)*\d{1,3}[.)]")
_ITEM = r"\s*(?:>\s*)*(?:[-*+]\s+|\d+[.)]\s+)?(?:\[[ x]\]\s+)?"
_TO_DO = (
    "Adjust|Add|Apply|Call|Change|Check|Create|Define|Delete|Document|Drop|Ensure|Extend|Extract"
    "|Fix|Implement|Introduce|Keep|Leave|Make|Merge|Move|Pass|Refactor|Remove|Rename|Replace"
    "|Rewrite|Run|Set|Split|Switch|Test|Turn|Update|Use|Verify|Wrap|Write"
)
_PROPOSAL = re.compile(  # and it gives no reason, which lines could tell
    rf"{_ITEM}(?:\*\*)?(?:{_TO_DO})\b(?!.*(?:[:;]|\b(?:as|because|since|so|which)\b))"
    # the verb may be a noun: "Use of it", "Test `x` takes one"
    r"(?! (?:of|sites?|is|are|was|were|has|have)\b| `[^`]+` (?:is|are|has|have|[a-z]+(?:s|ed))\b)",
    re.DOTALL,
)
_OF_CODE = re.compile(  # it leads to what code does: "`run` does three things:"
    r"\b(?:does|executes|goes|handles|happens|performs|proceeds|runs|works)\b"
)
_NO_CLAIM = re.compile(  # what the writer says of himself, did, asks, advises or offers
    rf"{_ITEM}(?:\*\*)?(?:I|I'm|I've|I'll|I'd|We|You|Your|Let|Please|Note|If you|Would|Shall|Want"
    r"|Happy|Feel free|Hope|Thanks|Sorry|Do you|Should|That's|Done|In short|Summary|Overall"
    rf"|To (?:do|use|fix|change|add|sum up)|All \d+ tests|{_TO_DO}"
    r"|Added|Adjusted|Changed|Created|Deleted|Dropped|Edited|Extracted|Fixed|Implemented|Introduced"
    r"|Merged|Moved|Ran|Refactored|Removed|Renamed|Replaced|Rewrote|Searched|Split|Updated|Verified"
    r"|Wrapped|Wrote)\b"
    r"|.*\?[*_)\s]*$",
    re.DOTALL,
)
_NO_SENTENCE = re.compile(  # a heading, a link, the name of a file, with what was done to it
    rf"{_ITEM}(?:(?:\*\*|__)[^*]+(?:\*\*|__)[.:]?|(?:\*\*|__)?\[[^\]]+\]\([^)]*\)(?:\*\*|__)?\.?|<?https?://\S+"
    r"|`[^`]+`\.?|`[^`]+`\s*[:\u2013\u2014-]\s*(?:new|added?|adjusted|changed|created|deleted|edited|fixed|moved"
    r"|removed|renamed|rewritten|updated)\b.*)\s*",
    re.DOTALL | re.IGNORECASE,
)
_DECLARES = re.compile(r"\b(?:[a-z]{2,}(?:s|ed)|are|can|must|will|have|do|does|cannot)\b")
_MIN_CLAIM_WORDS = 4  # of a plain sentence that claims something
_POINTER = re.compile(  # it says where to look, and nothing of what stands there
    rf"{_ITEM}\(?(?:for [^.,;:]{{1,80}}, )?"
    r"(?:see|look (?:at|in|into)|refer to|cf\.|compare|more information|further reading|sources?:"
    r"|references?:)"
    r"(?!\w)(?!.*;|.*\b(?:where|which|who|whose|that|because|since|as|when|if|how)\b).*",
    re.DOTALL | re.IGNORECASE,
)
_SOURCE = re.compile(  # it says where the quotation behind it stands
    r"\s*(?:[-*+]\s+|\d+[.)]\s+)?From(?: `[^`]+`)?(?:,? (?:in|of) `[^`]+`)?\s*:"
)
_YOU = r"(?:(?:as|since|because) )?you (?:have |had )?(?:also |then )?"
_REFUSED = r"(?:rejected|refused|denied|declined)\b"
_OF_THE_TALK = re.compile(  # what the user did, which no lines can tell, and so was not done
    r"\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:"
    rf"[^`.]{{0,200}}\b(?:not|nothing)\b[^`.]{{0,200}}[,:;\u2014] ?{_YOU}{_REFUSED}"
    rf"|{_YOU}(?:{_REFUSED}|(?:asked|said|told|answered|chose|allowed|wanted|decided)\b))",
    re.IGNORECASE,
)
_VERB = (
    r"(?:[a-z]+ly |also |then |never |only )*(?:is|are|was|were|can|may|must|will|[a-z]+(?:s|ed))\b"
)
_SAYS = re.compile(rf"(?:`[^`]+`|\b(?:it|they|this|these|that|[a-z]+)) {_VERB}", re.IGNORECASE)
_GOES_ON = re.compile(  # behind a mark of a sentence: a clause with a subject of its own
    r"\s*[,;]?\s*\b(?:and|but|while|whereas|yet|so|then)\s+"
    rf"(?P<clause>(?:`[^`]+`|it|they|this|these|that) {_VERB})"
)
_CONDITION = re.compile(  # it may end behind a further clause
    r"\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:since|as|once|after|before|given|both)\b"
    r"|.*\b(?:if|whether|where|when|whenever|while|unless|until|because|although|provided|that|which"
    r"|who|whose)\b",
    re.IGNORECASE | re.DOTALL,
)
_PRONOUN = r"(?:it|its|they|their|them|this|that|these|those|both|one)"
_LEANS = re.compile(  # on what stands before it
    r"\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:it|its|they|their|them|this|that|these|those|then|there|both|each"
    r"|neither|otherwise|instead|also|afterwards?|(?:before|earlier|previously)(?=,)|so|thus"
    r"|therefore|here|but|and|if (?:so|not)"
    r"|in (?:that|this) case|the (?:former|latter|result|same|others?|second|third|last)"
    r"|(?:any |all |every )?others?|another"
    r"|(?:without|with|in|by|after|before|for|until|unless|if|when|once|instead of|because of"
    rf"|besides|unlike|except|given|despite) {_PRONOUN}"  # "Without it, ..."
    rf"|[^,.;:`]{{1,60}}, {_PRONOUN})\b",  # "Unset, it is ..."
    re.IGNORECASE,
)
_LABEL = re.compile(  # in front of a sentence or alone: `**Offline.**`, `__Skipped__:`
    rf"{_ITEM}(?P<sign>\*\*|__)(?P<words>[^*_\n]+(?:_[^*_\n]+)*?)(?P<inner>[.:!?]?)(?P=sign)(?P<outer>[.:]?)(?=\s|$)"
)
_NO_LABEL = re.compile(  # a heading that says nothing of what stands below it
    r"(?:how (?:it|this|that|they) works?|(?:short |the )?(?:answer|summary|overview|conclusion"
    r"|details|background|explanation|results?|findings|notes?|flow|steps?|introduction"
    r"|in (?:short|brief)|tl;?dr))\W*",
    re.IGNORECASE,
)
_HIDDEN = "\x00"
_OPENS = r"(?:^|(?<=[\s(\[{*_/\u2013\u2014-]))"  # what stands before a straight quotation mark
_CURLY = "|".join(  # a quotation, without marks
    rf"{opens}[^{closes}\x00]{{0,500}}[{closes}]"
    for opens, closes in (("\u201c", "\u201d"), ("\u201e", "\u201c\u201d"), ("\u00ab", "\u00bb"))
)
_UNCUT = re.compile(  # quoted code, links and quotations: no sentence ends in them
    r"(`+)[^`]+\1|\]\([^)]*\)"
    rf"|{_OPENS}(?P<sign>[\"'])(?=\S)[^\"\x00]{{0,500}}?(?<=\S)(?P=sign)(?!\w)|{_CURLY}"
)
_LAST = re.compile(
    r"[.!?\u2026]*[\"'\u201c\u201d\u00bb]?$"
)  # a sentence may end with its quotation
_QUOTED_END = re.compile(r"[\"'\u201c\u201d\u00bb][)\]*_]*$")
_CONTINUES = re.compile(
    r"\s*(?:[,;]|[^\W\d_A-Z])"
)  # a sentence, behind a quotation that ends in a stop
_BEHIND = re.compile(rf"(?:\s*(?:[,;]|and\b)?\s*{_HIDDEN}\[[^\x01]*\x01)+")  # marks in a row


@dataclass(frozen=True, slots=True)
class AnswerStatement:
    """A part of an answer that is true or not: `answer[start:end]`; `text` is without its marks.

    `shared` marks stand elsewhere and count for it, too. `is_code` is quoted code, whose lines must
    occur in what it cites. `context` explains it: the head of its table, its `lead`, and the
    statement before if it depends on that, behind that one's own `anchor`: the last sentence that
    depends on none. Its `lead` is the sentence that leads to it (`It does
    three things:`), or the label or heading above it, as `Offline:`. A sentence
    `goes_on` behind a mark with a statement of its own, which `follows` and shares no marks. It is
    `alone` if the whole answer cites nothing.
    """

    start: int
    end: int
    text: str
    marks: tuple[CitationMark, ...] = ()
    shared: bool = False
    is_code: bool = False
    context: str = ""
    lead: str = ""
    anchor: str = ""
    goes_on: bool = False
    follows: bool = False
    alone: bool = False

    @property
    def is_aside(self) -> bool:
        """Whether it claims nothing about the lines: `See x.go for details`, `From x.go:`."""
        if self.is_code:
            return False
        is_pointer = _POINTER.fullmatch(self.text) or _SOURCE.fullmatch(self.text)
        return bool(is_pointer or _OF_THE_TALK.match(self.text))

    @property
    def is_proposal(self) -> bool:
        """Whether it only says what is to be done: "Add a test to `f`."."""
        is_step = _OF_CODE.search(self.lead) is not None
        return not (self.is_code or is_step) and _PROPOSAL.match(self.text) is not None

    @property
    def leads_with_claim(self) -> bool:
        """Whether it claims something about code and leads to more: "`f` is called twice:"."""
        if self.is_aside or not _LEADS.search(self.text):
            return False
        words = re.sub(r"`[^`]*`", "x", self.text)
        return "`" in self.text and _DECLARES.search(words) is not None

    @property
    def is_claim(self) -> bool:
        """Whether it claims something about the workspace: it names code or a file, and no wish.

        In an answer that cites nothing, every sentence does.
        """
        if self.is_code or _LEADS.search(self.text) or _NO_CLAIM.match(self.text):
            return False
        if self.is_aside or _NO_SENTENCE.fullmatch(self.text):
            return False
        if (
            self.alone
            and len(self.text.split()) >= _MIN_CLAIM_WORDS
            and _DECLARES.search(self.text)
        ):
            return True
        kinds = {token.kind for token in tokens_of(self.text)}
        return bool(kinds & {Kind.NAME, Kind.FILE, Kind.FRAGMENT})


def statements_of(
    answer: str, is_file: Callable[[str], bool] = no_file, *, is_whole: bool = False
) -> tuple[AnswerStatement, ...]:
    """The statements of an answer in Markdown, in order."""
    marks = parse_citations(answer, is_file)
    alone = is_whole and not marks and not unreadable(answer)
    found: list[AnswerStatement] = []
    rows: list[int] = []  # of the table under way, by their place among those found
    lead: AnswerStatement | None = None  # `It does three things:`
    for block in _labelled(answer, _blocks(answer)):
        own = [
            replace(each, is_code=block.is_code, context=block.head, alone=alone)
            for sentence in _sentences(answer, block)
            for each in (
                [_quoted(answer, *sentence, marks)]
                if block.is_code
                else _clauses(answer, _statement(answer, *sentence, marks), marks)
            )
        ]
        if found and own and not own[0].text:  # a mark alone is of what stands above
            found[-1] = replace(found[-1], marks=(*found[-1].marks, *own[0].marks), shared=False)
        own = [each for each in own if each.text]
        if not block.is_item and own:
            lead = own[-1] if _LEADS.search(own[-1].text) else None
        is_said = found and not (found[-1].is_code or found[-1].text.startswith("|"))
        last = found[-1] if is_said else None
        leading = lead if block.is_item else None
        if not block.is_row:
            _cover(found, rows)
        rows += [len(found)] if block.is_row and own else []
        label = block.label if leading is None and not block.is_row else ""
        found += _sharing(_explained(own, leading, last, label), leading)
    _cover(found, rows)
    return tuple(found)


def _cover(found: list[AnswerStatement], rows: list[int]) -> None:
    """Let a finished table's rows without marks share those of the nearest row that has some.

    If no row has any, they share those of the sentence before.
    """
    cited = [at for at in rows if found[at].marks]
    before = found[rows[0] - 1].marks if rows and rows[0] else ()
    for at in rows:
        if not found[at].marks:
            behind = bisect(cited, at)
            beside = cited[max(behind - 1, 0) : behind + 1]
            _, nearest = min(((abs(other - at), other) for other in beside), default=(0, None))
            marks = before if nearest is None else found[nearest].marks
            found[at] = replace(found[at], marks=marks, shared=bool(marks))
    rows.clear()


@dataclass(frozen=True, slots=True)
class _Block:
    start: int
    end: int
    is_item: bool = False
    is_code: bool = False
    is_row: bool = False
    head: str = ""  # of the table of a row
    heading: str = ""  # the words of a heading, which is no statement
    label: str = ""  # of the block, or of those above it: `Offline:`


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


def _blocks(answer: str) -> Iterator[_Block]:
    starts = [0, *(match.end() for match in re.finditer(r"\n", answer))]
    starts.append(len(answer))
    depth = 0
    in_head = in_row = in_heading = False
    head = ""
    for token in _markdown().parse(answer):
        depth += {"list_item_open": 1, "list_item_close": -1}.get(token.type, 0)
        in_head = token.type == "thead_open" or (in_head and token.type != "thead_close")
        in_heading = token.type == "heading_open" or (in_heading and token.type != "heading_close")
        if in_head and token.type == "tr_open":
            head = " ".join(answer[slice(*_lines(token, starts))].split())
        in_row = token.type == "tr_open" or (in_row and token.type != "tr_close")
        if token.map is None or in_head:
            continue
        start, end = _lines(token, starts)
        if in_heading:
            if token.type == "inline":
                yield _Block(start, start, heading=" ".join(token.content.split()))
        elif token.type == "tr_open":
            yield _Block(start, end, is_row=True, head=head)
        elif token.type == "inline" and not in_row:
            yield _Block(start, end, is_item=depth > 0)
        elif token.type == "fence":
            yield _Block(start, end, is_item=True, is_code=True)


def _labelled(answer: str, blocks: Iterable[_Block]) -> Iterator[_Block]:
    """The blocks that hold statements, each with its label: its own, or the one above it.

    A heading is above all that follows it, a label that is a block of its own above the list or the
    paragraphs behind it.
    """
    above, is_heading, was_item = "", False, False
    for block in blocks:
        if block.heading:
            above, is_heading = _led_by(block.heading), True
            continue
        if was_item and not block.is_item and not is_heading:
            above = ""  # its list has ended
        was_item = block.is_item
        own = (
            None if block.is_code or block.is_row else _LABEL.match(answer, block.start, block.end)
        )
        label = _led_by(own["words"]) if own else ""
        if own and not block.is_item and not answer[own.end() : block.end].strip():
            above, is_heading = label, False
        yield replace(block, label=label or above)


def _led_by(heading: str) -> str:
    """What stands below a heading, as "Offline:"; "" if it says nothing of that."""
    words = re.sub(r"^\W*\d+[.)]\s+|[\s.:*_#]+$", "", heading)
    return "" if not words or _NO_LABEL.fullmatch(words) else f"{words}:"


def _lines(token: Token, starts: Sequence[int]) -> tuple[int, int]:
    first, last = token.map or (0, 0)
    return starts[first], starts[min(last, len(starts) - 1)]


def _sentences(answer: str, block: _Block) -> Iterator[tuple[int, int]]:
    """The start and end of each sentence in a block; marks behind a sentence belong to it."""
    if block.is_code or block.is_row:
        yield block.start, block.end
        return
    text = _masked(answer[block.start : block.end])
    at = 0
    for match in _END.finditer(text):
        end = match.end()
        if not at and _NUMBER.fullmatch(text, 0, end):
            continue  # of an item
        if _ABBREVIATED.search(text[max(at, end - _ABBREVIATION) : end]):
            continue
        behind = _BEHIND.match(text, end)
        end = behind.end() if behind else end
        if _QUOTED_END.search(match[0]) and _CONTINUES.match(answer, block.start + end, block.end):
            continue
        if end > at:
            yield block.start + at, block.start + end
        at = end
    if text[at:].strip():
        yield block.start + at, block.end


def _masked(text: str) -> str:
    """The text with marks and what is quoted hidden, so that no sentence ends in them."""
    parts: list[str] = []
    at = 0
    for mark in parse_citations(text):
        if not mark.is_mention and mark.start >= at:
            hidden = "x" * (mark.end - mark.start - 3)
            parts += text[at : mark.start], f"{_HIDDEN}[{hidden}\x01"
            at = mark.end
    plain = "".join((*parts, text[at:]))
    return _UNCUT.sub(_hidden, plain)


def _hidden(match: re.Match[str]) -> str:
    """Letters in the place of what is quoted, but for the end of a quotation."""
    last = _LAST.search(match[0])
    kept = last[0] if last and match[0][0] not in "`]" else ""
    return "x" * (len(match[0]) - len(kept)) + kept


def _within(start: int, end: int, marks: Sequence[CitationMark]) -> tuple[CitationMark, ...]:
    """The marks that begin between two places, in order."""
    first, last = (bisect_left(marks, at, key=lambda mark: mark.start) for at in (start, end))
    return tuple(marks[first:last])


def _statement(answer: str, start: int, end: int, marks: Sequence[CitationMark]) -> AnswerStatement:
    own = _within(start, end, marks)
    text, at = "", start
    for mark in own:
        if mark.is_mention or mark.start < at:
            continue
        text += answer[at : mark.start] + GAP
        at = mark.end
    return AnswerStatement(start, end, without_gaps(text + answer[at:end]).strip(), own)


def _quoted(answer: str, start: int, end: int, marks: Sequence[CitationMark]) -> AnswerStatement:
    """The statement for quoted code, unchanged."""
    own = _within(start, end, marks)
    return AnswerStatement(start, end, answer[start:end].strip("\n"), own)


def _clauses(
    answer: str, whole: AnswerStatement, marks: Sequence[CitationMark]
) -> Iterator[AnswerStatement]:
    """A sentence, or its clauses where one continues behind marks with a statement of its own."""
    if not whole.marks or answer[whole.start : whole.end].lstrip().startswith(("|", "`" * 3)):
        yield whole
        return
    for mark in whole.marks:
        is_last = mark == whole.marks[-1]
        behind = _GOES_ON.match(answer, mark.end, whole.end)
        if behind is None or (not is_last and mark.is_mention):
            continue
        first = _statement(answer, whole.start, mark.end, marks)
        if not _SAYS.search(first.text) or (not is_last and _CONDITION.match(first.text)):
            continue
        yield replace(first, goes_on=True, follows=whole.follows)
        rest = _statement(answer, behind.start("clause"), whole.end, marks)
        yield from _clauses(answer, replace(rest, follows=True), marks)
        return
    yield whole


def _explained(
    own: Sequence[AnswerStatement],
    leading: AnswerStatement | None,
    before: AnswerStatement | None,
    label: str,
) -> Iterator[AnswerStatement]:
    """The statements of a block, each with what it stands under, and what it depends on.

    The sentence `leading` to a list explains its items; the one `before` explains what leans on it,
    or follows its colon.
    """
    lead = leading.text if leading else label
    if leading and (alone := _LABEL.fullmatch(leading.text)):
        lead = _led_by(alone["words"])
    for each in own:
        if each.is_code:
            yield each
            before = None
            continue
        follows = before is not None and before is not leading and _LEADS.search(before.text)
        under = before.text if before and follows and not leading else lead
        if under == label and _LABEL.match(each.text):
            under = ""  # it says its label itself
        said = anchor = ""
        if before is not None and before is not leading and _leans(each.text):
            said = re.sub(_ITEM, "", before.text, count=1)
            anchor = before.anchor or ("" if _leans(said) else said)
        above = "" if _LABEL.match(anchor or said) else under
        words = dict.fromkeys((each.context, above, anchor, said))  # each once
        told = replace(each, context=" ".join(filter(None, words)), lead=under, anchor=anchor)
        yield told
        is_label = _LABEL.fullmatch(each.text) is not None
        before = before if is_label else told


def _leans(text: str) -> bool:
    """Whether a sentence says something of what stands before it."""
    return _LEANS.match(text) is not None or refers_back(text)


def _sharing(
    statements: Iterable[AnswerStatement], lead: AnswerStatement | None
) -> Iterator[AnswerStatement]:
    """The statements of a block; those without marks share the marks of others."""
    marks = lead.marks if lead else ()
    found: list[AnswerStatement] = []
    for each in reversed(tuple(statements)):
        marks = each.marks or marks
        is_own = each.marks or each.follows
        found.append(each if is_own else replace(each, marks=marks, shared=bool(marks)))
    return reversed(found)
