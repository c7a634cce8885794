"""Which folders are read: those given, those that the client names, or the current one."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import ListRootsResult

from glossator.mcp_server.folders import Folders
from tests.mcp_server.client import LEGACY, Mode, door, gloss, write
from tests.quiet import quietly


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_the_client_names_them_and_others_later(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    write(two, {"two.py": "x = 2\n"})
    async with door(one, {"one.py": "x = 1\n"}, given=False) as d:
        assert await d.text("glob", pattern="*.py") == "one.py"
        d.roots[:] = [two]
        await d.client.session.send_roots_list_changed()
        await d.client.session.send_ping()
        assert await d.text("glob", pattern="*.py") == "two.py"
        d.roots[:] = [two, one]
        await d.client.session.send_roots_list_changed()
        await d.client.session.send_ping()
        found = await d.text("grep", pattern="x = ", output_mode="content")
        assert "x = 1" in found
        assert "x = 2" in found
        assert d.asked == 3


async def test_one_of_2026_is_asked_with_a_result(tmp_path: Path) -> None:
    """In which version servers send no requests."""
    async with door(tmp_path, {"one.py": "x = 1\n"}, given=False, mode="2026-07-28") as d:
        assert "grep" in await d.tools()
        for _ in range(2):
            assert await d.text("glob", pattern="*.py") == "one.py"
        assert d.asked == 1


@pytest.mark.parametrize("home", [False, True])
async def test_glosses_of_the_current_folder_are_listed_before_one_of_2026_names_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: bool
) -> None:
    """As Claude Code lists them only once, when it begins; a home is nobody's workspace."""
    async with door(tmp_path, {"one.py": "x = 1\n"}) as d:
        await gloss(d, tmp_path, "one.py")
    monkeypatch.chdir(tmp_path)
    if home:
        monkeypatch.setenv("HOME", str(tmp_path / "me"))
    async with door(tmp_path, {}, given=False, mode="2026-07-28") as d:
        assert len((await d.client.list_resources()).resources) == (not home)
        assert d.asked == 0
        before = await d.app()
        assert await d.text("glob", pattern="*.py") == "one.py"
        assert d.asked == 1
        assert (await d.app() is before) == (not home)  # opened once
        assert len((await d.client.list_resources()).resources) == 1


@pytest.mark.parametrize("first", ["read", "list", "tools", "call"])
@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("mode", [LEGACY, "2026-07-28"])
async def test_the_home_is_not_served_to_a_client_that_names_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: Mode, linked: bool, first: str
) -> None:
    """Whatever it asks first, and also where the home goes by another name."""
    home, link = tmp_path / "home", tmp_path / "link"
    write(home, {"note.txt": "private\n"})
    link.symlink_to(home)
    monkeypatch.chdir(home)
    monkeypatch.setenv("HOME", str(link if linked else home))
    async with door(home, {}, given=False, mode=mode) as d:
        d.roots.clear()
        match first:
            case "read":
                with pytest.raises(MCPError, match="no such gloss"):
                    await d.client.read_resource("glossator:/gloss/x")
            case "list":
                assert (await d.client.list_resources()).resources == []
            case "tools":
                await d.tools()
            case _:
                assert "No folder is open" in await d.text("grep", pattern="private")
        assert (await d.app()).host.roots == ()


async def test_without_a_known_home_the_current_folder_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"here.py": ""})
    monkeypatch.chdir(tmp_path)
    for kind in ("DATA", "STATE", "CONFIG", "CACHE"):  # where ours would be in a home
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / "own"))
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as where no user is known
    async with door(tmp_path / "gone", {}, given=False) as d:
        d.roots.clear()
        assert await d.text("glob", pattern="*.py") == "here.py"


async def test_a_folder_that_is_given_wins(tmp_path: Path) -> None:
    async with door(tmp_path / "one", {"one.py": ""}) as d:
        assert await d.text("glob", pattern="*.py") == "one.py"
        assert d.asked == 0


@pytest.mark.parametrize("names", ["what is gone", "nothing", "nonsense"])
async def test_without_any_it_is_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: str
) -> None:
    async def fails(_: object) -> ListRootsResult:
        raise ValueError("no")

    write(tmp_path, {"here.py": ""})
    monkeypatch.chdir(tmp_path)
    async with door(tmp_path / "gone", {}, given=False) as d:
        if names == "nothing":
            d.roots.clear()
        if names == "nonsense":
            monkeypatch.setattr(d, "names", fails)
        assert await d.text("glob", pattern="*.py") == "here.py"
        assert os.getcwd() == str(tmp_path)


async def test_other_folders_are_opened_though_the_first_could_not_be(tmp_path: Path) -> None:
    """Which the client changed while they were being opened."""
    asked, gate = 0, asyncio.Event()

    async def find() -> list[str]:
        nonlocal asked
        asked += 1
        if asked == 1:
            await gate.wait()
            raise OSError("the first are gone")
        return [str(tmp_path)]

    folders = Folders(find, {"HOME": str(tmp_path)}, quietly({"models": {"offline": True}}))
    first = folders.open_soon()
    await asyncio.sleep(0)
    folders.changed()
    second = asyncio.create_task(folders.app())
    await asyncio.sleep(0)
    gate.set()
    assert (await second).host.roots == (str(tmp_path),)
    with pytest.raises(OSError, match="the first are gone"):
        await first
    await folders.close()


async def test_what_was_open_is_closed_where_the_next_cannot_be_asked_for(tmp_path: Path) -> None:
    asked = 0

    async def find() -> list[str]:
        nonlocal asked
        asked += 1
        if asked == 2:
            raise OSError("no answer")
        return [str(tmp_path)]

    folders = Folders(find, {"HOME": str(tmp_path)}, quietly({"models": {"offline": True}}))
    app = await folders.app()
    folders.changed()
    with pytest.raises(OSError, match="no answer"):
        await folders.app()
    assert await folders.app() is app
    await folders.close()
