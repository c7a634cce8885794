"""Facts through the protocol: listed, pinned and forgotten, and stale once their lines change."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.support.desk import Acting, acting
from tests.sides import JUDGED, judging
from tests.standin import Text, ToolUse, Turn

SHOP = "def price(net):\n    return net * 2\n\n\ndef rent(days):\n    return days * 9\n"
PRICE, RENT = "`price` returns `net * 2`.", "`rent` returns `days * 9`."
SCRIPT = [
    Turn(ToolUse("Read", {"path": "shop.py"})),
    Turn(Text(f"{PRICE} [cite: doc, shop.py, L1-L2] {RENT} [cite: doc, shop.py, L5-L6]")),
]
SAYS = {"net": ("SUPPORTED", "return net * 2"), "days": ("SUPPORTED", "return days * 9")}
GONE = "No longer established"


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))


@asynccontextmanager
async def knowing(tmp_path: Path, *more: Turn) -> AsyncIterator[tuple[Acting, str]]:
    """An editor in which `shop.py` is open, after a question that made two facts; its address."""
    root = tmp_path / "ws"
    root.mkdir()
    (root / "shop.py").write_text(SHOP)
    turns = judging([*SCRIPT, *more], **SAYS)
    async with acting(root, turns, grounding=JUDGED["grounding"]) as a:
        uri = a.desk.open(root / "shop.py")
        await a.asked()
        yield a, uri


async def facts(a: Acting) -> dict[str, dict[str, Any]]:
    """All that are listed, by what they say, in their order."""
    listed = await a.editor.result(a.editor.command("glossator.listFacts", {}))
    assert listed["problems"] == []
    return {each["statement"]: each for each in listed["facts"]}


async def test_they_are_listed_pinned_and_forgotten(tmp_path: Path) -> None:
    async with knowing(tmp_path) as (a, uri):
        listed = await facts(a)
        assert set(listed) == {PRICE, RENT}
        price, rent = listed[PRICE], listed[RENT]
        assert (price["path"], price["uri"], price["state"]) == ("shop.py", uri, "fresh")
        assert (rent["firstLine"], rent["lastLine"], rent["pinned"]) == (5, 6, False)
        added = {each["fact"]["id"] for each in a.events("fact")}
        assert added == {price["id"], rent["id"]}
        for each in (rent, price):
            pin = {"id": each["id"], "on": True}
            pinned = await a.editor.result(a.editor.command("glossator.pinFact", pin))
            assert pinned["fact"] == {**each, "pinned": True}
        unpin = {"id": price["id"], "on": False}
        unpinned = await a.editor.result(a.editor.command("glossator.pinFact", unpin))
        assert unpinned["fact"] == price
        assert list(await facts(a)) == [RENT, PRICE]
        forget = {"ids": [rent["id"]]}
        gone = await a.editor.result(a.editor.command("glossator.forgetFact", forget))
        assert ([each["id"] for each in gone["facts"]], gone["left"]) == ([rent["id"]], 1)
        assert list(await facts(a)) == [PRICE]
        for command, argument in (("forgetFact", forget), ("pinFact", {"id": rent["id"]})):
            _, says = await a.editor.error(a.editor.command(f"glossator.{command}", argument))
            assert says.startswith(f"There is no fact {rent['id']} here.")


async def test_one_is_stale_once_its_lines_change_and_the_model_hears_it(tmp_path: Path) -> None:
    answers = [Turn(Text(f"Answer {number}.")) for number in range(3)]
    async with knowing(tmp_path, *answers) as (a, uri):

        async def asked() -> str:
            """What the model is told before the next question, of one conversation."""
            question = {"question": "What do price and rent return?", "sessionId": session}
            answer = await a.editor.result(a.editor.command("glossator.ask", question))
            assert answer["text"].startswith("Answer ")
            return str(a.api.requests[-1].body["messages"][-1]["content"])

        session = a.events("run.started")[0]["sessionId"]
        told = await asked()
        assert PRICE in told
        assert RENT in told
        a.desk.type(uri, "net * 2", "net * 3")
        listed = await facts(a)
        states = {each["statement"]: each["state"] for each in listed.values()}
        assert states == {PRICE: "stale", RENT: "fresh"}
        told = await asked()
        assert GONE in told
        assert listed[PRICE]["id"] in told
        assert listed[RENT]["id"] not in told
        a.desk.type(uri, "net * 3", "net * 2")  # and it is not saved
        a.desk.type(uri, "def price", "# Prices\ndef price")
        price, rent = (await facts(a)).values()
        assert {price["state"], rent["state"]} == {"fresh"}
        assert sorted((price["firstLine"], rent["firstLine"])) == [2, 6]
        assert PRICE in await asked()
