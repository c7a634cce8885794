"""What a server sends: mended before the SDK judges it, and what it offers checked and bounded.

The SDK refuses a whole list for one entry, so entries that break the protocol, or are nested too
deep to be read, are taken out and named. Of a flood of progress only some is passed on.

Names are of plain letters or not taken, and shortened if they are long; what is too much is left
out and said. What a schema must be like says `schemas.py`.
"""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCResponse, methods
from pydantic import ValidationError

from glossator.core.shown import shown
from glossator.core.tool_result import shorten
from glossator.mcp.offered import OfferedPrompt, OfferedResource, OfferedTool, line_of, text_of
from glossator.mcp.schemas import as_one_form, schema_problem, without_hidden_text
from glossator.permissions import short_name

MAX_TOOLS = 500  # of one server
MAX_PROMPTS = 200
MAX_RESOURCES = 1_000
MAX_DEPTH = 50  # of what describes one tool, prompt or resource
MAX_PROGRESS = 20  # messages in a second

_NAME = re.compile(r"[A-Za-z0-9_-]{1,1000}")
_SEPARATORS = re.compile(r"[./]")  # that the protocol allows in names, and providers do not

_PROGRESS = "notifications/progress"
_LISTS = {"tools": "tool", "prompts": "prompt", "resources": "resource"}
_REASON_LETTERS = 120  # of a reason
_MAX_DEPTH = 150  # of lists and dicts in a message that is nested too deep for what reads it
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[][{}]')  # what may hold brackets, and these

Incoming = SessionMessage | Exception


@dataclass(slots=True)
class Checked:
    """Collects what one server offers, checked."""

    server: str
    left_out: list[str] = field(default_factory=list)
    _names: set[str] = field(default_factory=set)

    def tools(self, tools: Iterable[tuple[str, str, object, bool]]) -> tuple[OfferedTool, ...]:
        """The tools that can be called: name, description, schema and the hint of each."""
        kept: list[OfferedTool] = []
        for own, description, schema, says_reads in tools:
            if len(kept) == MAX_TOOLS:
                self.left_out.append(f"all but the first {MAX_TOOLS} tools")
                break
            name = self._named(own, "tool")
            problem = schema_problem(schema)
            if name and problem:
                self.left_out.append(f"the tool {shown(own)} ({problem})")
            elif name and isinstance(schema, dict):
                one, forms = as_one_form(schema)
                told = text_of(f"{description}\n{forms}" if forms else description)
                kept.append(
                    OfferedTool(self.server, own, name, told, without_hidden_text(one), says_reads)
                )
        return tuple(kept)

    def prompts(
        self, prompts: Iterable[tuple[str, str, list[tuple[str, bool]]]]
    ) -> tuple[OfferedPrompt, ...]:
        """The prompts that can be called: name, description and arguments of each."""
        kept: list[OfferedPrompt] = []
        self._names.clear()
        for own, description, arguments in prompts:
            if len(kept) == MAX_PROMPTS:
                self.left_out.append(f"all but the first {MAX_PROMPTS} prompts")
                break
            if name := self._named(own, "prompt"):
                names = tuple(each for each, _ in arguments)
                needed = frozenset(each for each, is_needed in arguments if is_needed)
                told = line_of(description)
                kept.append(OfferedPrompt(self.server, own, name, told, names, needed))
        return tuple(kept)

    def resources(self, resources: Iterable[tuple[str, str, str]]) -> tuple[OfferedResource, ...]:
        """The resources that can be mentioned: URI, name and description of each."""
        kept: list[OfferedResource] = []
        for uri, name, description in resources:
            if len(kept) == MAX_RESOURCES:
                self.left_out.append(f"all but the first {MAX_RESOURCES} resources")
                break
            if shown(uri) == uri and " " not in uri:
                told = line_of(description)
                kept.append(OfferedResource(self.server, uri, line_of(name), told))
        return tuple(kept)

    def _named(self, own: str, kind: str) -> str:
        """The whole name; "" for one that cannot be used, or that another one has already."""
        plain = _SEPARATORS.sub("_", own)
        if not _NAME.fullmatch(plain):
            why = "its name has other characters than letters, digits, _ and -, or is too long"
        elif plain in self._names:
            why = "another one has its name"
        else:
            self._names.add(plain)
            return short_name(f"mcp__{self.server}__{plain}")
        self.left_out.append(f"the {kind} {shown(shorten(own, 64))} ({why})")
        return ""


class Trickle:
    """Passes on only some messages about progress, if there are very many of them."""

    def __init__(self) -> None:
        self._second, self._in_second = 0, 0

    def passes(self) -> bool:
        """Whether one more message is passed on now."""
        second = int(time.monotonic())
        if second != self._second:
            self._second, self._in_second = second, 0
        self._in_second += 1
        return self._in_second <= MAX_PROGRESS


class Mended:
    """A stream of messages from a server; `version` is the protocol that is spoken.

    `left_out` names what was taken out of the lists since it was cleared.
    """

    def __init__(self, stream: Any, version: Callable[[], str]) -> None:  # noqa: ANN401 - the SDK's
        self.left_out: list[str] = []
        self._stream, self._version = stream, version
        self._progress = Trickle()

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stream.__aexit__(*error)

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()

    @property
    def last_context(self) -> object:
        """The SDK's context of the newest message."""
        return getattr(self._stream, "last_context", None)

    async def __aiter__(self) -> AsyncIterator[Incoming]:
        async for each in self._stream:
            message = each.message if isinstance(each, SessionMessage) else None
            if isinstance(message, JSONRPCNotification) and message.method == _PROGRESS:
                if not self._progress.passes():
                    continue
            elif isinstance(message, JSONRPCResponse):
                self._mend(message.result)
            yield each

    def _mend(self, result: dict[str, Any]) -> None:
        for name, kind in _LISTS.items():
            entries = result.get(name)
            if isinstance(entries, list):
                problems = [self._problem(name, result, entry) for entry in entries]
                result[name] = [
                    entry for entry, why in zip(entries, problems, strict=True) if not why
                ]
                self.left_out += (
                    f"the {kind} {_name_of(entry)} ({why})"
                    for entry, why in zip(entries, problems, strict=True)
                    if why
                )

    def _problem(self, name: str, result: Mapping[str, Any], entry: object) -> str:
        """Why an entry of a list cannot be taken; "" if it can."""
        if is_deeper(entry, MAX_DEPTH):
            return f"it is nested more than {MAX_DEPTH} deep"
        try:
            alone = {**result, name: [entry]}
            methods.validate_server_result(f"{name}/list", self._version(), alone)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(each) for each in first["loc"][2:])
            return shorten(
                f"it breaks the protocol: {shown(place)}: {first['msg']}", _REASON_LETTERS
            )
        except KeyError:  # this version has no such list; the SDK says so
            return ""
        return ""


def shallow(line: bytes) -> bytes:
    """A message with `null` for what is nested too deep to be read."""
    depth = begin = 0
    kept: list[bytes] = []
    for match in _TOKEN.finditer(line):
        if match[0] in b"[{":
            depth += 1
            if depth == _MAX_DEPTH:
                kept.append(line[begin : match.start()])
        elif match[0] in b"]}":
            if depth == _MAX_DEPTH:
                kept.append(b"null")
                begin = match.end()
            depth -= 1
    return b"".join((*kept, line[begin:]))


def is_deeper(value: object, depth: int) -> bool:
    """Whether lists and dicts are nested deeper; a loop, as what is meant has no bottom."""
    level = [value]
    for _ in range(depth + 1):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return False
    return True


def _name_of(entry: object) -> str:
    named = entry.get("name") if isinstance(entry, dict) else None
    return shown(shorten(str(named), _REASON_LETTERS)) if named else "without a name"
