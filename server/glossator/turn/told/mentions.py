"""Mentions by `@` in a question, which attach a file, lines of it, a folder or a symbol.

`@src/app.py`, `@src/app.py:10-20`, `@src/app.py#L10-L20`, `@"my notes.txt"`, `@src/`, `@logo.png`
and `@Parser.parse`. Code between back-ticks holds no mentions. A notice says what was found. Words
such as `@diagnostics` and what begins with `@git:` are looked up by the caller.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from glossator.core.attached import Attached, Exhibit
from glossator.core.citations import fences
from glossator.core.document import Missing, MissingReason
from glossator.core.errors import GlossatorError, UsageError
from glossator.core.file_kinds import CODE
from glossator.core.images import is_image
from glossator.core.prompts import load_prompt
from glossator.core.tool_result import shorten
from glossator.symbols import Limits, Name, SearchScope, Symbol, SymbolFinder
from glossator.turn.told.exhibits import HidingRules, attach, attach_folder, attach_image
from glossator.worker import JobFailed, WorkerGone
from glossator.workspace import WorkspaceSnapshot

MAX_MENTIONS = 8  # of a question that are looked up
MAX_DEFINITIONS = 3  # of one name that are shown

DIAGNOSTICS = "diagnostics"  # mentions that mean neither a file nor a symbol
SELECTION = "selection"
TERMINAL = "terminal"
GIT = "git:"  # what such a mention begins with; a revision follows, or:
GIT_DIFF = "git:diff"

_BEGIN = r"(?<![\w@./\\])@"
_BARE = r"(?: [][(){}\w./\\:#+$~%=-] | (?<=/)@ )"
_MENTION = re.compile(
    rf"""{_BEGIN}(?:
    "(?P<quoted>[^"\n]+)" (?P<lines>(?::\d|\#L)[\dL-]*)?
    | (?P<address> https?://[^\s<>"]+ )
    | (?P<git> {GIT}[\w./^~@{{}}-]++ ) (?!:\S)
    | (?P<bare> {_BARE}+ )
    )""",
    re.VERBOSE,
)
_UNFINISHED = re.compile(
    rf"""{_BEGIN}(?: "(?P<quoted>[^"]*) | (?P<bare> {_BARE}* ) )\Z""", re.VERBOSE
)
_BLANK_LINES = re.compile(r"\n\s*\n")
_ADDRESS = re.compile(r"(?:url:)?https?:/")
_BACK_TICKS = re.compile(r"(`+)")
_LINES = re.compile(r"(.+?)(?::(\d{1,9})(?:-(\d{1,9}))?|#L(\d{1,9})(?:-L?(\d{1,9}))?)")
_NAME = re.compile(r"(?:[^\W\d]|\$)[\w$]*(?:(?:::|->|[.#])[\w$]+)*(?:\([^/]*\))?")
_PARTNERS = {")": "(", "]": "[", "}": "{"}
_PUNCTUATION = ".:#-+=%~\\/"  # at the end of a mention, it belongs to the sentence
_ENDING = ".,;:!?)'"  # the same, of a revision or an address

_SHOWN_CHARACTERS = 200  # characters of a mention, in a notice
_SYMBOL_SECONDS = 5.0  # for all symbols of a question
_LIMITS = Limits(texts=200, hits=MAX_DEFINITIONS + 1)
_IN_CODE = SearchScope(languages=CODE)  # nobody means a key of data
_NOT_FOUND = "no file and no symbol of code has this name"
_NO_NETWORK = (
    "Glossator fetches nothing from the network; paste it, or ask for a command that fetches it"
)
_OTHERWISE = {  # why a word that is neither a file nor a symbol attaches nothing
    "url": _NO_NETWORK,
    TERMINAL: "this editor does not share its terminal, and no file or symbol has this name",
}
_NO_FILE = frozenset({MissingReason.ABSENT, MissingReason.OUTSIDE, MissingReason.DIRECTORY})


@dataclass(frozen=True, slots=True)
class Mention:
    """The text after an `@`: a path, with lines or without; `name` if it may be a symbol."""

    text: str
    name: bool


@dataclass(frozen=True, slots=True)
class Mentioned:
    """The attachments that were found, and by the user's text, why the others were not."""

    attached: tuple[Attached | Exhibit, ...] = ()
    doubts: Mapping[str, str] = field(default_factory=dict)

    @property
    def notice(self) -> str:
        """A notice for the user about both."""
        found = ", ".join(dict.fromkeys(item.name for item in self.attached))
        left_out = self._left_out
        sentences = (found and f"Attached: {found}.", left_out and f"Not attached: {left_out}.")
        return " ".join(filter(None, sentences))

    @property
    def parts(self) -> tuple[Attached | Exhibit, ...]:
        """The attachments before the question, with a note on what was not found."""
        if not self.doubts:
            return self.attached
        note = load_prompt("user/not_attached").render(left_out=self._left_out)
        return (*self.attached, Exhibit(note, "what was not found"))

    @property
    def _left_out(self) -> str:
        return ", ".join(
            f"@{shorten(text, _SHOWN_CHARACTERS)} ({doubt})" for text, doubt in self.doubts.items()
        )


def find_mentions(question: str) -> tuple[Mention, ...]:
    """The mentions in a question, each once; slow for a long question."""
    found = map(_mention, _MENTION.finditer(_without_code(question)))
    return tuple({mention.text: mention for mention in found if mention.text}.values())


def unfinished_mention(question: str) -> tuple[str, str] | None:
    """The mention that the user is typing at the end of a question, and its name or path."""
    line = _without_code(question).rpartition("\n")[2]
    match = _UNFINISHED.search(line)
    return None if match is None else (match[0], match["quoted"] or match["bare"] or "")


def as_mention(text: str, *, name: bool) -> str | None:
    """The mention that names a path, or a symbol by `name`; None if it cannot be written."""
    bare, quoted = f"@{text}", f'@"{text}"'
    read = _alone(bare)
    if read == Mention(text, name=True) and text not in (DIAGNOSTICS, SELECTION, TERMINAL):
        return bare
    if name:
        return None
    if read == Mention(text.rstrip("/"), name=False):
        return bare
    return quoted if _alone(quoted) == Mention(text, name=False) else None


async def resolve_mentions(
    wanted: Sequence[Mention],
    snapshot: WorkspaceSnapshot,
    symbols: SymbolFinder,
    hidden: HidingRules | None = None,
) -> Mentioned:
    """The visible files, lines and definitions that the mentions name."""
    found: list[Attached | Exhibit] = []
    too_many = f"more than {MAX_MENTIONS} are not looked up"
    doubts = {mention.text: too_many for mention in wanted[MAX_MENTIONS:]}
    names: list[tuple[Mention, Missing]] = []
    for mention in wanted[:MAX_MENTIONS]:
        if _ADDRESS.match(mention.text):
            doubts[mention.text] = _NO_NETWORK
            continue
        try:
            file = await asyncio.to_thread(_file, snapshot, mention, hidden)
        except (GlossatorError, OSError) as error:
            doubts[mention.text] = str(error).rstrip(".")
            continue
        if not isinstance(file, Missing):
            found.append(file)
        elif mention.name and file.reason in _NO_FILE:
            names.append((mention, file))
        else:
            doubts[mention.text] = _why(file)
    try:
        async with asyncio.timeout(_SYMBOL_SECONDS):
            while names:
                mention, file = names[0]
                definitions, doubt = await _definitions(snapshot, symbols, mention.text, hidden)
                found += definitions
                if not definitions and file.reason is MissingReason.DIRECTORY:
                    folder, doubt = await asyncio.to_thread(_folder, snapshot, mention.text, hidden)
                    found += folder
                if doubt:
                    doubts[mention.text] = doubt
                del names[0]
    except (GlossatorError, OSError, WorkerGone, JobFailed) as failure:  # or the time is over
        why = str(failure).rstrip(".") or f"symbols took more than {_SYMBOL_SECONDS:g} s"
        doubts |= {mention.text: f"it could not be looked up: {why}" for mention, _ in names}
    return Mentioned(tuple(found), doubts)


def _without_code(question: str) -> str:
    """The text without the parts that Markdown shows as code."""
    ends = [0]
    for start, end in fences(question):
        ends += start, end
    ends.append(len(question))
    prose = "\n\n".join(question[at:end] for at, end in zip(ends[::2], ends[1::2], strict=True))
    return "\n".join(map(_without_quotes, _BLANK_LINES.split(prose)))


def _without_quotes(paragraph: str) -> str:
    """The text outside back-ticks; equal numbers of them open and close code."""
    parts = _BACK_TICKS.split(paragraph)  # text, back-ticks, text …
    closing: dict[int, int] = {}  # the next back-ticks of the same number
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
    if other := match["address"] or match["git"]:
        return Mention(other.rstrip(_ENDING), name=False)
    text = _trimmed(match["bare"])
    path_goes_on = match["bare"][len(text) :].startswith(("/", "\\", "["))
    is_name = _NAME.fullmatch(text) and not _LINES.fullmatch(text) and not path_goes_on
    return Mention(text, bool(is_name))


def _alone(written: str) -> Mention | None:
    """The mention that is the whole text."""
    match = None if "`" in written else _MENTION.fullmatch(written)
    return None if match is None else _mention(match)


def _trimmed(text: str) -> str:
    """`text` up to an unmatched bracket, without the punctuation of its sentence."""
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


def _file(
    snapshot: WorkspaceSnapshot, mention: Mention, hidden: HidingRules | None
) -> Attached | Exhibit | Missing:
    """The file, its lines, or the folder of a mention.

    If a folder has a symbol's name, the symbol comes first. Raises `UsageError` for missing lines
    and hidden files.
    """
    text = mention.text
    lines = _LINES.fullmatch(text)
    found = snapshot.read(text)
    if lines and isinstance(found, Missing):
        text = lines[1]
        found = snapshot.read(text)
    else:
        lines = None
    if isinstance(found, Missing):
        if found.reason is MissingReason.BINARY and is_image(text):
            return attach_image(snapshot, text, hidden)
        if found.reason is MissingReason.DIRECTORY and not mention.name:
            return attach_folder(snapshot, text, hidden)
        return found
    first = int(lines[2] or lines[4]) if lines else None
    last = int(lines[3] or lines[5] or lines[2] or lines[4]) if lines else None
    return attach(snapshot, text, first, last, hidden)


def _folder(
    snapshot: WorkspaceSnapshot, text: str, hidden: HidingRules | None
) -> tuple[list[Exhibit], str]:
    try:
        return [attach_folder(snapshot, text, hidden)], ""
    except UsageError as error:
        return [], str(error).rstrip(".")


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
    hidden: HidingRules | None,
) -> tuple[list[Attached], str]:
    """The first definitions of a name in code, and a doubt for the user."""
    try:
        parsed = Name.parse(name)
    except UsageError:  # too long, or nothing but signs
        return [], _OTHERWISE.get(name, _NOT_FOUND)
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
    return [], _OTHERWISE.get(name, f"{_NOT_FOUND}{looked}")


def _lines(
    snapshot: WorkspaceSnapshot, path: str, at: Symbol, hidden: HidingRules | None
) -> Attached | None:
    try:
        return attach(snapshot, path, at.first_line, at.last_line, hidden)
    except UsageError:  # the file has changed since the symbol was found
        return None
