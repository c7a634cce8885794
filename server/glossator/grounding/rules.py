"""Rules: what can be said about a statement and its cited lines without a model.

They refuse what can be disproved: a name, number, text or path of the statement that occurs nowhere
in the lines, parameters that a signature does not have, callers when there is another one. They
support code that occurs in the lines as quoted, and nothing else: how things are related is left to
a model (docs/decisions/0052).

An index of the workspace knows calls by their spelling: a call that it finds exists, but finding
none proves nothing. So it refutes "`f` is never called" and "only `g` calls `f`", and supports no
statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import takewhile
from operator import itemgetter

from glossator.core.file_kinds import FileKind, kind_of
from glossator.core.shown import shown
from glossator.core.span import Basis
from glossator.grounding.cited_lines import CallSite, CitedLines, Code, spaced, squeezed
from glossator.grounding.claims import Claim, Extent, claim_in, is_of_all_code
from glossator.grounding.wording import (
    Kind,
    Token,
    is_among,
    is_negation,
    is_set_aside,
    tokens_of,
    value_of,
)

_IMPLIED = frozenset(  # what lines may mean without writing it
    "None null nil undefined void True False true false self cls this bool int str float list dict"
    " tuple set bytes object string number boolean any unknown never Promise"
    " try except catch finally raise throw return yield async await import from def class func fn"
    " function if else for while with".split()
)
_UNITS = frozenset(  # a number of these is a value; of other things it is a count of them
    "seconds minutes hours days weeks months years milliseconds microseconds nanoseconds bytes bits"
    " kilobytes megabytes gigabytes characters chars tokens pixels percent degrees".split()
)
_COMPUTED = re.compile(  # lines that may stand for a number which is not written in them
    r"[^\W\d]\w*\)?\s*(?:<<|>>|\*\*|[*/%])\s*\d|\d\s*(?:<<|>>|\*\*|[*/%])\s*\(?[^\W\d]"
    r"|\b\w*Status\b|\b(?:HTTP_?)?Status\w+|\b(?:U?INT|SIZE)\d*_M(?:AX|IN)\b|\bM(?:ax|in)U?[Ii]nt"
    r"|\bM(?:AX|IN)_(?:VALUE|SAFE)|::M(?:AX|IN)\b|\bmath\."
)
_BETWEEN_LINES = frozenset("\u2013 \u2014 , and or to".split())
_NO_PLURALS = frozenset("unless this always plus minus process class pass less".split())
_BE = frozenset("is are was were be been isn't aren't wasn't weren't".split())
_PASSIVE = frozenset("get be been being".split())  # behind "doesn't", "will never", "has not"
_NUMBERS = dict(
    zip("no one two three four five six seven eight nine ten".split(), range(11), strict=True)
)
_N_PARAMETERS = (
    r"(?:exactly )?(?P<{}>\d+|no|one|two|three|four|five|six|seven|eight|nine|ten)"
    r" (?:parameters?|arguments?)(?= ?[.,;:]| and\b| but\b| at all\b| in the\b|$)"
)
_COUNT = re.compile(  # of the parameters of `x`
    rf"\bx (?:takes|accepts|expects|has|declares|is declared with) {_N_PARAMETERS.format('a')}"
    rf"|\bthere (?:are|is) {_N_PARAMETERS.format('b')} in the (?:definition|signature) of x\b"
)
_MARKUP = re.compile(r"[`*_\"“”]")
_PART_OF_TEXT_BELOW = 3  # characters; a shorter name may stand anywhere in a text
_PART_OF_NAME_FROM = 6  # characters of a mixed-case name that may be part of another
_OF_CHANGE = re.compile(  # in English and German
    r"\b(?:was|were|had|been|used to|formerly|previously|earlier|now|no longer|any ?more|gone"
    r"|instead of|rather than|in place of|from .{1,80}? to|into|becam\w+|becomes?|went"
    r"|(?:replac|renam|remov|delet|dropp|chang|mov|rais|lower|increas|decreas|reduc|extract|inlin|swapp"
    r"|convert|updat|rewr|fix|correct)\w*"
    r"|wurden?|war|waren|hieß|heißt|jetzt|nun|statt|anstelle|früher|vorher|nicht mehr"
    r"|von .{1,80}? auf"
    r"|(?:ersetz|entfern|umbenann|geänder|gelösch|verschob|erhöh|gesenk|korrigier)\w*)(?!\w)",
    re.IGNORECASE,
)
_MIN_QUOTED_SHARE = 0.5  # of the lines of quoted code must stand in what it cites

NO_CALLS: Calls = {}
_MAX_NAMES = 4  # names of a statement that are looked up
_ABOUT_CALLS = re.compile(r"\b(?:call\w*|invok\w+|unused|used)\b", re.IGNORECASE)


class Verdict(StrEnum):
    """What judging a statement found."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict, and in one sentence why the statement is refused.

    It is `sure` if something that the statement quotes occurs nowhere in the lines, and is no
    number that they may stand for, if lines or calls contradict it, or if no lines can show it.
    `parts` are the parts of the lines that support it, if not all do. `tells_change`: some of it
    stands only in lines removed.
    """

    verdict: Verdict
    reason: str = ""
    sure: bool = False
    parts: tuple[CitedLines, ...] = ()
    tells_change: bool = False
    basis: Basis = Basis.CHECKS


UNDECIDED = Judgement(Verdict.UNDECIDED)
_OF_ALL_CODE = Judgement(
    Verdict.UNDECIDED, "Not judged: its lines cannot show what all other code does.", sure=True
)


def names_called(statement: str) -> tuple[str, ...]:
    """The called names whose other calls would say more about the statement."""
    return names_to_look_up(tokens_of(statement))


def check(statement: str, cited: Sequence[CitedLines], calls: Calls = NO_CALLS) -> Judgement:
    """What contradicts a statement, by all its lines; `calls` are those of the workspace.

    The verdict is never "supported": a statement that nothing contradicts is undecided.
    """
    codes = [Code(each) for each in cited]
    words = squeezed(_MARKUP.sub("", statement)).rstrip(".")
    if words and any(words in _MARKUP.sub("", text) for code in codes for text in code.readings):
        return UNDECIDED  # it stands in the lines as it is
    tokens = tokens_of(statement)
    claim = claim_in(statement, codes)
    if claim and claim.is_of_calls and (why := _other_call(claim, calls)):
        return Judgement(Verdict.CONTRADICTED, why, sure=True)
    elsewhere = claim.elsewhere if claim else ()
    if why := _miscounted(tokens, codes):
        return Judgement(Verdict.CONTRADICTED, why, sure=True)
    asserted = tokens[: _denied(tokens)]
    missing = [each for each in _missing(asserted, codes) if each[0] not in elsewhere]
    tells_change = bool(missing) and _OF_CHANGE.search(statement) is not None
    before = [Code(each.before) for each in cited if tells_change and each.before]
    if before:
        now = {token for token, _ in _missing(asserted, [*codes, *before])}
        missing = [each for each in missing if each[0] in now]
    if missing:
        token, sure = max(missing, key=itemgetter(1))  # the surest
        text = f"“{shown(token.text)}”" if token.kind is Kind.STRING else shown(token.text)
        reason = f"{text} does not occur in the lines.{called_elsewhere(token, calls)}"
        return Judgement(Verdict.UNSUPPORTED, reason, sure)
    if (claim and claim.extent is Extent.WHOLE) or is_of_all_code(statement):
        return _OF_ALL_CODE
    return replace(UNDECIDED, tells_change=True) if before else UNDECIDED


def quotation(fenced: str, cited: Sequence[CitedLines]) -> Judgement:
    """Whether quoted code occurs in the lines of one citation, line for line.

    Code with less than half of its lines there is the writer's own example.
    """
    fence = re.compile(r"\s*(?:`{3,}|~{3,})")
    quoted = [line.rstrip() for line in fenced.splitlines() if not fence.match(line)]
    wanted = [line for line in quoted if re.search(r"\w", line)]
    known = {squeezed(line) for each in cited for line in each.lines}
    absent = [line for line in wanted if squeezed(line) not in known]
    if not wanted or len(wanted) - len(absent) < _MIN_QUOTED_SHARE * len(wanted):
        return UNDECIDED
    if absent:
        reason = f"The line `{absent[0].strip()}` is not among the lines."
        return Judgement(Verdict.UNSUPPORTED, reason, sure=True)
    is_there = any(_stands_in(quoted, each.lines) for each in cited)
    return Judgement(Verdict.SUPPORTED) if is_there else UNDECIDED


def _stands_in(quoted: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether lines occur among others in order, without gaps and indented alike."""
    wanted = [line for line in quoted if line.strip()]
    own = [line for line in lines if line.strip()]
    plain = list(map(str.strip, own))
    for start in range(len(own) - len(wanted) + 1):
        if plain[start : start + len(wanted)] == list(map(str.strip, wanted)):
            pairs = list(zip(own[start:], wanted, strict=False))
            for tab in (8, 4, 2):  # a tab may be quoted as some spaces
                shifts = {
                    _depth(line.expandtabs(tab)) - _depth(quote.expandtabs(tab))
                    for line, quote in pairs
                }
                if len(shifts) == 1:
                    return True
    return False


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _denied(tokens: Sequence[Token]) -> int:
    """The first token of what a statement says is absent, which need not occur in the lines.

    That may be the whole statement, if it says what is not done: "`close` is never called".
    """
    words = [token.text.lower() if token.kind is Kind.WORD else "" for token in tokens]
    first = next((at for at, word in enumerate(words) if is_negation(word)), len(tokens))
    is_passive = _BE.intersection(words[max(first - 1, 0) : first + 1]) or _PASSIVE.intersection(
        words[first + 1 : first + 2]
    )
    return 0 if is_passive else first


def _missing(tokens: Sequence[Token], codes: Sequence[Code]) -> Iterator[tuple[Token, bool]]:
    """What the statement names and no lines hold, and whether that is sure.

    It is sure for numbers, texts and what stands between back-ticks.
    """
    whole = "\n".join(code.text for code in codes)
    quotes_code = any(token.quoted for token in tokens)  # then other quotes may only set words off
    is_written = False  # the fragment that the tokens are inside of
    for at, token in enumerate(tokens):
        if token.kind is Kind.FRAGMENT:
            is_written = re.search(_in_code(token.text), whole, re.IGNORECASE) is not None or any(
                code.may_say(token.text) for code in codes
            )
        if token.inside and is_written:
            continue
        match token.kind:
            case Kind.NAME if not (_named(token, codes) or is_set_aside(at, tokens)):
                if not (token.quoted and _is_part(token, codes)):
                    yield token, token.quoted
            case Kind.NUMBER if not (_COMPUTED.search(whole) or _numbered(at, tokens, codes)):
                yield token, len(token.text) > 1
            case Kind.STRING if not _texted(token, codes, is_scare=quotes_code):
                yield token, quotes_code
            case Kind.FILE if not _filed(token.text, codes):
                yield token, False
            case _:
                pass


def _in_code(fragment: str) -> str:
    """A pattern for quoted code with any spacing; `Retry-After` also matches `retry_after`."""
    if re.fullmatch(r"\w+(?:-\w+)+", fragment):
        return fragment.replace("-", "[-_]?")
    return spaced(fragment)


def _named(token: Token, codes: Sequence[Code]) -> bool:
    if token.last in _IMPLIED:
        return True
    parts = [part for part in token.parts if part not in _IMPLIED]
    if all(any(_holds(code, part) for code in codes) for part in parts):
        return True
    # an instance's or a module's name may be told by words: the last part counts
    is_loose = len(parts) > 1 and (not token.quoted or "::" in token.text)
    if is_loose and any(code.has(parts[-1]) for code in codes):
        return True
    return any(code.puts_together(token.last) for code in codes)


def _is_part(token: Token, codes: Sequence[Code]) -> bool:
    """Whether a name of one word is a word of longer names, in any case: `vars` of `TaskfileVars`.

    It may mean these, or may not: only a model can tell. Longer names mean one thing alone.
    """
    return token.text.isalnum() and any(code.has_word(token.text) for code in codes)


def _holds(code: Code, name: str) -> bool:
    """Whether lines hold a name, or a longer one that it may stand for: `isHTTPError`."""
    is_telling = len(name) < _PART_OF_TEXT_BELOW or (
        len(name) >= _PART_OF_NAME_FROM and not name.islower()
    )
    return code.has(name) or (is_telling and name in code.text)


def _numbered(at: int, tokens: Sequence[Token], codes: Sequence[Code]) -> bool:
    """Whether a number occurs in the lines, is a line's number, or counts things."""
    token = tokens[at]
    value = value_of(token.text)
    if value is None or any(is_among(value, code.numbers) for code in codes):
        return True
    before = tokens[at - 1] if at else None
    if before and re.fullmatch(r"[A-Z][A-Z\d]+|Python|Node|Java|Go", before.text):
        return True  # a part of a name: RFC 3339
    if any(re.search(rf"(?<!\d){re.escape(token.text)}(?!\d)", code.text) for code in codes):
        return True  # a part of a name of code: HTTP_404
    if before and before.text.lower() in ("line", "l"):
        return any(
            code.cited.first_line <= value < code.cited.first_line + len(code.cited.lines)
            for code in codes
        )
    return _is_of_lines(at, tokens) or (not token.quoted and _counts(tokens[at + 1 : at + 3]))


def _is_of_lines(at: int, tokens: Sequence[Token]) -> bool:
    """Whether a number belongs to a list of lines, as in "lines 3-9 and 12"."""
    for token in reversed(tokens[:at]):
        word = token.text.lower()
        if token.kind is not Kind.NUMBER and word not in _BETWEEN_LINES:
            return word == "lines"
    return False


def _counts(behind: Sequence[Token]) -> bool:
    """Whether a number counts what stands behind it, as in `3 public methods`."""
    words = [each.text.lower() for each in takewhile(lambda t: t.kind is Kind.WORD, behind)]
    plural = next((each for each in words if len(each) > 3 and each.endswith("s")), "")
    return plural not in ("", *_UNITS, *_NO_PLURALS)


def _miscounted(tokens: Sequence[Token], codes: Sequence[Code]) -> str:
    """Why a function has another number of parameters than is said; "" if that may be right.

    Only where the statement names one function, which the lines define with a fixed list.
    """
    every = [each for code in codes for each in code.definitions]
    names = {token.last for token in tokens if token.kind in (Kind.NAME, Kind.WORD)}
    found = [each for each in every if each.name in names]
    words = " ".join(
        "x" if t.kind is Kind.NAME or t.text in (each.name for each in found) else t.text.lower()
        for t in tokens
    )
    said = _COUNT.search(words)
    if said is None or len(found) != 1 or found[0].is_class:
        return ""
    parameters, count = found[0].parameters, said["a"] or said["b"]
    if parameters is None:
        return ""
    without_rest = sum(not each.is_rest for each in parameters)
    without_object = sum(each.name not in ("self", "cls", "this") for each in parameters)
    counts = (len(parameters), without_rest, without_object)  # `cls: type[Model]` may count or not
    if _NUMBERS.get(count, value_of(count)) in counts:
        return ""
    listed = ", ".join(f"`{shown(each.name)}`" for each in parameters)
    return f"The lines say {len(parameters)}{f': {listed}' if listed else ''}."


def _texted(token: Token, codes: Sequence[Code], *, is_scare: bool) -> bool:
    """Whether a text occurs in the lines, with values in its holes or in theirs."""
    wanted = " ".join(token.text.split())
    if not wanted or (is_scare and not token.quoted and wanted.replace(" ", "").isalpha()):
        return True
    pieces = [squeezed(piece) for piece in re.split(r"…|\.\.\.|%\w|\{[^{}]*\}", wanted)]
    return any(
        all(piece in text for piece in pieces) for code in codes for text in code.readings
    ) or any(code.may_say(wanted) for code in codes)


def _filed(name: str, codes: Sequence[Code]) -> bool:
    plain = name.removeprefix("./").strip("/")
    return any(
        f"/{code.cited.path}".endswith(f"/{plain}")
        or f"/{plain}/" in f"/{code.cited.path}"
        or plain in code.text
        or code.has(plain.rsplit("/", 1)[-1].rsplit(".", 1)[0])
        for code in codes
    )


Calls = Mapping[str, Sequence[CallSite]]  # by the name that is called


def names_to_look_up(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The names whose calls would say more about a statement; none if it is not about calls."""
    if not any(t.kind is Kind.WORD and _ABOUT_CALLS.fullmatch(t.text) for t in tokens):
        return ()
    names = (t.last for t in tokens if t.kind is Kind.NAME and not t.inside)
    return tuple(dict.fromkeys(names))[:_MAX_NAMES]


def _other_call(claim: Claim, calls: Calls) -> str:
    """A sentence on a call by something that a claim does not name; "" if no such call is known.

    Calls in tests and examples do not count, nor calls by the function itself.
    """
    said = [each.last for each in (claim.subject, *claim.others)]
    for site in () if claim.limit else calls.get(claim.subject.last, ()):
        if site.sure and kind_of(site.path) is FileKind.CODE and not site.is_by(said):
            return f"`{shown(claim.subject.text)}` is called in {place_of_call(site)}."
    return ""


def called_elsewhere(name: Token, calls: Calls) -> str:
    """A sentence on a call outside the lines; "" if no such call is known."""
    site = next((each for each in calls.get(name.last, ()) if each.sure), None)
    return f" `{shown(name.text)}` is called in {place_of_call(site)}." if site else ""


def place_of_call(site: CallSite) -> str:
    """A place such as `send` (src/client.py, line 8)."""
    caller = f"`{shown('.'.join(site.within))}`" if site.within else "code outside of functions"
    return f"{caller} ({shown(site.path)}, line {site.line})"
