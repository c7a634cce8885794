"""What a client tells of its editor by itself, and what it is asked of its terminal."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from glossator.lsp.features import build_server
from tests.lsp.support.editor import Editor, Refusal, connected
from tests.standin import StandIn, Text, Turn

_OPENING = "What the editor shows as the question is asked."


@asynccontextmanager
async def asking(
    root: Path, monkeypatch: pytest.MonkeyPatch, **knows: bool
) -> AsyncIterator[tuple[Editor, StandIn]]:
    async with StandIn([Turn(Text("Yes.")), Turn(Text("Yes."))]) as api:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.base_url)
        async with connected(build_server()) as editor:
            await editor.initialize(
                {"experimental": {"glossator": {"events": True, **knows}}},
                workspaceFolders=[{"uri": root.as_uri(), "name": root.name}],
            )
            yield editor, api
            await editor.shut_down()


async def said(editor: Editor, api: StandIn, question: str) -> list[str]:
    await editor.result(editor.command("glossator.ask", {"question": question}))
    content: list[dict[str, Any]] = api.requests[-1].body["messages"][-1]["content"]
    return [block["text"] for block in content]


async def test_a_client_tells_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text("a\n", "utf-8")
    async with asking(tmp_path, monkeypatch) as (editor, api):
        state = {
            "active": (tmp_path / "a.py").as_uri(),
            "visible": {"firstLine": 1, "lastLine": 30},
            "selected": None,
            "tabs": [(tmp_path / "a.py").as_uri(), (tmp_path / "b.py").as_uri()],
            "ofALaterVersion": True,
        }
        editor.notify("glossator/editorState", state)
        editor.notify("glossator/editorState", {"tabs": "no list"})  # logged, and ignored
        (told,) = [each for each in await said(editor, api, "?") if each.startswith(_OPENING)]
        assert "\nActive: a.py, lines 1-30 visible\nOpen: b.py\n" in told
        editor.notify("glossator/editorState", {})  # nothing is open any more
        assert not any(each.startswith(_OPENING) for each in await said(editor, api, "?"))


async def test_a_terminal_is_asked_of_a_client_that_knows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asking(tmp_path, monkeypatch, terminal=True) as (editor, api):
        editor.answers["glossator/terminal"] = {"name": "zsh", "text": "$ make\nfailed"}
        texts = await said(editor, api, "Why does @terminal fail?")
        assert any("terminal zsh." in each and "$ make\nfailed" in each for each in texts)
        editor.answers["glossator/terminal"] = Refusal(-32603, "broken")
        texts = await said(editor, api, "And @terminal?")
        assert any(each.startswith("Mentioned by the user, but not attached") for each in texts)
