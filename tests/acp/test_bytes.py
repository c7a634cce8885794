"""The bytes of a file that a client reads and writes in its own way.

An edit changes nothing outside its hunk, or is refused; typing is never overwritten.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from glossator.acp.serve import serve_streams  # noqa: F401 - it decides how the SDK is imported

# isort: split
from acp import schema

from glossator.acp.texts import ClientTexts
from glossator.core.document import Document
from glossator.core.edit import EditPlan, FileEdit, FileRename
from glossator.core.line_diff import line_replacements
from glossator.core.ports import NotApplied
from glossator.core.uri import to_uri
from glossator.workspace import WorkspaceHost
from tests.workspace.files.trees import host

BOM = b"\xef\xbb\xbf"
CONTENTS = {
    "LF": b"a\nb\nc\n",
    "CR LF": b"a\r\nb\r\nc\r\n",
    "CR": b"a\rb\rc\r",
    "mixed": b"a\r\nb\nc\r\n",
    "mark": BOM + b"a\nb\nc\n",
    "mark, CR LF": BOM + b"a\r\nb\r\nc\r\n",
    "Latin-1": b"caf\xe9\nb\nc\n",
    "Latin-1, CR LF": b"caf\xe9\r\nb\r\nc\r\n",
}


def lf(text: str) -> str:
    return re.sub("\r\n|\r", "\n", text)


def crlf_where(text: str, like: bytes) -> str:
    return lf(text).replace("\n", "\r\n") if b"\r\n" in like else text


Reads = Callable[[bytes], str]
Writes = Callable[[str, bytes], bytes]  # with what the file holds

CLIENTS: dict[str, tuple[Reads, Writes]] = {
    "faithful": (bytes.decode, lambda text, _: text.encode()),
    "reads LF": (lambda raw: lf(raw.decode()), lambda text, _: text.encode()),
    "reads LF, keeps CR LF": (
        lambda raw: lf(raw.decode()),
        lambda text, old: crlf_where(text, old).encode(),
    ),
    "reads LF, adds CR": (
        lambda raw: lf(raw.decode()),
        lambda text, old: (text.replace("\n", "\r\n") if b"\r\n" in old else text).encode(),
    ),
    "makes line ends alike": (
        lambda raw: crlf_where(raw.decode(), raw),
        lambda text, old: crlf_where(text, old).encode(),
    ),
    "drops the mark": (
        lambda raw: raw.decode("utf-8-sig"),
        lambda text, _: text.encode(),
    ),
    "ignores errors": (
        lambda raw: lf(raw.decode(errors="ignore")),
        lambda text, _: text.encode(),
    ),
}


class Client:
    """Keeps a file open; `buffer` is what is typed and not saved."""

    def __init__(self, path: Path, reads: Reads, writes: Writes) -> None:
        self._path, self._reads, self._writes = path, reads, writes
        self.buffer: str | None = None

    def type(self) -> None:
        text = self._reads(self._path.read_bytes())
        self.buffer = text + ("typed\r\n" if "\r\n" in text else "typed\n")

    async def read_text_file(self, *_: str) -> schema.ReadTextFileResponse:
        text = self.buffer
        if text is None:
            text = self._reads(self._path.read_bytes())
        return schema.ReadTextFileResponse(content=text)

    async def write_text_file(self, _session: str, _path: str, content: str) -> None:
        self._path.write_bytes(self._writes(content, self._path.read_bytes()))
        self.buffer = None


def opened(path: Path, client: Any) -> tuple[ClientTexts, WorkspaceHost]:
    workspace = host(path.parent)
    fs = schema.FileSystemCapabilities(read_text_file=True, write_text_file=True)
    return ClientTexts(client, fs, lambda _: workspace), workspace


async def planned(path: Path, texts: ClientTexts, workspace: WorkspaceHost) -> EditPlan:
    """An edit of the second line, as a tool makes it."""
    await texts.look("session", [str(path)])
    base = workspace.snapshot().read(str(path))
    assert isinstance(base, Document)
    changes = line_replacements(base.text, base.text.replace("b", "B"))
    return EditPlan.of("edit", FileEdit(to_uri(str(path)), str(path), base, changes))


@pytest.mark.parametrize("typing", ["none", "before", "meanwhile"])
@pytest.mark.parametrize("client_name", CLIENTS)
@pytest.mark.parametrize("content_name", CONTENTS)
async def test_an_edit_changes_nothing_outside_its_hunk(
    tmp_path: Path, content_name: str, client_name: str, typing: str
) -> None:
    path, data = tmp_path / "w.txt", CONTENTS[content_name]
    path.write_bytes(data)
    client = Client(path, *CLIENTS[client_name])
    if typing != "none" and "Latin-1" in content_name and client_name != "ignores errors":
        return  # it cannot show the file
    texts, workspace = opened(path, client)
    if typing == "before":
        client.type()
    plan = await planned(path, texts, workspace)
    if typing == "meanwhile":
        client.type()
    typed = client.buffer
    problem = await texts.write("session", plan)
    if problem is not None:
        assert (path.read_bytes(), client.buffer) == (data, typed)
        assert typed is not None  # what is not typed into can be edited
        assert re.search("not saved|changed meanwhile", problem.reason)
        return
    assert client.buffer in (None, typed)
    end = b"\r\n" if b"\r\n" in data else b"\n"
    saved = typed is not None and client.buffer is None
    assert path.read_bytes() == data.replace(b"b", b"B") + (b"typed" + end if saved else b"")


@pytest.mark.parametrize(
    ("content_name", "client_name", "edited"),
    [
        ("LF", "faithful", True),
        ("LF", "ignores errors", True),
        ("CR LF", "faithful", True),
        ("CR LF", "reads LF", False),
        ("mixed", "faithful", False),
        ("mixed", "makes line ends alike", False),
        ("CR", "reads LF", False),
    ],
)
async def test_typing_is_edited_where_the_client_keeps_the_line_ends(
    tmp_path: Path, content_name: str, client_name: str, *, edited: bool
) -> None:
    path = tmp_path / "w.txt"
    path.write_bytes(CONTENTS[content_name])
    client = Client(path, *CLIENTS[client_name])
    texts, workspace = opened(path, client)
    client.type()
    plan = await planned(path, texts, workspace)
    assert "typed" in texts.text_of(str(path))
    problem = await texts.write("session", plan)
    assert (problem is None) is edited
    assert (b"typed" in path.read_bytes()) is edited
    assert (client.buffer is None) is edited


@pytest.mark.parametrize("client_name", CLIENTS)
@pytest.mark.parametrize("content_name", CONTENTS)
async def test_what_nobody_typed_into_is_moved(
    tmp_path: Path, content_name: str, client_name: str
) -> None:
    path, new, data = tmp_path / "w.txt", tmp_path / "new.txt", CONTENTS[content_name]
    path.write_bytes(data)
    texts, _ = opened(path, Client(path, *CLIENTS[client_name]))
    await texts.look("session", [str(path)])
    move = FileRename(to_uri(str(path)), str(path), to_uri(str(new)), str(new))
    assert await texts.write("session", EditPlan.of("move", move)) is None
    assert new.read_bytes() == data


async def test_what_is_saved_in_another_encoding_is_read_from_disk(tmp_path: Path) -> None:
    path = tmp_path / "w.txt"
    path.write_bytes(b"a\nb\n")
    client = Client(path, *CLIENTS["ignores errors"])
    texts, _ = opened(path, client)
    client.type()
    await texts.look("session", [str(path)])
    assert texts.text_of(str(path)) == "a\nb\ntyped\n"
    path.write_bytes(b"caf\xe9\n")
    await texts.look("session", [str(path)])
    assert texts.text_of(str(path)) == "caf\xe9\n"


async def test_a_client_that_gives_no_text_writes_no_line_ends_but_lf(tmp_path: Path) -> None:
    path = tmp_path / "w.txt"
    path.write_bytes(CONTENTS["CR LF"])

    class Silent(Client):
        async def read_text_file(self, *_: str) -> schema.ReadTextFileResponse:
            raise ConnectionError

    texts, workspace = opened(path, Silent(path, *CLIENTS["reads LF, adds CR"]))
    plan = await planned(path, texts, workspace)
    assert not isinstance(await texts.write("session", plan), NotApplied)
    assert path.read_bytes() == b"a\r\nB\r\nc\r\n"
