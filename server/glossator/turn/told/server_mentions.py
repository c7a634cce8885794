"""What MCP servers add to a question: resources that it mentions, a prompt that it begins with.

`@server:uri` attaches a resource, `/mcp__server__prompt words` the text of a prompt.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable

from glossator.application import Application
from glossator.context import Exhibit, Mention, Mentioned
from glossator.core.errors import GlossatorError, UsageError
from glossator.core.shown import in_tags, shown, some_of
from glossator.prompts import load_prompt

_PROMPT = re.compile(r"/(?P<name>mcp__[\w-]+)(?:\s+(?P<words>.*))?", re.DOTALL)
_RESOURCE = re.compile(r"(?P<server>[\w-]+):(?P<uri>[A-Za-z][\w+.-]*:.+)", re.DOTALL)
_NAMED = 10  # prompts that are named
MAX_RESOURCES = 10  # of a question
_SECONDS = 30.0  # for all of them, without waiting for the user


def server_of(app: Application, mention: Mention) -> tuple[str, str] | None:
    """The server and the URI that a mention names; None if it means something else."""
    found = _RESOURCE.fullmatch(mention.text)
    if found is None or not app.mcp.is_server(found["server"]):
        return None
    return found["server"], found["uri"]


async def attach_from_servers(
    app: Application, question: str, wanted: Iterable[Mention]
) -> Mentioned:
    """The resources, and the prompt that the question begins with. Raises `UsageError` for that."""
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
    if match := _PROMPT.fullmatch(question.strip()):
        found.append(await _prompt(app, match["name"], match["words"] or ""))
    return Mentioned(tuple(found), doubts)


async def _resource(app: Application, server: str, uri: str) -> Exhibit | str:
    """What a resource holds, or why it is not known."""
    try:
        text, images = await app.mcp.calls.read(server, uri, app.port.ask_user, _SECONDS)
    except (GlossatorError, OSError) as error:
        return str(error).partition("\n")[0].rstrip(".")
    told = load_prompt("user/mcp_resource").render(
        uri=shown(uri), server=server, text=in_tags(text)
    )
    return Exhibit(told, f"{server}:{shown(uri)}", images)


async def _prompt(app: Application, name: str, words: str) -> Exhibit:
    prompts = {prompt.name: prompt for prompt in app.mcp.prompts()}
    if (prompt := prompts.get(name)) is None:
        known = some_of([f"/{each}" for each in sorted(prompts)], _NAMED) or "none"
        raise UsageError(f"No connected MCP server has the prompt /{name}; there are: {known}.")
    text, images = await app.mcp.calls.prompt(prompt, words, app.port.ask_user)
    told = load_prompt("user/mcp_prompt").render(
        name=name, server=prompt.server, text=in_tags(text)
    )
    return Exhibit(told, f"/{name}", images)
