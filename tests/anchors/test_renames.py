"""A gloss goes with what it is about and with what it cites, whoever gives it another name."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from glossator.anchors import anchor_index
from glossator.anchors.anchor_index import found_again
from glossator.anchors.gloss_index import GlossState
from glossator.commands.answers.sessions import Explored
from glossator.commands.gloss import GlossRequest, gloss, report_at
from glossator.core.report import FOLDER, Subject
from glossator.workspace.documents.overlays import DiskChanged, Opened
from tests.commands.test_gloss import FILES, TURNS
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def about(s: Stage, path: str, name: str = "Fish.swim", kind: str = "method") -> GlossState | None:
    return s.app.glosses.of(Subject(str(s.root / path), name, kind))


def move(s: Stage, old: str, new: str) -> None:
    """On disk; nobody is told."""
    (s.root / new).parent.mkdir(parents=True, exist_ok=True)
    (s.root / old).rename(s.root / new)


@pytest.fixture(autouse=True)
def _busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anchor_index, "_RENAMING_SECONDS", 120.0)


async def glossed(s: Stage, request: GlossRequest) -> Explored:
    """Gloss it, and wait until what it cites was seen: only texts that were seen are followed."""
    answer = await gloss(s.app, request)
    await s.app.glosses.settled()
    return answer


async def told(s: Stage, *paths: str) -> None:
    s.app.host.apply(DiskChanged(frozenset(str(s.root / path) for path in paths)))
    await s.app.host.ready()
    await s.app.glosses.settled()


@pytest.mark.parametrize("order", ["at once", "gone first", "there first"])
async def test_seen_on_disk(tmp_path: Path, order: str) -> None:
    async with stage(tmp_path / "work", FILES, TURNS) as s:
        document = (await glossed(s, GlossRequest(name="Fish.swim"))).document
        assert document is not None
        heard: set[str] = set()
        s.app.glosses.subscribe(lambda subjects: heard.update(each.path for each in subjects))
        move(s, "zoo/fish.py", "sea/carp.py")
        match order:
            case "at once":
                await told(s, "zoo/fish.py", "sea/carp.py")
            case "gone first":
                await told(s, "zoo/fish.py")
                await told(s, "sea/carp.py")
            case _:
                await told(s, "sea/carp.py")
                await told(s, "zoo/fish.py")
        assert about(s, "zoo/fish.py") is None
        found = about(s, "sea/carp.py")
        assert found is not None
        assert found.freshness is not None
        assert found.freshness.is_fresh
        assert "[cite: doc, sea/carp.py, 7-9]" in found.gloss.report.findings[0].text
        assert heard == {str(s.root / "zoo/fish.py"), str(s.root / "sea/carp.py")}
        text = await report_at(s.app, document)  # under the URI that it had
        assert text is not None
        assert "# Method `Fish.swim` in `sea/carp.py`" in text
        assert "[`sea/carp.py:7-9`](file://" in text
        move(s, "sea/carp.py", "zoo/fish.py")
        await told(s, "zoo/fish.py", "sea/carp.py")
        assert about(s, "zoo/fish.py") is not None
        assert await report_at(s.app, document) is not None
    async with stage(tmp_path / "work", {}, ()) as s:
        await s.app.glosses.look()
        await s.app.glosses.settled()
        assert about(s, "zoo/fish.py") is not None
        assert about(s, "sea/carp.py") is None


async def test_what_is_cited_is_followed_too(tmp_path: Path) -> None:
    async with stage(tmp_path / "work", FILES, TURNS) as s:
        await glossed(s, GlossRequest(name="Fish.swim"))
        move(s, "pond.py", "pool.py")
        await told(s, "pond.py", "pool.py")
        found = about(s, "zoo/fish.py")
        assert found is not None
        assert found.freshness is not None
        assert found.freshness.is_fresh
        assert "[cite: doc, pool.py, 5]" in found.gloss.report.findings[1].text


async def test_a_folder_with_all_that_is_in_it(tmp_path: Path) -> None:
    turns = [*TURNS, Turn(ToolUse("Read", {"path": "zoo/fish.py"})), Turn(Text("- Zoo."))]
    async with stage(tmp_path / "work", FILES, turns) as s:
        await glossed(s, GlossRequest(name="Fish.swim"))
        await glossed(s, GlossRequest(uri="zoo"))
        move(s, "zoo", "park/zoo")
        await told(s, "zoo/fish.py", "park/zoo/fish.py")
        assert about(s, "park/zoo/fish.py") is not None
        assert about(s, "park/zoo", "", FOLDER) is not None
        assert about(s, "zoo", "", FOLDER) is None


async def test_told_by_the_editor_though_the_text_is_another(tmp_path: Path) -> None:
    async with stage(tmp_path / "work", FILES, TURNS) as s:
        await glossed(s, GlossRequest(name="Fish.swim"))
        move(s, "zoo", "sea")
        changed = FILES["zoo/fish.py"].replace("splash(far)", "splash(near)")
        s.app.host.apply(Opened((s.root / "sea/fish.py").as_uri(), 1, changed))
        s.app.host.apply(DiskChanged(frozenset({str(s.root / "zoo"), str(s.root / "sea")})))
        s.app.renamed({str(s.root / "zoo"): str(s.root / "sea")})
        await s.app.glosses.settled()
        found = about(s, "sea/fish.py")
        assert found is not None
        assert found.freshness is not None
        assert found.freshness.changed == 1


async def test_while_the_editor_shows_what_is_gone(tmp_path: Path) -> None:
    async with stage(tmp_path / "work", FILES, TURNS) as s:
        uri = (s.root / "zoo/fish.py").as_uri()
        s.app.host.apply(Opened(uri, 1, FILES["zoo/fish.py"]))
        await glossed(s, GlossRequest(name="Fish.swim"))
        move(s, "zoo/fish.py", "zoo/carp.py")
        await told(s, "zoo/fish.py", "zoo/carp.py")
        assert about(s, "zoo/carp.py") is not None


async def test_what_is_moved_aside_to_be_saved_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = []

    def saving(*lost: Any) -> dict[str, str]:
        names = found_again(*lost)
        if names:
            (tmp_path / "work/zoo/fish.py").write_text(FILES["zoo/fish.py"] + "# more\n")
            saved.append(names)
        return names

    monkeypatch.setattr("glossator.anchors.anchor_index.found_again", saving)
    async with stage(tmp_path / "work", FILES, TURNS) as s:
        await glossed(s, GlossRequest(name="Fish.swim"))
        move(s, "zoo/fish.py", "zoo/fish.py~")
        await told(s, "zoo/fish.py", "zoo/fish.py~")
        assert saved
        await told(s, "zoo/fish.py")
        assert about(s, "zoo/fish.py~") is None
        found = about(s, "zoo/fish.py")
        assert found is not None
        assert found.freshness is not None
        assert found.freshness.is_fresh


async def test_a_text_that_only_went_is_not_followed(tmp_path: Path) -> None:
    async with stage(tmp_path / "work", FILES, TURNS) as s:
        await glossed(s, GlossRequest(name="Fish.swim"))
        (s.root / "zoo/fish.py").unlink()
        (s.root / "zoo/eel.py").write_text(FILES["zoo/fish.py"] + "# other\n")
        await told(s, "zoo/fish.py", "zoo/eel.py")
        assert about(s, "zoo/eel.py") is None
        found = about(s, "zoo/fish.py")
        assert found is not None
        assert found.freshness is not None
        assert found.freshness.changed == 3


async def test_two_servers_follow_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("glossator.anchors.gloss_index._REFRESH_SECONDS", 0.0)
    root = tmp_path / "work"
    async with stage(root, FILES, TURNS) as one, stage(root, {}, ()) as other:
        await glossed(one, GlossRequest(name="Fish.swim"))
        await other.app.glosses.look()
        move(one, "zoo/fish.py", "zoo/carp.py")
        for s in (one, other):
            await told(s, "zoo/fish.py", "zoo/carp.py")
        for s in (one, other, one):
            await s.app.glosses.look()
            await s.app.glosses.settled()
            assert about(s, "zoo/carp.py") is not None
            assert about(s, "zoo/fish.py") is None


async def test_the_watcher_is_enough(tmp_path: Path) -> None:
    async with stage(tmp_path / "work", FILES, TURNS) as s:
        await glossed(s, GlossRequest(name="Fish.swim"))
        followed = asyncio.Event()

        def heard(_: frozenset[Subject]) -> None:
            if about(s, "sea/fish.py"):
                followed.set()

        s.app.glosses.subscribe(heard)
        move(s, "zoo", "sea")
        async with asyncio.timeout(30):
            await followed.wait()
