"""What goes with a question: what the user attached, and what the question mentions with `@`.

Of MCP servers `@server:uri` attaches a resource, `/mcp__server__prompt words` a prompt's text.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from glossator.application import Application
from glossator.core.attached import Attached, AttachedItem, Diagnostic, Exhibit, FileDiagnostics
from glossator.core.errors import GlossatorError, UsageError
from glossator.core.images import Image
from glossator.core.prompts import load_prompt
from glossator.core.shown import in_tags, shown, shown_text, some_of
from glossator.core.tool_result import shorten
from glossator.core.uri import to_path
from glossator.llm import Model
from glossator.sessions import Run, Session
from glossator.tools import diagnostic_lines, report_diagnostics
from glossator.turn.told.exhibits import attach, attach_any, exhibit_image
from glossator.turn.told.git_mentions import git_exhibit
from glossator.turn.told.mentions import (
    DIAGNOSTICS,
    GIT,
    SELECTION,
    TERMINAL,
    Mention,
    Mentioned,
    find_mentions,
    resolve_mentions,
)
from glossator.workspace import WorkspaceSnapshot

MAX_OF_GIT = 4  # mentions of git, of a question
MAX_IMAGES = 20  # of a question
MAX_IMAGE_BYTES = 20_000_000  # of them all, in base64; the provider takes 32 MB with all the rest
MAX_TERMINAL = 20_000  # characters of a terminal's output, the last ones
MAX_RESOURCES = 10  # of MCP servers, of a question

_NAME_CHARACTERS = 200
_TERMINAL_SECONDS = 2.0
_SERVER_PROMPT = re.compile(r"/(?P<name>mcp__[\w-]+)(?:\s+(?P<words>.*))?", re.DOTALL)
_SERVER_RESOURCE = re.compile(r"(?P<server>[\w-]+):(?P<uri>[A-Za-z][\w+.-]*:.+)", re.DOTALL)
_PROMPTS_NAMED = 10  # of MCP servers
_SERVER_SECONDS = 30.0  # for all resources, without waiting for the user


@dataclass(frozen=True, slots=True)
class Attachment:
    """A document, lines of it (1-based, inclusive), an image or a folder the question is about."""

    uri: str
    first_line: int | None = None
    last_line: int | None = None


@dataclass(frozen=True, slots=True)
class Pasted:
    """An image that is no file: its bytes in base64, and what the user knows it by."""

    media_type: str
    data: str
    name: str


async def attach_all(
    app: Application, wanted: Sequence[Attachment | Pasted]
) -> list[Attached | Exhibit]:
    """What the user attached, as the model is shown it. Raises `UsageError`."""
    if not wanted:
        return []
    if await asyncio.to_thread(_name_a_folder, wanted):
        await app.ready()  # what a folder holds is known then
    snapshot = app.host.snapshot()
    attached = [await asyncio.to_thread(_attach, app, snapshot, item) for item in wanted]
    check_images(app.model, attached)
    return attached


async def attach_lines(
    app: Application,
    uri: str,
    first_line: int | None,
    last_line: int | None,
    diagnostics: tuple[Diagnostic, ...],
) -> Attached:
    """Lines of a document, and the diagnostics on them. Raises `UsageError`."""
    if diagnostics:
        await app.ready()  # which files are hidden, and must not be quoted, is known from then on
    snapshot, hidden, uri = app.host.snapshot(), app.acting.hidden(), app.own_uri(uri)

    def work() -> Attached:
        lines = attach(snapshot, uri, first_line, last_line, hidden)
        if not diagnostics:
            return lines
        findings = "\n".join(
            diagnostic_lines(FileDiagnostics(lines.span.uri, diagnostics), snapshot, hidden)
        )
        told = load_prompt("user/findings").render(path=lines.path, findings=in_tags(findings))
        return replace(lines, text=f"{lines.text}\n\n{told}", diagnostics=diagnostics)

    return await asyncio.to_thread(work)


async def attach_again(
    app: Application, items: Iterable[AttachedItem], images: Iterable[Image]
) -> list[Attached | Exhibit]:
    """Attach again what went with an earlier question: current files, `images` as they were sent.

    Raises `UsageError` for a file that is gone.
    """
    await app.ready()
    left = iter(images)
    attached: list[Attached | Exhibit] = []
    for item in items:
        if item.media_type is not None:
            attached.append(_image_again(item, next(left, None)))
        elif item.uri is not None and item.first_line is None and not item.diagnostics:
            attached += await attach_all(app, [Attachment(item.uri)])
        elif item.uri is not None:
            lines = item.first_line, item.last_line
            attached.append(await attach_lines(app, item.uri, *lines, item.diagnostics))
    check_images(app.model, attached)
    return attached


async def attach_mentioned(
    app: Application,
    session: Session,
    run: Run,
    question: str,
    attached: Sequence[Attached | Exhibit],
) -> Mentioned:
    """What the question mentions; waits until the workspace has been scanned.

    `attached` is what goes with it already. Images that cannot be sent beside it are left out.
    Raises `UsageError` for a prompt that no MCP server has.
    """
    wanted = await asyncio.to_thread(find_mentions, question) if "@" in question else ()
    theirs = await attach_from_servers(app, question, wanted)
    wanted = tuple(each for each in wanted if server_of(app, each) is None)
    if not wanted:
        return _without_unseen(app.model, attached, theirs)
    await app.ready()
    known = {DIAGNOSTICS, SELECTION, *([TERMINAL] if app.port.tells_terminal else [])}
    words = known & {mention.text for mention in wanted if mention.name}
    of_git = [mention.text for mention in wanted if mention.text.startswith(GIT)]
    named = [mention for mention in wanted if mention.text not in (*words, *of_git)]
    found = await resolve_mentions(named, app.host.snapshot(), app.symbols, app.acting.hidden())
    if SELECTION in words and not any(isinstance(item, Attached) for item in attached):
        found = _doubting(found, SELECTION, "no selected lines came with the question")
    if DIAGNOSTICS in words:
        found = _with(found, DIAGNOSTICS, await _findings(app, session, run))
    if TERMINAL in words:
        found = _with(found, TERMINAL, await _terminal(app))
    for text in of_git[:MAX_OF_GIT]:
        found = _with(found, text, await _of_git(app, text))
    for text in of_git[MAX_OF_GIT:]:
        found = _doubting(found, text, f"more than {MAX_OF_GIT} of git are not looked up")
    found = Mentioned((*theirs.attached, *found.attached), {**theirs.doubts, **found.doubts})
    return _without_unseen(app.model, attached, found)


def _attach(
    app: Application, snapshot: WorkspaceSnapshot, item: Attachment | Pasted
) -> Attached | Exhibit:
    if isinstance(item, Attachment):
        hidden = app.acting.hidden()
        return attach_any(snapshot, app.own_uri(item.uri), item.first_line, item.last_line, hidden)
    name = shown(shorten(item.name.strip(), _NAME_CHARACTERS)) or "What was pasted"
    if not item.media_type.startswith("image/"):
        raise UsageError(f"{name} is {item.media_type}; only images can be pasted. Attach a file.")
    try:
        content = base64.b64decode(item.data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise UsageError(f"The data of {name} is not base64 ({error}); send it so.") from error
    return exhibit_image(name, content)


def _image_again(item: AttachedItem, image: Image | None) -> Exhibit:
    if image is None:
        raise UsageError(
            f"{item.name} was not kept, for Glossator was ended before it was sent; attach it"
            " again."
        )
    return exhibit_image(item.name, base64.b64decode(image.data), item.uri)


def _name_a_folder(wanted: Iterable[Attachment | Pasted]) -> bool:
    uris = (item.uri for item in wanted if isinstance(item, Attachment))
    return any(os.path.isdir(to_path(uri) or uri) for uri in uris)


async def _findings(app: Application, session: Session, run: Run) -> Exhibit | str:
    """What the editor's other servers report, as the tool tells it; or why that is not known."""
    if not app.code.tells_diagnostics:
        return "this editor does not share its diagnostics"
    told = await report_diagnostics(await app.tool_context(session, run))
    if told.error:
        return told.text.partition("\n")[0].rstrip(".")
    return Exhibit(load_prompt("user/diagnostics").render(findings=in_tags(told.text)), DIAGNOSTICS)


async def _terminal(app: Application) -> Exhibit | str:
    told = await app.port.terminal(_TERMINAL_SECONDS)
    if told is None or not told.text.strip():
        return (
            "the editor knows no output of its active terminal; in VS Code this needs a terminal"
            " with shell integration, and a command that ran since Glossator began"
        )
    name, text = shown(shorten(told.name, _NAME_CHARACTERS)), _last_of(shown_text(told.text))
    prompt = load_prompt("user/terminal")
    return Exhibit(prompt.render(name=name, told=in_tags(text)), TERMINAL)


def _last_of(text: str) -> str:
    over = len(text) - MAX_TERMINAL
    return text if over <= 0 else f"[{over:,} characters before this are cut]\n{text[over:]}"


async def _of_git(app: Application, text: str) -> Exhibit | str:
    try:
        return await git_exhibit(app.acting, app.host.snapshot(), text)
    except (GlossatorError, OSError) as error:
        return str(error).rstrip(".")


def _with(found: Mentioned, text: str, looked_up: Exhibit | str) -> Mentioned:
    """`found` and what a mention attaches, or why it attaches nothing."""
    if isinstance(looked_up, str):
        return _doubting(found, text, looked_up)
    return replace(found, attached=(*found.attached, looked_up))


def _doubting(found: Mentioned, text: str, doubt: str) -> Mentioned:
    return replace(found, doubts={**found.doubts, text: doubt})


def _without_unseen(
    model: Model, attached: Sequence[Attached | Exhibit], found: Mentioned
) -> Mentioned:
    """`found` without images that cannot be sent: image files are dropped, a server's text stays.

    Earlier images are dropped first.
    """
    kept: list[Attached | Exhibit] = []
    doubts = dict(found.doubts)
    for item in found.attached:
        try:
            check_images(model, [*attached, *kept, item])
        except UsageError as error:
            why = str(error).split(". ")[0]
            if isinstance(item, Exhibit) and item.uri is None:
                kept.append(replace(item, images=()))
                why = f"its images: {why}"
            doubts[item.name] = why
        else:
            kept.append(item)
    return Mentioned(tuple(kept), doubts)


def check_images(model: Model, attached: Iterable[Attached | Exhibit]) -> None:
    """Raise `UsageError` for images that the model cannot see, or that are too many.

    Offline they are accepted, and the answer says that nobody looked at them.
    """
    shown = [item for item in attached if isinstance(item, Exhibit)]
    images = [image for item in shown for image in item.images]
    if images and not (model.images or model.offline):
        names = ", ".join(item.name for item in shown if item.images)
        raise UsageError(
            f"{model.id} is not known to see images, so {names} cannot be attached. Ask"
            " without, choose another model, or set models.images to true if it does see them."
        )
    size = sum(len(image.data) for image in images)
    if len(images) > MAX_IMAGES or size > MAX_IMAGE_BYTES:
        raise UsageError(
            f"{len(images)} images of {size:,} bytes in base64 are too many: a question may have"
            f" {MAX_IMAGES} of together {MAX_IMAGE_BYTES:,}. Leave some out, or make them smaller."
        )


def server_of(app: Application, mention: Mention) -> tuple[str, str] | None:
    """The server and the URI that a mention names; None if it means something else."""
    found = _SERVER_RESOURCE.fullmatch(mention.text)
    if found is None or not app.mcp.is_server(found["server"]):
        return None
    return found["server"], found["uri"]


async def attach_from_servers(
    app: Application, question: str, wanted: Iterable[Mention]
) -> Mentioned:
    """What MCP servers add: the mentioned resources, and a prompt that the question begins with.

    Raises `UsageError` for a prompt that does not exist.
    """
    named = {each.text: its for each in wanted if (its := server_of(app, each)) is not None}
    read = await asyncio.gather(
        *(_resource(app, *its) for its in list(named.values())[:MAX_RESOURCES])
    )
    found = [each for each in read if isinstance(each, Exhibit)]
    more = [f"more than {MAX_RESOURCES} resources are not read"] * (len(named) - len(read))
    doubts = {
        text: doubt
        for text, doubt in zip(named, (*read, *more), strict=True)
        if isinstance(doubt, str)
    }
    if match := _SERVER_PROMPT.fullmatch(question.strip()):
        found.append(await _server_prompt(app, match["name"], match["words"] or ""))
    return Mentioned(tuple(found), doubts)


async def _resource(app: Application, server: str, uri: str) -> Exhibit | str:
    """The contents of a resource, or why they are not known."""
    try:
        text, images = await app.mcp.calls.read(server, uri, app.port.ask_user, _SERVER_SECONDS)
    except (GlossatorError, OSError) as error:
        return str(error).partition("\n")[0].rstrip(".")
    told = load_prompt("user/mcp_resource").render(
        uri=shown(uri), server=server, text=in_tags(text)
    )
    return Exhibit(told, f"{server}:{shown(uri)}", images)


async def _server_prompt(app: Application, name: str, words: str) -> Exhibit:
    prompts = {prompt.name: prompt for prompt in app.mcp.prompts()}
    if (prompt := prompts.get(name)) is None:
        known = some_of([f"/{each}" for each in sorted(prompts)], _PROMPTS_NAMED) or "none"
        raise UsageError(f"No connected MCP server has the prompt /{name}; there are: {known}.")
    text, images = await app.mcp.calls.prompt(prompt, words, app.port.ask_user)
    told = load_prompt("user/mcp_prompt").render(
        name=name, server=prompt.server, text=in_tags(text)
    )
    return Exhibit(told, f"/{name}", images)
