"""Texts for clients without a panel: answers, hits and permission requests, as files and messages.

A file shows what no message box has room for. The user may be typing when it opens, so it never
takes the focus. Of a permission request, only the lines of the command or change are indented.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from glossator.core.answer import Answer
from glossator.core.citation_words import changed, findings, found_of, holds, objection, tally
from glossator.core.citations import (
    CitationMark,
    code,
    link,
    place,
    rewrite_citations,
    space_before,
)
from glossator.core.edit import EditPlan, FileChange, FileRename
from glossator.core.permission import Cut, ExcerptLine, PermissionRequest, excerpt, is_cut
from glossator.core.question import Question, asker
from glossator.core.run_events import not_saved
from glossator.core.shown import shown, shown_prose, shown_text
from glossator.core.span import CitationView
from glossator.core.uri import to_uri

if TYPE_CHECKING:
    from glossator.commands import ShownGloss
    from glossator.lsp.client import Client
    from glossator.lsp.protocol import Protocol
    from glossator.retrieval import SearchAnswer, SearchHit

_log = logging.getLogger(__name__)

_KEPT_FILES = 200  # files, those written last
_ANSWER, _ASKED = ".md", ".txt"
# The `takeFocus` with which an editor shows a document and leaves the cursor where it is. To Eglot
# false is true, to Neovim nothing is; Helix moves the cursor in any case, as may others.
_BESIDE = {"Neovim": False, "Eglot": None, "Visual Studio Code": False}
_MESSAGE_LINES, _MESSAGE_CHARACTERS = 30, 300  # that a message box has room for
_TITLE_CHARACTERS = 60  # of a session
_NOT_WHOLE = "This is not shown whole: where a line begins with …, something is left out."
# Vim obeys modelines in the first and last five lines, Emacs in the first line and after the last
# form feed: only our own text is there.
_FILE_HEAD = (
    "What Glossator asks about, and when it asks; only what it asks about is indented." + "\n" * 5
)
_FILE_END = "\n" * 6 + "\f\nThe end.\n"
_INDENT = " " * 8  # code, in an item of a list
# Vim obeys modelines in the last five lines, Emacs what follows the last form feed: neither may be
# lines of a file.
_HITS_END = "\n" * 6 + "\f\n"


async def show_report(protocol: Protocol, client: Client, answer: Answer) -> None:
    """Have the client show the answer: as its gloss if it became one, else as a file."""
    document = getattr(answer, "document", None)
    if document is not None and client.contents and _shows_beside(client):
        _open(protocol, client, document)
    else:
        await show_text(protocol, client, answer_to_markdown(answer))


async def show_gloss(protocol: Protocol, client: Client, gloss: ShownGloss) -> None:
    """Have the client show a gloss, in the same way."""
    if client.contents and _shows_beside(client):
        _open(protocol, client, gloss.uri)
    else:
        await show_text(protocol, client, gloss.text)


async def show_request_file(protocol: Protocol, client: Client, text: str) -> str:
    """Write a permission request to a file, and have the client show it beside the rest, if it can.

    Gives the file's path as it is shown. Raises `OSError`.
    """
    path = await asyncio.to_thread(_write, text, _ASKED)
    if _shows_beside(client):
        _open(protocol, client, to_uri(str(path)))
    return _short(path)


async def show_text(protocol: Protocol, client: Client, text: str) -> None:
    """Write Markdown to the user's state folder; the client opens it, or shows where it is."""
    try:
        path = await asyncio.to_thread(_write, text, _ANSWER)
    except OSError as error:
        _log.warning("The answer could not be written as a report: %s", error)
        said = (
            f"The answer could not be written to {report_folder()} ({error.strerror}), so it is not"
            " shown. Check the disk's room and the folder's permissions, then ask again."
        )
        _tell(protocol, types.MessageType.Warning, said)
        return
    if _shows_beside(client):
        _open(protocol, client, to_uri(str(path)))
    else:
        _tell(protocol, types.MessageType.Info, f"Answer: {_short(path)}")


def _shows_beside(client: Client) -> bool:
    """Whether the client can show a document and leave the keyboard where it is."""
    return client.show_document and client.name in _BESIDE


def _open(protocol: Protocol, client: Client, uri: str) -> None:
    focus = _BESIDE[client.name]
    protocol.send_request(  # whether the user looks at it is not waited for
        types.WINDOW_SHOW_DOCUMENT, types.ShowDocumentParams(uri=uri, take_focus=focus)
    )


def _tell(protocol: Protocol, kind: types.MessageType, message: str) -> None:
    protocol.notify(types.WINDOW_SHOW_MESSAGE, types.ShowMessageParams(kind, message))


def _short(path: Path) -> str:
    """A path with ~ for the home folder: Neovim cuts the middle of long lines."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def report_folder() -> Path:
    """The folder of all these files, readable by the user alone."""
    import platformdirs  # noqa: PLC0415 - nothing but pygls is imported before `initialize`

    return Path(platformdirs.user_state_dir("glossator")) / "reports"


def is_answer(path: str) -> bool:
    """Whether the file at `path` (absolute) is an answer as Markdown."""
    return path.startswith(f"{report_folder()}/") and path.endswith(_ANSWER)


def _write(text: str, suffix: str) -> Path:
    folder = report_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    path, descriptor = _new_file(folder, suffix)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    _remove_old(folder)
    return path


def _new_file(folder: Path, suffix: str) -> tuple[Path, int]:
    """A new file, open, with the next number, as short as it can be for a message to show it."""
    taken = (int(path.stem) for path in _files(folder))
    for number in count(max(taken, default=0) + 1):
        path = folder / f"{number}{suffix}"
        with suppress(FileExistsError):
            return path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    raise AssertionError("numbers do not end")


def _remove_old(folder: Path) -> None:
    try:
        reports = sorted(_files(folder), key=lambda report: report.stat().st_mtime_ns)
        for report in reports[:-_KEPT_FILES]:
            report.unlink()
    except OSError as error:  # another server removes them, too; the next report tries again
        _log.info("Old reports were not removed: %s", error)


def _files(folder: Path) -> list[Path]:
    """The files that were written here."""
    ours = (_ANSWER, _ASKED)
    return [path for path in folder.iterdir() if path.stem.isdecimal() and path.suffix in ours]


def with_session_title(text: str) -> str:
    """What is asked, below the title of the session that asks."""
    title = asker().session_title
    if len(title) > _TITLE_CHARACTERS:
        title = f"{title[:_TITLE_CHARACTERS]}…"
    return f"Session: {title}\n{text}" if title else text


def fits_a_message(request: PermissionRequest) -> bool:
    """Whether a message box has room for all that is asked about."""
    return not is_cut(_excerpt(request))


def question_message(question: Question) -> str:
    """A question for a message box."""
    details = [f"{each.label}: {each.detail}" for each in question.options if each.detail]
    return "\n".join((question.text, *details))


def plan_message(plan: EditPlan) -> str:
    """What an edit changes, for a message box."""
    return "\n".join((f"{shown(plan.label)}?", *map(_file_summary, plan.files)))


def _file_summary(change: FileChange) -> str:
    if isinstance(change, FileRename):
        return f"{shown(change.path)} → {shown(change.new_path)}"
    removed = sum(hunk.before.count("\n") for hunk in change.hunks)
    added = sum(hunk.after.count("\n") for hunk in change.hunks)
    return f"{shown(change.path)} (+{added} -{removed} lines)"


def request_message(request: PermissionRequest, whole: str) -> str:
    """The text of a message box; if it cannot show all, it says so and adds `whole`."""
    detail = _excerpt(request)
    left_out = [_NOT_WHOLE, whole] if is_cut(detail) else []
    return "\n".join((request.title, *map(_indented, detail), *left_out, *request.reasons))


def request_file_text(request: PermissionRequest) -> str:
    """All that is asked about, as far as it was sent."""
    asked = with_session_title("\n".join((request.title, *request.reasons)))
    return f"{_FILE_HEAD}{asked}\n\n" + "\n".join(map(_indented, _whole(request))) + _FILE_END


def _excerpt(request: PermissionRequest) -> tuple[ExcerptLine, ...]:
    cut = request.cut
    lines = excerpt(request.detail, lines=_MESSAGE_LINES, characters=_MESSAGE_CHARACTERS)
    if cut is None:
        return lines
    tail = excerpt(cut.tail, lines=_MESSAGE_LINES, characters=_MESSAGE_CHARACTERS)
    return (*lines, _unsent(cut), *tail)


def _whole(request: PermissionRequest) -> Iterator[ExcerptLine]:
    yield from map(ExcerptLine, request.detail.split("\n"))
    if request.cut is not None:
        yield _unsent(request.cut)
        yield from map(ExcerptLine, request.cut.tail.split("\n"))


def _unsent(cut: Cut) -> ExcerptLine:
    return ExcerptLine(f"… {cut.bytes:,} more bytes", mark=True)


def _indented(line: ExcerptLine) -> str:
    return line.text if line.mark else f"  {line.text}"


def answer_to_markdown(answer: Answer) -> str:
    """The answer, its citations as links with what speaks against them, and how it came about."""
    cited = {each.target for each in answer.citations}

    def linked(mark: CitationMark) -> str:
        found = found_of(mark, answer.citations)
        doubt = f" ({objection(found)})" if found and not holds(found) else ""
        return space_before(answer.text, mark) + _link(mark.place, found) + doubt

    parts = [rewrite_citations(answer.text, linked, cited.__contains__).rstrip()]
    standing = [*findings(answer.text, answer.citations, answer.uncited, answer.corrections, _link)]
    counts = tally(answer.citations, len(answer.uncited), len(changed(answer.corrections)))
    if counts:
        listed = ["\n".join(standing)] if standing else []
        parts += ["## Citations", *listed, f"{counts}."]
    report = getattr(answer, "report", None)
    if report is not None and report.searched:
        parts.append(f"## Searched\n\n{report.account()}")
    if answer.unsaved:
        parts.append(f"**{not_saved(answer.unsaved)}**")
    how = "offline, no model" if answer.offline else answer.model
    parts.append(f"---\n\n*{how}; stopped: {answer.stop}*")
    return shown_prose("\n\n".join(parts) + "\n")


def _link(name: str, citation: CitationView | None) -> str:
    if citation is None or citation.uri is None:
        return code(name)
    first, _ = citation.leads_to
    line = f"#L{first}" if first else ""
    return link(name, f"{citation.uri}{line}")


def hit_locations(answer: SearchAnswer) -> list[dict[str, Any]]:
    """LSP's `Location` of the most telling lines of each hit, in the order of the hits."""
    return [
        {
            "uri": hit.uri,
            "range": {
                "start": {"line": first - 1, "character": 0},
                "end": {"line": last, "character": 0},
            },
        }
        for hit in answer.hits
        for first, last in (_telling(hit),)
    ]


def search_to_markdown(query: str, answer: SearchAnswer) -> str:
    """The hits, the best first, with links to their lines; `gF` in Vim follows their paths."""
    title = f"# Search: {' '.join(query.split())}"
    hits = [_item(number, hit) for number, hit in enumerate(answer.hits, 1)]
    parts = [title, *(hits or ["Nothing was found."])]
    end = [answer.searched]
    if answer.absent:
        end.append(f"No file holds {', '.join(f'`{word}`' for word in answer.absent)}.")
    text = shown_prose("\n\n".join(parts))
    return f"{text}{_HITS_END}{shown_prose(' '.join(end))}\n"


def _item(number: int, hit: SearchHit) -> str:
    where = place(hit.path, hit.first_line, hit.last_line)
    head = f"{number}. {link(where, f'{hit.uri}#L{_telling(hit)[0]}')}"
    if hit.context:
        head += f" `{hit.context.replace('`', ' ')}`"
    return "\n".join((head, "", *_lines(hit)))


def _lines(hit: SearchHit) -> Iterator[str]:
    """The lines that tell most, with their numbers, and a mark where some are left out."""
    lines = hit.text.split("\n")
    numbers = hit.lines or (hit.first_line,)
    width = len(str(numbers[-1]))
    before = numbers[0] - 1
    for number in numbers:
        if number > before + 1:
            yield f"{_INDENT}{'⋯':>{width}}"
        before = number
        yield f"{_INDENT}{number:>{width}}  {shown_text(lines[number - hit.first_line])}".rstrip()


def _telling(hit: SearchHit) -> tuple[int, int]:
    """The first and the last line to look at: a hit may begin far from what tells most."""
    return (hit.lines[0], hit.lines[-1]) if hit.lines else (hit.first_line, hit.last_line)
