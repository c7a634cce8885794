"""A question about code, put to one running server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from glossator.core.code import CodeAnswer, CodeKind, CodeQuestion
from glossator.core.text import count_units
from glossator.core.uri import to_uri
from glossator.language_servers.connection import Refused, Unanswered
from glossator.language_servers.reading import (
    callees_in,
    callers_in,
    edits_in,
    places_in,
    text_of,
)
from glossator.language_servers.running import Running

_MAX_ITEMS = 5  # of one name in a call hierarchy: overloads, and the like
_FEATURES = {  # of LSP, after which methods and capabilities are named
    CodeKind.DEFINITIONS: "definition",
    CodeKind.REFERENCES: "references",
    CodeKind.IMPLEMENTATIONS: "implementation",
    CodeKind.CALLERS: "callHierarchy",
    CodeKind.CALLEES: "callHierarchy",
    CodeKind.TYPE: "hover",
    CodeKind.RENAME: "rename",
}


@dataclass(frozen=True, slots=True)
class Asking:
    """A question to a server that has read its document; it ends at `deadline` (loop time)."""

    running: Running
    question: CodeQuestion
    path: str
    deadline: float

    async def answer(self) -> CodeAnswer | str:
        """The answer; else why there is none."""
        kind, name = self.question.kind, self.running.found.name
        if not self.running.offers(f"{_FEATURES[kind]}Provider"):
            told = f"tells no {kind}{'s' * (kind is CodeKind.TYPE)}"
            return f"{name} {'renames nothing' if kind is CodeKind.RENAME else told}"
        try:
            return await self._asked(kind)
        except Refused as error:
            if kind is CodeKind.RENAME:
                return self._answer(refused=str(error) or f"{name} refused it")
            return f"{name} refused the question: {error}"
        except Unanswered as error:
            return str(error)

    async def _asked(self, kind: CodeKind) -> CodeAnswer | str:
        match kind:
            case CodeKind.TYPE:
                return self._answer(text=text_of(await self._at("textDocument/hover")))
            case CodeKind.RENAME:
                return await self._renamed()
            case CodeKind.CALLERS | CodeKind.CALLEES:
                return await self._calls(kind)
        context = {"context": {"includeDeclaration": True}}
        more = context if kind is CodeKind.REFERENCES else {}
        places = places_in(await self._at(f"textDocument/{_FEATURES[kind]}", more))
        known = places or kind is CodeKind.IMPLEMENTATIONS  # of which there may be none
        return self._answer(places=places) if known else self._nothing

    async def _calls(self, kind: CodeKind) -> CodeAnswer | str:
        incoming = kind is CodeKind.CALLERS
        method = f"callHierarchy/{'incoming' if incoming else 'outgoing'}Calls"
        read = callers_in if incoming else callees_in
        items = await self._at("textDocument/prepareCallHierarchy")
        if not isinstance(items, list) or not items:
            return self._nothing
        calls = [
            place
            for item in items[:_MAX_ITEMS]
            for place in read(await self._request(method, {"item": item}))
        ]
        return self._answer(places=tuple(dict.fromkeys(calls)))

    async def _renamed(self) -> CodeAnswer:
        options = self.running.capabilities["renameProvider"]
        prepares = isinstance(options, dict) and options.get("prepareProvider")
        if prepares and await self._at("textDocument/prepareRename") is None:
            return self._answer(refused="this cannot be renamed")
        result = await self._at("textDocument/rename", {"newName": self.question.new_name})
        edits, files_too = edits_in(result)
        refused = "" if edits or files_too else "it gives no edits for this name"
        return self._answer(edits=edits, files_too=files_too, refused=refused)

    async def _at(self, method: str, more: Mapping[str, object] = {}) -> Any:  # noqa: ANN401 - JSON; never changed
        """Ask about the place of the name."""
        character = count_units(self.question.before, self.running.encoding)
        params = {
            "textDocument": {"uri": to_uri(self.path)},
            "position": {"line": self.question.line, "character": character},
            **more,
        }
        return await self._request(method, params)

    async def _request(self, method: str, params: object) -> Any:  # noqa: ANN401 - JSON
        left = self.deadline - asyncio.get_running_loop().time()
        return await self.running.connection.request(method, params, max(0.0, left))

    @property
    def _nothing(self) -> str:
        """An answer without the definition itself: it did not read the file, or not as we do."""
        return f"{self.running.found.name} knows nothing there"

    def _answer(self, **parts: Any) -> CodeAnswer:  # noqa: ANN401 - fields of the answer
        return CodeAnswer(self.running.found.name, encoding=self.running.encoding, **parts)
