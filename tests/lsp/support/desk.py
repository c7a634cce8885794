"""What an editor does with texts: it shows them, the user types, and edits are applied to them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from glossator.lsp import port
from glossator.lsp.features import build_server
from tests.lsp.support.editor import Editor, Message, connected
from tests.quiet import QUIET, quietly
from tests.standin import NAMED, Script, StandIn

CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
ALL = {
    "applyEdit": True,
    "workspaceEdit": {
        "documentChanges": True,
        "resourceOperations": ["create", "rename", "delete"],
        "changeAnnotationSupport": {"groupsOnLabel": True},
    },
}
PLAIN = {
    "applyEdit": True,
    "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]},
}


_LATE_SECONDS = 0.05


class Desk:
    """Open documents by URI, as the user sees them.

    `tells_late`: changes are told after the edit was answered. `opens`: what is edited is opened
    first, and not saved. `follows`: a document whose file is moved stays open, with its text.
    `updates` are the texts, by URI, that another server then wants. `formats` is what becomes of a
    text after an edit. `declines`: the edits that the user leaves out.
    """

    def __init__(self, editor: Editor, encoding: str = "utf-16") -> None:
        self.editor = editor
        self.codec, self.unit = CODECS[encoding]
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.tells_late = self.opens = False
        self.follows = True
        self.updates: Callable[[str], dict[str, str]] = lambda _: {}
        self.formats: Callable[[str], str] = lambda text: text
        self.declines: Callable[[Message], bool] = lambda _: False
        editor.answers["workspace/applyEdit"] = self.apply
        editor.answers["glossator/saveDocuments"] = self.save

    def open(self, path: Path, version: int = 1) -> str:
        """Show what is on disk; gives the URI."""
        uri = path.as_uri()
        self.texts[uri], self.versions[uri] = path.read_bytes().decode(), version
        self.editor.open(uri, self.texts[uri], version)
        return uri

    def type(self, uri: str, old: str, new: str) -> None:
        """The user types."""
        assert self.texts[uri].count(old) == 1
        self.texts[uri] = self.texts[uri].replace(old, new)
        self._tell(uri)

    def typed(self, uri: str, old: str | None, new: str) -> Message:
        """The user types (None: at the end); gives the change, which the server is not told yet."""
        text = self.texts[uri]
        start = len(text) if old is None else text.index(old)
        end = start + len(old or "")
        self.texts[uri] = text[:start] + new + text[end:]
        places = (self._position(text, offset) for offset in (start, end))
        return {"range": dict(zip(("start", "end"), places, strict=True)), "text": new}

    def blindly(self, uri: str, edit: Message) -> list[Message]:
        """Apply edits where they say, whatever is there; gives the changes, not told yet."""
        made = []
        for each in reversed(edit["changes"][uri]):
            start, end = (
                self._offset(self.texts[uri], each["range"][key]) for key in ("start", "end")
            )
            text = self.texts[uri]
            self.texts[uri] = text[:start] + each["newText"] + text[end:]
            made.append({"range": each["range"], "text": each["newText"]})
        return made

    def apply(self, params: Message) -> Message:
        """All of a `WorkspaceEdit`, or nothing."""
        edit = params["edit"]
        changes = edit.get("documentChanges") or [
            {"textDocument": {"uri": uri}, "edits": edits} for uri, edits in edit["changes"].items()
        ]
        for change in changes:
            document = change.get("textDocument", {})
            version = document.get("version")
            if version is not None and version != self.versions.get(document["uri"]):
                return {"applied": False, "failureReason": "The document changed."}
            if change.get("kind") == "create" and _path(change["uri"]).exists():
                return {"applied": False, "failureReason": "The file exists."}
            if change.get("kind") == "rename" and _path(change["newUri"]).exists():
                return {"applied": False, "failureReason": "The file exists."}
        for change in changes:
            self._apply(change)
        return {"applied": True}

    def save(self, params: Message) -> Message:
        """Save documents that are still of the version asked for."""
        saved = []
        for document in params["documents"]:
            uri = document["uri"]
            if self.versions.get(uri) == document["version"]:
                _path(uri).write_bytes(self.texts[uri].encode())
                self.editor.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
                saved.append(uri)
        return {"saved": saved}

    def _apply(self, change: Message) -> None:
        match change.get("kind"):
            case "create":
                _path(change["uri"]).parent.mkdir(parents=True, exist_ok=True)
                _path(change["uri"]).touch()
            case "rename":
                self._rename(change["oldUri"], change["newUri"])
            case "delete":
                _path(change["uri"]).unlink()
                if self.texts.pop(change["uri"], None) is not None:
                    document = {"uri": change["uri"]}
                    self.editor.notify("textDocument/didClose", {"textDocument": document})
            case _:
                self._edit(change["textDocument"]["uri"], change["edits"])

    def _rename(self, old: str, new: str) -> None:
        """As editors do: what other servers want changed first, then the file, then documents."""
        for uri, text in self.updates(old).items():
            if uri not in self.texts:
                self.open(_path(uri))
            self.texts[uri] = text
            self._tell(uri)
        _path(new).parent.mkdir(parents=True, exist_ok=True)
        _path(old).rename(_path(new))
        if self.follows and self.tells_late:
            asyncio.get_running_loop().call_later(_LATE_SECONDS, self._follow, old, new)
        elif self.follows:
            self._follow(old, new)
        files = [{"oldUri": old, "newUri": new}]
        self.editor.notify("workspace/didRenameFiles", {"files": files})

    def _follow(self, old: str, new: str) -> None:
        """Show what was open under the old path under the new one."""
        for uri in [uri for uri in self.texts if uri == old or uri.startswith(f"{old}/")]:
            text, there = self.texts.pop(uri), new + uri[len(old) :]
            self.editor.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            self.texts[there], self.versions[there] = text, 1
            self.editor.open(there, text)

    def _edit(self, uri: str, edits: list[Message]) -> None:
        edits = [each for each in edits if not self.declines(each)]
        if self.opens and uri not in self.texts:
            self.open(_path(uri))
        shown = uri in self.texts
        before = self.texts[uri] if shown else _path(uri).read_bytes().decode()
        text = before
        for each in sorted(edits, key=lambda each: _place(each["range"]["start"]), reverse=True):
            start, end = (self._offset(before, each["range"][key]) for key in ("start", "end"))
            text = text[:start] + each["newText"] + text[end:]
        text = self.formats(text)
        if not shown:
            _path(uri).write_bytes(text.encode())
        elif text != before:
            self.texts[uri] = text
            self._tell(uri)

    def _tell(self, uri: str) -> None:
        self.versions[uri] += 1
        told = uri, self.versions[uri], {"text": self.texts[uri]}
        if self.tells_late:
            asyncio.get_running_loop().call_soon(self.editor.change, *told)
        else:
            self.editor.change(*told)

    def _position(self, text: str, offset: int) -> Message:
        before = text[:offset].split("\n")
        return {
            "line": len(before) - 1,
            "character": len(before[-1].encode(self.codec)) // self.unit,
        }

    def _offset(self, text: str, position: Message) -> int:
        lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
        line = lines[position["line"]].rstrip("\r\n").encode(self.codec)
        before = line[: position["character"] * self.unit].decode(self.codec)
        return sum(map(len, lines[: position["line"]])) + len(before)


def pressing(*labels: str) -> Callable[[Message], Message]:
    """A user who presses what begins with one of the labels, in each box that asks for it."""

    def press(params: Message) -> Message:
        titles = [action["title"] for action in params["actions"]]
        return {"title": next(title for title in titles if title.startswith(labels))}

    return press


def told(api: StandIn, call: str) -> str:
    """What the model was told of its call."""
    for request in api.requests:
        for message in request.body["messages"]:
            parts = message["content"] if isinstance(message["content"], list) else ()
            for part in parts:
                if part.get("tool_use_id") == call:
                    return str(part["content"])
    raise AssertionError(f"no result of {call}")


@dataclass(frozen=True)
class Acting:
    """An editor whose server's model acts, and the id of the command that made it."""

    editor: Editor
    desk: Desk
    api: StandIn
    root: Path

    def ask(self) -> int:
        return self.editor.command("glossator.ask", {"question": "?"})

    async def asked(self) -> Any:
        return await self.editor.result(self.ask())

    def told(self, call: str) -> str:
        """What the model was told of its call."""
        return told(self.api, call)

    def requests(self) -> list[Message]:
        """The edits that the editor was asked to apply."""
        return self.editor.sent("workspace/applyEdit")

    def events(self, kind: str) -> list[Message]:
        return [each for each in self.editor.sent("glossator/event") if each["kind"] == kind]


@asynccontextmanager
async def acting(
    root: Path,
    script: Script,
    workspace: Mapping[str, Any] = ALL,
    *,
    mode: str = "acceptEdits",
    review: str = "apply",
    encoding: str = "utf-16",
    permissions: bool = False,
    reviews: bool = False,
    saves: bool = False,
    name: str = "",
    events: bool = True,
    shows_documents: bool = False,
    encodings: object = None,
    grounding: Mapping[str, Any] = QUIET["grounding"],
) -> AsyncIterator[Acting]:
    """The real server on `root`, in this process; the editor can do what `workspace` says."""
    capabilities = {
        "workspace": workspace,
        "window": {"showDocument": {"support": shows_documents}},
        "general": {"positionEncodings": [encoding]},
        "experimental": {
            "glossator": {
                "events": events,
                "permissions": permissions,
                "reviews": reviews,
                "saves": saves,
            }
        },
    }
    settings = {
        "permissions": {"mode": mode},
        "edits": {"review": review},
        "grounding": grounding,
    }
    with pytest.MonkeyPatch.context() as patch:
        async with StandIn(script) as api:
            patch.setenv("ANTHROPIC_API_KEY", "k")
            patch.setenv("ANTHROPIC_BASE_URL", api.base_url)
            patch.setattr(port, "PAUSE_SECONDS", 0.0)  # nobody types
            for variable, model in NAMED.items():
                patch.setenv(variable, model)
            async with connected(build_server()) as editor:
                desk = Desk(editor, encoding)
                await editor.initialize(
                    capabilities,
                    workspaceFolders=[{"uri": root.as_uri(), "name": root.name}],
                    clientInfo={"name": name},
                    initializationOptions={
                        "settings": quietly(settings),
                        "encodings": encodings,
                        "trusted": True,
                    },
                )
                yield Acting(editor, desk, api, root)
                await editor.shut_down()
        assert api.refusals == []


def _path(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path))


def _place(position: Message) -> tuple[int, int]:
    return position["line"], position["character"]
