"""`glossator contexts` at a terminal and in a pipe: nothing is sent before a yes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_acting import program
from tests.standin import StandIn, Text, Turn

SWIM = "".join(f"    depth += {n}  # a line of some length, so that it is cut\n" for n in range(90))


@pytest.fixture(autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


def tell(_body: dict[str, Any]) -> Turn:
    return Turn(Text("It dives."))


def workspace(root: Path) -> None:
    (root / "fish.py").write_text(f"def dive(depth):\n{SWIM}", "utf-8")


async def test_a_number_is_a_yes(tmp_path: Path) -> None:
    workspace(tmp_path)
    async with StandIn(tell) as api, program(tmp_path, api, "contexts") as terminal:
        asked = await terminal.until("> ")
        assert "claude-haiku-5-5 would read 1 files" in " ".join(asked.split())
        assert api.requests == []
        terminal.type("1\n")
        await terminal.until("(estimated $")
        assert await terminal.ended() == 0
        assert len(api.requests) == 2


async def test_no_sends_nothing(tmp_path: Path) -> None:
    workspace(tmp_path)
    async with StandIn(tell) as api, program(tmp_path, api, "contexts") as terminal:
        await terminal.until("> ")
        terminal.type("3\n")
        await terminal.until("Nothing was sent.\n")
        assert await terminal.ended() == 1
        assert api.requests == []


async def test_yes_needs_the_most_to_spend(tmp_path: Path) -> None:
    workspace(tmp_path)
    async with StandIn(tell) as api:
        async with program(tmp_path, api, "contexts", "--yes") as terminal:
            await terminal.until("--yes needs --dollars N")
            assert await terminal.ended() != 0
        async with program(tmp_path, api, "contexts", "--yes", "--dollars", "1") as terminal:
            await terminal.until("made ")
            assert await terminal.ended() == 0
        place = tmp_path / "shared.jsonl"
        async with program(tmp_path, api, "contexts", "--export", str(place)) as terminal:
            await terminal.until("written to")
            assert await terminal.ended() == 0
        assert place.read_text("utf-8").count("It dives.") == 2
        async with program(tmp_path, api, "contexts", "--estimate") as terminal:
            await terminal.until("there already")
            assert await terminal.ended() == 0
