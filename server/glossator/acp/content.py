"""A prompt's blocks as a question with what is attached to it.

A resource outside the workspace is named to the model and not read: the client's word does not make
it part of the workspace. Embedded text that is a file's, or lines of it, is read there, so that it
can be cited; any other comes whole, as the client gives it. Names stand in brackets, so that none
that comes first is a command.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

from acp import schema

from glossator.core.document import Document
from glossator.core.images import is_image
from glossator.core.shown import in_tags, shown
from glossator.core.text import split_lines
from glossator.core.uri import to_path
from glossator.settings import McpServerSettings
from glossator.turn import Attachment, HidingRules, Pasted, refuse_hidden
from glossator.workspace import WorkspaceSnapshot, is_inside

_NUMBER = r"L?([1-9][0-9]{0,8})"
_LINES = re.compile(rf"#{_NUMBER}(?:[-:]{_NUMBER})?$")
_IMAGES = "image/"
_NAME_CHARACTERS = 30  # of an MCP server


@dataclass(frozen=True, slots=True)
class Prompt:
    """The user's words and what goes with them."""

    text: str
    attached: tuple[Attachment | Pasted, ...]


def paths_of(blocks: Iterable[Any], inside: Sequence[str]) -> list[str]:
    """The files in these folders that a prompt is about."""
    given = [getattr(block, "resource", block) for block in blocks]
    paths = (_inside(getattr(each, "uri", None) or "", inside) for each in given)
    return [path for path in paths if path is not None]


def read_prompt(
    blocks: Sequence[Any], snapshot: WorkspaceSnapshot, hidden: HidingRules | None
) -> Prompt:
    """The prompt of these blocks; for a thread. Files of the workspace are attached.

    Raises `UsageError` for a file that rules hide, whatever a client says that it holds.
    """
    inside = snapshot.roots
    _refuse_hidden(paths_of(blocks, inside), snapshot, hidden)
    words: list[str] = []
    attached: list[Attachment | Pasted] = []
    for block in blocks:
        match block:
            case schema.TextContentBlock(text=text):
                words.append(text)
            case schema.ImageContentBlock(data=data, mime_type=kind, uri=uri):
                attached.append(Pasted(kind, data, uri or "What was pasted"))
            case schema.ResourceContentBlock(uri=uri, name=name):
                if _inside(uri, inside) is None:
                    words.append(f"[{shown(name)}: {shown(uri)}, outside the workspace]")
                else:
                    attached.append(_attachment(uri))
                    words.append(f"`{shown(name)}`")
            case schema.EmbeddedResourceContentBlock(resource=resource):
                path = _inside(resource.uri, inside)
                if path is not None and _is_of_file(resource, path, snapshot):
                    attached.append(_attachment(resource.uri))
                    words.append(f" `{shown(os.path.basename(path))}`")
                elif isinstance(resource, schema.TextResourceContents):
                    words.append(f"\n\n[{shown(resource.uri)}]:\n{in_tags(resource.text)}\n\n")
                elif (resource.mime_type or "").startswith(_IMAGES):
                    name = resource.uri or "What was pasted"
                    attached.append(Pasted(resource.mime_type or "", resource.blob, name))
                else:
                    words.append(f"[{shown(resource.uri)}: no text]")
            case _:
                words.append("[A sound, which cannot be heard here]")
    return Prompt("".join(words).strip(), tuple(attached))


def mcp_servers(given: Sequence[Any]) -> dict[str, McpServerSettings]:
    """A client's MCP servers as the settings describe them, by names as we write them."""
    found: dict[str, McpServerSettings] = {}
    for each in given:
        name = re.sub(r"[^A-Za-z0-9-]+", "-", each.name).strip("-")[:_NAME_CHARACTERS] or "server"
        others = (f"{name}-{number}" for number in count(2))  # for names that become the same
        found[next(one for one in chain([name], others) if one not in found)] = _settings_of(each)
    return found


def _settings_of(server: Any) -> McpServerSettings:  # noqa: ANN401 - one of the protocol's union
    if isinstance(server, schema.McpServerStdio):
        environment = {each.name: each.value for each in server.env}
        return McpServerSettings(command=server.command, args=tuple(server.args), env=environment)
    headers = {each.name: each.value for each in getattr(server, "headers", ())}
    return McpServerSettings(url=getattr(server, "url", ""), headers=headers)


def _refuse_hidden(
    paths: Iterable[str], snapshot: WorkspaceSnapshot, hidden: HidingRules | None
) -> None:
    for path in paths:
        real = snapshot.resolve(path)
        refuse_hidden(snapshot, (real if isinstance(real, str) else path, path), hidden)


def _attachment(uri: str) -> Attachment:
    found = _LINES.search(uri)
    if found is None:
        return Attachment(uri)
    first = int(found[1])
    last = int(found[2] or first)
    return Attachment(uri[: found.start()], first, last) if first <= last else Attachment(uri)


def _is_of_file(resource: Any, path: str, snapshot: WorkspaceSnapshot) -> bool:  # noqa: ANN401 - one of the protocol's union
    """Whether a text is what stands at its place in its file, or stands for an image's bytes."""
    if not isinstance(resource, schema.TextResourceContents):
        return False
    if is_image(path):  # some clients embed all files as texts
        return (resource.mime_type or "").startswith(_IMAGES) and os.path.isfile(path)
    found = snapshot.read(path)
    if not isinstance(found, Document) or not found.lines:
        return False
    lines, place = found.lines, _attachment(resource.uri)
    if place.first_line is not None and place.last_line is not None:
        if place.last_line > len(lines):
            return False
        lines = lines[place.first_line - 1 : place.last_line]
    return split_lines(resource.text) == lines


def _inside(uri: str, folders: Sequence[str]) -> str | None:
    path = to_path(_LINES.sub("", uri))
    if path is None:
        return None
    return path if any(is_inside(path, folder) for folder in folders) else None
