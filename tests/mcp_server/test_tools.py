"""What the tools answer, what they cost a client's model, and what they keep to themselves."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import jsonschema
import pytest
from mcp.shared.exceptions import MCPError

from glossator.core.tokens import estimate_tokens
from tests.mcp_server.client import door, modelled, text_of
from tests.patience import until
from tests.sides import JUDGED, judging
from tests.standin import Text, ToolUse, Turn

MAX_TOKENS = 1_500  # of all tools, as clients send them to their models
SHOP = "def price(net):\n    return net * 2\n\n\ndef rent(days):\n    return price(days) * 9\n"
FILES = {"shop.py": SHOP, "docs/notes.md": "# Notes\n\nThe price of a rent is per day.\n"}
FOUND = Turn(ToolUse("Read", {"path": "shop.py"}))
REPORT = Turn(Text("- `price` doubles its argument [cite: doc, shop.py, L1-L2]"))


@pytest.mark.parametrize("remembers", [False, True])
async def test_all_tools_together_are_short(tmp_path: Path, *, remembers: bool) -> None:
    async with modelled(tmp_path, FILES, [], remembers=remembers) as (d, _):
        tools = await d.tools()
        assert list(tools) == [
            *("search", "grep", "glob", "read", "symbols", "explore", "check", "facts"),
            *(["remember_fact"] if remembers else []),
        ]
        wire = [each.model_dump(by_alias=True, exclude_none=True) for each in tools.values()]
        writes = [each["name"] for each in wire if not each["annotations"]["readOnlyHint"]]
        assert writes == (["remember_fact"] if remembers else [])
        sent = [(each["name"], each["description"], each["inputSchema"]) for each in wire]
        assert estimate_tokens(json.dumps(sent)) <= MAX_TOKENS


async def test_without_a_model_nobody_explores(tmp_path: Path) -> None:
    async with door(tmp_path, FILES) as d:
        assert "explore" not in await d.tools()
        assert (await d.call("explore", task="What is there?")).is_error
    (tmp_path / "off").mkdir()
    async with modelled(tmp_path / "off", FILES, [], {"agents": {"parallel": 0}}) as (m, _):
        assert "explore" not in await m.tools()


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_search_gives_chunks_with_lines_and_why(tmp_path: Path, mode: str) -> None:
    async with door(tmp_path, FILES, mode=mode) as d:  # type: ignore[arg-type]
        tools = await d.tools()
        result = await d.call("search", query="the price of a rent")
        jsonschema.validate(result.structured_content, tools["search"].output_schema)
        assert isinstance(result.structured_content, dict)
        chunks = {each["place"]: each for each in result.structured_content["chunks"]}
        assert set(chunks) == {"shop.py:1-6", "docs/notes.md:1-3"}
        assert "5\tdef rent(days):" in chunks["shop.py:1-6"]["lines"]
        assert "price" in chunks["shop.py:1-6"]["why"]
        assert "lexical" in chunks["shop.py:1-6"]["why"]
        assert all(each["lines"] in text_of(result) for each in chunks.values())
        narrow = await d.structured("search", query="rent", path="docs")
        assert narrow["searched"] == "Searched 1 file (under docs) for rent."
        nothing = await d.structured("search", query="zebra", path="docs")
        assert nothing["chunks"] == []
        assert "Nothing shares a word" in nothing["searched"]


async def test_text_tools_answer_as_they_do_inside(tmp_path: Path) -> None:
    async with door(tmp_path, FILES) as d:
        assert await d.text("grep", pattern="net", output_mode="content") == (
            "shop.py\n1:def price(net):\n2:    return net * 2"
        )
        assert await d.text("glob", pattern="**/*.md") == "docs/notes.md"
        first = "1\tdef price(net):\n[L1-L1 of 6; go on with offset=2 and limit=1]"
        assert await d.text("read", path="shop.py", limit=1) == first
        assert await d.text("read", path="shop.py", limit=1) == first  # shown again, if asked again
        uses = await d.text("symbols", mode="references", name="price")
        assert "shop.py:6:" in uses
        outline = await d.text("symbols", mode="outline", path="shop.py")
        assert "function: def rent(days)" in outline


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("read", {"path": "gone.py"}, "gone.py"),
        ("read", {"path": "/etc/passwd"}, "outside"),
        ("read", {"path": "../secret"}, "outside"),
        ("read", {}, "path: Field required. It takes path, offset, limit, column."),
        ("search", {"query": " "}, "The query is empty"),
        ("grep", {"pattern": "("}, "pattern"),
        ("check", {"text": ""}, "The text is empty"),
        ("Edit", {"path": "shop.py"}, "There is no tool Edit"),
        ("Bash", {"command": "ls"}, "There is no tool Bash"),
    ],
)
async def test_a_call_that_fails_says_why(
    tmp_path: Path, name: str, arguments: dict[str, str], says: str
) -> None:
    async with door(tmp_path, FILES) as d:
        result = await d.call(name, **arguments)
        assert result.is_error
        assert says in text_of(result)


async def test_hidden_files_stay_hidden(tmp_path: Path) -> None:
    settings = {"permissions": {"deny": ["Read(shop.py)"]}}
    async with door(tmp_path, FILES, settings) as d:
        told = [
            await d.text("search", query="net price rent"),
            await d.text("grep", pattern="net", output_mode="content"),
            await d.text("glob", pattern="**"),
            await d.text("read", path="shop.py"),
            await d.text("symbols", mode="definitions", name="price"),
            await d.text("check", text="`price` doubles [cite: doc, shop.py, L1-L2]."),
        ]
        assert not any("net * 2" in each or "shop.py:" in each for each in told)
        assert "hides shop.py" in told[-1]


async def test_no_server_of_the_user_s_is_started(tmp_path: Path) -> None:
    """It may be this very one."""
    ran = tmp_path / "ran"
    settings = {"mcp": {"servers": {"mine": {"command": "touch", "args": [str(ran)]}}}}
    async with door(tmp_path, FILES, settings) as d:
        app = await d.app()
        await app.ready()
        assert app.mcp.running == {}
    assert not ran.exists()


async def test_check_tells_how_each_sentence_holds_and_where_lines_are(tmp_path: Path) -> None:
    script = judging(
        [], price=("SUPPORTED", "return net * 2"), rent=("CONTRADICTED", "return price(days) * 9")
    )
    text = (
        "`price` returns twice the net [cite: doc, shop.py, L1-L2]. The function `rent` returns"
        " the days alone [cite: doc, shop.py, L5-L6]. It logs [cite: doc, gone.py, L2]."
    )
    async with modelled(tmp_path, FILES, script, JUDGED) as (d, _):
        result = await d.call("check", text=text)
        jsonschema.validate(result.structured_content, (await d.tools())["check"].output_schema)
        assert isinstance(result.structured_content, dict)
        sentences = result.structured_content["sentences"]
        assert [each["verdict"] for each in sentences] == [
            "supported",
            "contradicted",
            "unsupported",
        ]
        assert sentences[0]["places"][0]["cited"] == "shop.py:1-2"
        assert "gone.py" in sentences[2]["reason"]
        assert text_of(result).startswith("supported: `price` returns twice the net. [shop.py:1-2]")


async def test_check_says_that_only_rules_judged(tmp_path: Path) -> None:
    async with door(tmp_path, FILES) as d:
        said = await d.structured("check", text="`price` doubles [cite: doc, shop.py, L1-L2].")
        assert [each["verdict"] for each in said["sentences"]] == ["undecided"]
        assert "No model is configured" in said["notices"][0]


async def test_explore_reports_with_progress_and_its_facts_are_told(tmp_path: Path) -> None:
    script = judging([FOUND, REPORT], price=("SUPPORTED", "return net * 2"))
    told: list[str | None] = []

    async def follow(progress: float, total: float | None, message: str | None) -> None:
        assert progress
        assert total is None
        told.append(message)

    async with modelled(tmp_path, FILES, script, JUDGED) as (d, _):
        task = {"task": "What does price do?", "thoroughness": "quick"}
        result = await d.client.call_tool("explore", task, progress_callback=follow)
        assert "`price` doubles its argument" in text_of(result)
        assert "shop.py" in text_of(result)
        assert isinstance(result.structured_content, dict)
        assert result.structured_content["partial"] == ""
        await until(lambda: any(each and "shop.py" in each for each in told))
        facts = await d.structured("facts", question="What does price do?")
        assert facts == {"facts": [], "notices": []}  # a report is no answer


async def test_a_cancelled_exploration_ends(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with modelled(tmp_path, FILES, [Turn(Text("- It"), gate=gate)]) as (d, api):
        calling = asyncio.create_task(d.call("explore", task="What does price do?"))
        await until(lambda: bool(api.requests))
        app = await d.app()
        assert len(app.runs.active()) == 1
        calling.cancel()
        await asyncio.wait({calling})
        await until(lambda: not app.runs.active())
        gate.set()
        assert "shop.py" in await d.text("glob", pattern="*.py")


async def test_an_exploration_that_goes_on_elsewhere_ends_the_call_alone(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with modelled(tmp_path, FILES, [Turn(Text("- It"), gate=gate)]) as (d, api):
        calling = asyncio.create_task(d.call("explore", task="What does price do?"))
        await until(lambda: bool(api.requests))
        app = await d.app()
        (run_id,) = app.runs.active()
        app.runs.end(app.runs.session_of(run_id) or "", "a terminal")
        with pytest.raises(MCPError, match="goes on elsewhere"):
            await calling
        gate.set()
        assert "shop.py" in await d.text("glob", pattern="*.py")


CLAIMS = (
    "`price` returns twice the net [cite: doc, shop.py, L1-L2]. The function `rent` returns the"
    " days alone [cite: doc, shop.py, L5-L6]. `rent` calls `price` for its days [cite: doc,"
    " shop.py, L5-L6]."
)
JUDGES = {
    "twice": ("SUPPORTED", "return net * 2"),
    "alone": ("CONTRADICTED", "return price(days) * 9"),
    "calls": ("SUPPORTED", "return price(days) * 9"),
}


async def test_only_what_its_lines_support_is_remembered(tmp_path: Path) -> None:
    async with modelled(tmp_path, FILES, judging([], **JUDGES), JUDGED, remembers=True) as (d, _):
        result = await d.call("remember_fact", text=CLAIMS)
        schema = (await d.tools())["remember_fact"].output_schema
        jsonschema.validate(result.structured_content, schema)
        assert isinstance(result.structured_content, dict)
        kept = {each["statement"] for each in result.structured_content["facts"]}
        assert kept == {"`price` returns twice the net.", "`rent` calls `price` for its days."}
        told = await d.structured("facts", question="What does `price` return?")
        assert "`price` returns twice the net." in {each["statement"] for each in told["facts"]}
        again = await d.structured("remember_fact", text=CLAIMS)
        assert {each["statement"] for each in again["facts"]} == kept
        (tmp_path / "shop.py").write_text(SHOP.replace("* 2", "* 3"))
        told = await d.structured("facts", question="What does `price` return?")
        assert "`price` returns twice the net." not in str(told["facts"])


@pytest.mark.parametrize("settings", [None, {"facts": {"enabled": False}}])
async def test_nobody_remembers_unless_the_user_said_so(
    tmp_path: Path, settings: dict[str, dict[str, bool]] | None
) -> None:
    """Neither without the flag, nor where facts are off."""
    off = {**JUDGED, **settings} if settings else JUDGED
    async with modelled(
        tmp_path, FILES, judging([], **JUDGES), off, remembers=settings is not None
    ) as (d, _):
        assert (await d.call("remember_fact", text=CLAIMS)).is_error
        assert (await d.structured("facts", question="`price`"))["facts"] == []
    async with door(tmp_path, FILES, remembers=True) as without_model:
        assert "remember_fact" not in await without_model.tools()
