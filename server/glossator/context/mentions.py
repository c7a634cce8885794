"""What a question mentions by `@`: a file, lines of it, or a symbol. Shown to the model with it.

`@src/app.py`, `@src/app.py:10-20`, `@src/app.py#L10-L20`, `@"my notes.txt"` and `@Parser.parse`.
What stands in code, between back-ticks, is no mention. The user is told what was found and what
was not.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from glossator.context.attachments import Attached, Hidden, attach
from glossator.core.citations import fences, place
from glossator.core.document import Missing, MissingReason
from glossator.core.errors import UsageError
from glossator.core.tool_result import shorten
from glossator.workspace.snapshot import WorkspaceSnapshot
from glossator.workspace.symbols.candidates import Place
from glossator.workspace.symbols.find import Limits
from glossator.workspace.symbols.finder import SymbolFinder
from glossator.workspace.symbols.languages import CODE
from glossator.workspace.symbols.names import Name
from glossator.workspace.symbols.symbol import Symbol
from glossator.workspace.worker.client import WorkerGone
from glossator.workspace.worker.connection import JobFailed

MAX_MENTIONS = 8  # of a question that are looked up
MAX_DEFINITIONS = 3  # of one name that are shown

_MENTION = re.compile(
    r"""(?<![\w@./\\])@(?:
    "(?P<quoted>[^"\n]+)" (?P<lines>(?::\d|\#L)[\dL-]*)?
    | (?P<bare> (?: [][(){}\w./\\:#+$~%=-] | (?<=/)@ )+ )
    )""",
    re.VERBOSE,
)
_BLANK_LINES = re.compile(r"\n\s*\n")
_BACK_TICKS = re.compile(r"(`+)")
_LINES = re.compile(r"(.+?)(?::(\d{1,9})(?:-(\d{1,9}))?|#L(\d{1,9})(?:-L?(\d{1,9}))?)")
_NAME = re.compile(r"(?:[^\W\d]|\$)[\w$]*(?:(?:::|->|[.#])[\w$]+)*(?:\([^/]*\))?")
_PARTNERS = {")": "(", "]": "[", "}": "{"}
_PUNCTUATION = ".:#-+=%~\\/"  # at the end it belongs to the sentence

_SHOWN = 200  # characters of a mention, in a notice
_SECONDS = 5.0  # for all symbols of a question
_LIMITS = Limits(texts=200, hits=MAX_DEFINITIONS + 1)
_IN_CODE = Place(languages=CODE)  # a key of data is not what somebody means
_NOT_FOUND = "no file and no symbol of code has this name"
_NO_FILE = frozenset({MissingReason.ABSENT, MissingReason.OUTSIDE, MissingReason.DIRECTORY})


@dataclass(frozen=True, slots=True)
class Mention:
    """What stands after an `@`: a path, with lines or without, and perhaps a symbol's `name`."""

    text: str
    name: bool


@dataclass(frozen=True, slots=True)
class Mentioned:
    """What was found; `notice` tells the user of that and of what was not."""

    attached: tuple[Attached, ...] = ()
    notice: str = ""


def mentions(question: str) -> tuple[Mention, ...]:
    """What a question mentions, each once; takes a while for a long question."""
    found = map(_mention, _MENTION.finditer(_without_code(question)))
    return tuple({mention.text: mention for mention in found if mention.text}.values())


async def look_up(
    wanted: Sequence[Mention],
    snapshot: WorkspaceSnapshot,
    symbols: SymbolFinder,
    hidden: Hidden | None = None,
) -> Mentioned:
    """The files, lines and definitions that are mentioned, but for files that are hidden."""
    found: list[Attached] = []
    doubts = dict.fromkeys(wanted[MAX_MENTIONS:], f"more than {MAX_MENTIONS} are not looked up")
    names: list[Mention] = []
    for mention in wanted[:MAX_MENTIONS]:
        try:
            file = await asyncio.to_thread(_file, snapshot, mention.text, hidden)
        except UsageError as error:
            doubts[mention] = str(error).rstrip(".")
            continue
        if isinstance(file, Attached):
            found.append(file)
        elif mention.name and file.reason in _NO_FILE:
            names.append(mention)
        else:
            doubts[mention] = _why(file)
    try:
        async with asyncio.timeout(_SECONDS):
            while names:
                definitions, doubt = await _definitions(snapshot, symbols, names[0].text, hidden)
                found += definitions
                if doubt:
                    doubts[names[0]] = doubt
                del names[0]
    except (TimeoutError, WorkerGone, JobFailed) as failure:
        why = str(failure).rstrip(".") or f"symbols took more than {_SECONDS:g} s"
        doubts |= dict.fromkeys(names, f"it could not be looked up: {why}")
    return Mentioned(tuple(found), _notice(found, doubts))


def _without_code(question: str) -> str:
    """The text around what Markdown shows as code."""
    ends = [0]
    for start, end in fences(question):
        ends += start, end
    ends.append(len(question))
    prose = "\n\n".join(question[at:end] for at, end in zip(ends[::2], ends[1::2], strict=True))
    return "\n".join(map(_without_quotes, _BLANK_LINES.split(prose)))


def _without_quotes(paragraph: str) -> str:
    """The text outside of back-ticks: what as many open and close is code."""
    parts = _BACK_TICKS.split(paragraph)  # text, back-ticks, text …
    closing: dict[int, int] = {}  # the next back-ticks that are as many
    last: dict[str, int] = {}
    for at in range(len(parts) - 2, 0, -2):
        closing[at] = last.get(parts[at], at)
        last[parts[at]] = at
    kept = []
    at = 0
    while at < len(parts):
        kept.append(parts[at])
        at = closing.get(at, at) + 1
    return "".join(kept)


def _mention(match: re.Match[str]) -> Mention:
    if match["quoted"]:
        return Mention(match["quoted"] + (match["lines"] or ""), name=False)
    text = _trimmed(match["bare"])
    path_goes_on = match["bare"][len(text) :].startswith(("/", "\\", "["))
    is_name = _NAME.fullmatch(text) and not _LINES.fullmatch(text) and not path_goes_on
    return Mention(text, bool(is_name))


def _trimmed(text: str) -> str:
    """`text` up to a bracket without its partner, and without the punctuation of its sentence."""
    opened: list[int] = []
    end = len(text)
    for at, character in enumerate(text):
        if character in _PARTNERS.values():
            opened.append(at)
        elif partner := _PARTNERS.get(character):
            if not opened or text[opened[-1]] != partner:
                end = at
                break
            opened.pop()
    return text[: min([end, *opened])].rstrip(_PUNCTUATION)


def _file(snapshot: WorkspaceSnapshot, text: str, hidden: Hidden | None) -> Attached | Missing:
    """The file, or the lines of it, that a mention means.

    Raises `UsageError` for lines that are not there, and for a file that is hidden.
    """
    lines = _LINES.fullmatch(text)
    found = snapshot.read(text)
    if lines and isinstance(found, Missing):
        text = lines[1]
        found = snapshot.read(text)
    else:
        lines = None
    if isinstance(found, Missing):
        return found
    first = int(lines[2] or lines[4]) if lines else None
    last = int(lines[3] or lines[5] or lines[2] or lines[4]) if lines else None
    return attach(snapshot, text, first, last, hidden)


def _why(missing: Missing) -> str:
    match missing.reason:
        case MissingReason.ABSENT:
            return "there is no such file"
        case MissingReason.OUTSIDE:  # with several folders, the message names them
            return missing.message.rstrip(".")
    return f"it is {missing.reason}"


async def _definitions(
    snapshot: WorkspaceSnapshot,
    symbols: SymbolFinder,
    name: str,
    hidden: Hidden | None,
) -> tuple[list[Attached], str]:
    """The first definitions of a name in code, and what the user should know about them."""
    try:
        parsed = Name.parse(name)
    except UsageError:  # too long, or nothing but signs
        return [], _NOT_FOUND
    found = await symbols.definitions(snapshot, parsed, replace(_IN_CODE, hides=hidden), _LIMITS)
    places = [(hit.line.path, hit.symbol) for hit in found.hits[:MAX_DEFINITIONS]]
    shown = await asyncio.to_thread(
        lambda: [_lines(snapshot, path, at, hidden) for path, at in places]
    )
    attached = [item for item in shown if item is not None]
    if len(found.hits) > MAX_DEFINITIONS:
        return attached, f"all but its first {MAX_DEFINITIONS} definitions"
    if attached:
        return attached, ""
    looked = f" in the {found.coverage.read:,} files read" if found.coverage.unread else ""
    return [], f"{_NOT_FOUND}{looked}"


def _lines(
    snapshot: WorkspaceSnapshot, path: str, at: Symbol, hidden: Hidden | None
) -> Attached | None:
    try:
        return attach(snapshot, path, at.first_line, at.last_line, hidden)
    except UsageError:  # the file has changed since the symbol was found
        return None


def _notice(found: Sequence[Attached], doubts: Mapping[Mention, str]) -> str:
    places = (place(item.path, item.span.first_line, item.span.last_line) for item in found)
    shown = ", ".join(dict.fromkeys(places))
    left_out = ", ".join(
        f"@{shorten(mention.text, _SHOWN)} ({doubt})" for mention, doubt in doubts.items()
    )
    sentences = (shown and f"Attached: {shown}.", left_out and f"Not attached: {left_out}.")
    return " ".join(filter(None, sentences))
