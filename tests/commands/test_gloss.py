"""Glosses: made by a sub-agent or by extraction, kept, shared, stale with the lines they cite."""

from __future__ import annotations

import asyncio
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from glossator.anchors import gloss_text as text
from glossator.anchors.gloss_index import GlossState
from glossator.commands.answers.sessions import Explored
from glossator.commands.explore import keep_gloss
from glossator.commands.gloss import (
    GlossRequest,
    Lens,
    OverviewRequest,
    explore_workspace,
    gloss,
    lens_face,
    lenses_of,
    report_at,
)
from glossator.commands.on_lines import LinesRequest, explore_usage
from glossator.commands.subjects import pointed_at
from glossator.core.code import CodeAnswer, CodeKind, CodePlace
from glossator.core.document import Document
from glossator.core.errors import UsageError
from glossator.core.report import Finding, Report, Subject
from glossator.core.span import Citation, CitationStatus, Span
from glossator.core.text import Position
from glossator.core.uri import to_uri
from glossator.workspace.documents.overlays import Closed, Edited, Opened, TextEdit
from tests.patience import SECONDS
from tests.sandboxed import SANDBOXED
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn

READ = CitationStatus.READ
OFFLINE = {"models": {"offline": True}}
FILES = {
    "zoo/fish.py": '''\
"""Fish."""


class Fish:
    """An animal in the water."""

    def swim(self, far):
        """Swims so far."""
        return splash(far)


def splash(far):
    return far * 2
''',
    "pond.py": "from zoo.fish import Fish\n\n\ndef evening():\n    Fish().swim(3)\n",
    "tests/test_fish.py": "from zoo.fish import Fish\n\n\ndef test_swim():\n    Fish().swim(1)\n",
}
SAID = (
    "- `swim` moves a fish. [cite: doc, zoo/fish.py, 7-9]\n- It splashes. [cite: doc, pond.py, 5]"
)
TURNS = [Turn(ToolUse("Read", {"path": "pond.py"})), Turn(Text(SAID))]


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    return path


async def glossed(s: Stage, **about: Any) -> Explored:
    return await gloss(s.app, GlossRequest(**about))


async def noted(s: Stage, name: str) -> GlossState | None:
    return s.app.glosses.of((await pointed_at(s.app, None, None, name)).subject)


async def changed_lines(s: Stage, name: str) -> int | None:
    """How many cited lines changed, once it is known; None without a gloss."""
    async with asyncio.timeout(SECONDS):
        await s.app.glosses.settled()
    found = await noted(s, name)
    return found.freshness.changed if found and found.freshness else None


async def test_a_sub_agent_explores_and_the_report_is_kept(root: Path) -> None:
    async with stage(root, FILES, TURNS) as s:
        answer = await glossed(s, name="Fish.swim")
        assert [each.status for each in answer.citations] == ["read"] * 2
        lines, task = s.sent(0)["messages"][-1]["content"][1:]
        assert "zoo/fish.py, lines 7-9" in lines["text"]
        assert task["text"].startswith("Gloss method `Fish.swim` (`zoo/fish.py:7-9`).")
        assert (
            "Callers: `evening` (`pond.py:5`), `test_swim` (`tests/test_fish.py:5`)" in task["text"]
        )
        assert "It calls: `splash` (`zoo/fish.py:9`)" in task["text"]
        found = await noted(s, "Fish.swim")
        assert found is not None
        assert (found.gloss.model, found.gloss.report) == ("claude-haiku-5-5", answer.report)
        assert found.freshness is not None
        assert found.freshness.is_fresh
    async with stage(root, {}, ()) as again:  # the server was started anew
        await again.app.glosses.look()
        assert await changed_lines(again, "Fish.swim") == 0


async def test_extracts_without_a_model(root: Path) -> None:
    async with stage(root, FILES, (), OFFLINE) as s:
        answer = await glossed(s, uri=to_uri(str(root / "zoo/fish.py")), line=8)
        assert answer.offline
        fish = "[cite: doc, zoo/fish.py, 7-9]"
        tests = "[cite: doc, tests/test_fish.py, 5-5]"
        assert answer.text.splitlines() == [
            f"Method of `Fish`: `def swim(self, far)`. Swims so far. {fish}",
            "",
            "- Called by `evening`. [cite: doc, pond.py, 5-5]",
            f"- Called by `test_swim`. {tests}",
            f"- Mentioned in the tests of `tests/test_fish.py`. {tests}",
            "- It calls `splash`. [cite: doc, zoo/fish.py, 9-9]",
        ]
        assert {each.status for each in answer.citations} == {"read"}
        found = await noted(s, "Fish.swim")
        assert found is not None
        assert found.gloss.model == ""


async def test_extracts_of_files_and_folders(root: Path) -> None:
    readme = {"zoo/README.md": "# Zoo\n\nAnimals, *all* of them\nand more.\n\nSecond.\n"}
    async with stage(root, FILES | readme, (), OFFLINE) as s:
        file = await glossed(s, uri="zoo/fish.py")
        assert "`zoo/fish.py` has 13 lines and defines 1 class, 1 function." in file.text
        assert "- Class `Fish`: An animal in the water. [cite: doc, zoo/fish.py, 4-5]" in file.text
        folder = await glossed(s, uri=to_uri(str(root)))
        assert folder.text.startswith(f"Folder `{root.name}` holds 4 files in 2 folders.")
        text = await report_at(s.app, folder.document or "") or ""
        assert text.startswith(f"# Folder `{root.name}`\n")
        inner = await glossed(s, uri="zoo")
        assert "Animals, *all* of them and more. [cite: doc, zoo/README.md, 3-4]" in inner.text
        kinds = {"file": "zoo/fish.py", "folder": "zoo"}
        for kind, path in kinds.items():
            pointed = await pointed_at(s.app, path, None, None)
            assert pointed.subject.kind == kind
            assert s.app.glosses.of(pointed.subject) is not None


async def test_what_is_said_of_a_symbol_is_among_the_cited_lines(root: Path) -> None:
    """Below its name, or above it; else what names code would be judged unsupported."""
    files = {
        "fish.py": 'class Fish(\n    Animal,\n):\n    """One\n    by `FISH_SIZE`.\n    """\n',
        "fish.ts": "\n/**\n * One that is set\n * by `FISH_SIZE`.\n */\n@animal\nclass Fish {}\n",
        "fish.go": "package fish\n\n// Fish is set\n// by FISH_SIZE.\ntype Fish struct{}\n",
    }
    cited = {"fish.py": (1, 5), "fish.ts": (3, 7), "fish.go": (3, 5)}
    async with stage(root, files, (), OFFLINE) as s:
        for path, lines in cited.items():
            (citation,) = (await glossed(s, uri=path)).citations
            assert (citation.status, citation.first_line, citation.last_line) == ("read", *lines)


@SANDBOXED
async def test_the_last_commit_only_of_a_trusted_workspace(root: Path) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=Ada", "-c", "user.email=a@b.c")
        subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)

    async with stage(root, FILES, (), OFFLINE) as s:
        git("init", "-q")
        git("add", ".")
        git("commit", "-qm", "Fish swim")
        (root / "zoo/fish.py").write_text(FILES["zoo/fish.py"].replace("* 2", "* 3"))
        git("commit", "-qam", "Splash more")
        s.touched("zoo/fish.py")
        swim = await glossed(s, name="swim")
        assert "by Ada: Fish swim" in swim.text
        assert "by Ada: Splash more" in (await glossed(s, name="splash")).text
        assert "by Ada: Splash more" in (await glossed(s, uri="zoo/fish.py")).text
        for name in ("[id].py", "i.py"):  # the first is no pattern that the other one matches
            (root / name).write_text("x = 1\n")
            git("add", ".")
            git("commit", "-qm", f"Add {name}")
            s.touched(name)
        git("config", "log.showSignature", "true")
        assert "by Ada: Add [id].py" in (await glossed(s, uri="[id].py")).text
    async with stage(root, {}, (), OFFLINE, trusted=False) as s:
        assert "commit" not in (await glossed(s, name="swim")).text


async def test_calls_are_what_the_editors_servers_know(root: Path) -> None:
    async with stage(root, FILES, (), OFFLINE) as s:
        uri = to_uri(str(root / "pond.py"))
        outside = to_uri("/etc/hostname")
        callers = CodePlace(uri, 3, "evening"), CodePlace(outside, 0, "away")
        s.port.coded = lambda asked: CodeAnswer(
            "VS Code", callers if asked.kind is CodeKind.CALLERS else ()
        )
        answer = await glossed(s, name="swim")
        assert "- Called by `evening`. [cite: doc, pond.py, 4-4]" in answer.text
        assert "test_swim`" not in answer.text
        assert "It calls" not in answer.text
        s.port.coded = lambda _: CodeAnswer("VS Code")  # it has not read everything yet
        answer = await glossed(s, name="swim")
        assert "It calls" in answer.text


async def test_one_cited_line_makes_stale_exactly_what_cites_it(root: Path) -> None:
    """Typed, not saved; and what lies elsewhere in the file moves the lines, no more."""
    async with stage(root, FILES, (), OFFLINE) as s:
        for name in ("swim", "splash", "evening"):
            await glossed(s, name=name)
        told: list[str] = []
        s.app.glosses.subscribe(lambda subjects: told.extend(each.name for each in subjects))
        uri = to_uri(str(root / "zoo/fish.py"))
        s.app.host.apply(Opened(uri, 1, FILES["zoo/fish.py"]))
        assert [await changed_lines(s, name) for name in ("swim", "splash", "evening")] == [0] * 3
        at = Position(12, 0), Position(12, 18)  # in splash
        s.app.host.apply(Edited(uri, 2, (TextEdit(at, "    return far * 3"),)))
        assert [await changed_lines(s, name) for name in ("swim", "splash", "evening")] == [0, 1, 0]
        assert told == ["splash"]
        top = Position(0, 0), Position(0, 0)
        s.app.host.apply(Edited(uri, 3, (TextEdit(top, "# new\n# lines\n"),)))
        assert await changed_lines(s, "swim") == 0
        found = await noted(s, "swim")
        assert found is not None
        assert found.freshness is not None
        places = [each for each in found.freshness.places if each]
        assert (places[0].first_line, places[0].last_line) == (9, 11)
        s.app.host.apply(Closed(uri))
        assert await changed_lines(s, "splash") == 0
        (root / "pond.py").unlink()
        s.touched("pond.py")
        assert [await changed_lines(s, name) for name in ("swim", "splash")] == [1, 0]


async def test_a_line_that_is_cited_twice_counts_once(root: Path) -> None:
    said = "- A. [cite: doc, pond.py, 4-5]\n- B. [cite: doc, pond.py, 5] [cite: doc, pond.py, 4-5]"
    async with stage(root, FILES, [TURNS[0], Turn(Text(said))]) as s:
        await glossed(s, name="evening")
        (root / "pond.py").write_text(FILES["pond.py"].replace("(3)", "(4)"))
        s.touched("pond.py")
        assert await changed_lines(s, "evening") == 1


async def test_a_new_gloss_takes_the_old_ones_place(root: Path) -> None:
    async with stage(root, FILES, (), OFFLINE) as s:
        await glossed(s, name="splash")
        (root / "zoo/fish.py").write_text(FILES["zoo/fish.py"].replace("* 2", "* 3"))
        s.touched("zoo/fish.py")
        assert await changed_lines(s, "splash") == 1
        await glossed(s, name="splash")
        assert await changed_lines(s, "splash") == 0


async def test_two_servers_share_glosses(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("glossator.anchors.gloss_index._REFRESH_SECONDS", 0.0)
    async with stage(root, FILES, (), OFFLINE) as one, stage(root, {}, (), OFFLINE) as other:
        await other.app.glosses.look()
        assert await noted(other, "swim") is None
        await glossed(one, name="swim")
        await other.app.glosses.look()
        assert await changed_lines(other, "swim") == 0


async def test_what_cannot_be_glossed(root: Path) -> None:
    async with stage(root, FILES, ()) as s:
        with pytest.raises(UsageError, match="Nothing named whale"):
            await glossed(s, name="whale")
        with pytest.raises(UsageError, match="Nothing is pointed at"):
            await glossed(s)
        with pytest.raises(UsageError, match="Choose another file or folder"):
            await glossed(s, uri="zoo/whale.py")
        with pytest.raises(UsageError, match=r"zoo/fish\.py has 13 lines, and no line 99"):
            await glossed(s, uri="zoo/fish.py", line=99)


async def test_an_empty_or_partial_report_takes_no_whole_ones_place(root: Path) -> None:
    subject = Subject(str(root / "pond.py"), "", "file")
    async with stage(root, FILES, ()) as s:
        document = s.app.host.snapshot().read(subject.path)
        assert isinstance(document, Document)
        shown = Citation("pond.py", Span(document.uri, document.sha256, 5, 5), READ, "")
        whole = Report("Explore", "?", (Finding("- Whole.", (shown,)),))
        partial = replace(whole, findings=whole.findings * 2, partial="it was cancelled")
        unproven = replace(partial, findings=(Finding("I look at the pond first."),))
        assert await keep_gloss(s.app, subject, unproven, "m") is None
        assert await keep_gloss(s.app, subject, Report("Explore", "?"), "m") is None
        assert await keep_gloss(s.app, subject, partial, "m") is not None
        assert await keep_gloss(s.app, subject, whole, "m") is not None
        assert await keep_gloss(s.app, subject, partial, "m") is None
        found = s.app.glosses.of(subject)
        assert found is not None
        assert found.gloss.report == whole


async def test_a_fresh_gloss_of_a_model_is_not_given_for_an_extract(root: Path) -> None:
    async with stage(root, FILES, TURNS) as s:
        await glossed(s, name="Fish.swim")
    async with stage(root, {}, (), OFFLINE) as s:
        extract = await glossed(s, name="Fish.swim")
        assert "Called by `evening`" in extract.text
        assert extract.document is None
        found = await noted(s, "Fish.swim")
        assert found is not None
        assert found.gloss.model == "claude-haiku-5-5"
        (root / "pond.py").unlink()
        s.touched("pond.py")
        await s.app.glosses.settled()
        assert (await glossed(s, name="Fish.swim")).document is not None


async def test_the_workspace_and_its_folder_have_a_gloss_each(root: Path) -> None:
    async with stage(root, FILES, (), OFFLINE) as s:
        folder = await glossed(s, uri=to_uri(str(root)))
        workspace = await explore_workspace(s.app, OverviewRequest())
        assert folder.document is not None
        assert workspace.document is not None
        assert "# Workspace `work`" in (await report_at(s.app, workspace.document) or "")
        assert "# Folder `work`" in (await report_at(s.app, folder.document) or "")


@pytest.mark.parametrize(
    ("said", "opening", "stands"),
    [
        ("# Pond\n\nIt is wet. [cite: doc, pond.py, 5]", "It is wet. [`pond.py:5`](", "fresh"),
        ("Here is what I found:\n\n- Wet. [cite: doc, pond.py, 5]", "Wet. [`pond.py:5`](", "fresh"),
        ("# Pond\n\nIt is wet.", "It is wet.", "unchecked: it cites no lines"),
        ("# Pond", "", "unchecked: it cites no lines"),
    ],
)
async def test_what_a_hover_shows_of_a_report(
    root: Path, said: str, opening: str, stands: str
) -> None:
    turns = [TURNS[0], Turn(Text(said))]
    async with stage(root, FILES, turns) as s:
        await glossed(s, name="evening")
        found = await noted(s, "evening")
        assert found is not None
        assert text.gloss_summary(found).startswith(opening)
        assert bool(text.gloss_summary(found)) == bool(opening)
        assert text.freshness_text(found) == stands


async def test_the_usage_of_a_class_names_who_uses_it_without_a_call(root: Path) -> None:
    files = {
        "zoo.py": "class Fish:\n    def again(self) -> Fish: ...\n",
        "pond.py": "import zoo\n\nregister(zoo.Fish)\n\n\nclass Shark(zoo.Fish): ...\n\n\n"
        "def feed(fish: zoo.Fish) -> None: ...\n\n\ndef make():\n    return zoo.Fish()\n",
        "tests/test_zoo.py": "def test_kind(fish: Fish): ...\n",
    }
    async with stage(root, files, (), OFFLINE) as s:
        asked = LinesRequest(to_uri(str(root / "zoo.py")), 1, 1)
        told = (await explore_usage(s.app, asked)).text.splitlines()
    assert "- Called by `make`. [cite: doc, pond.py, 13-13]" in told
    assert "- Extended by `Shark`. [cite: doc, pond.py, 6-6]" in told
    assert [line for line in told if line.startswith("- Used by")] == [
        "- Used by `pond.py` at its top level. [cite: doc, pond.py, 3-3]",
        "- Used by `feed`. [cite: doc, pond.py, 9-9]",
    ]


async def test_the_product_is_told_before_tests_and_examples(root: Path) -> None:
    files = {
        "examples/tank.py": "def fill(fish: Fish): ...\n\n\ndef empty():\n    return Fish()\n",
        "src/zoo.py": "class Fish:\n    def far(self):\n        return super().far(len(leap(1)))\n",
        "src/zoo/test.py": "class Shark(zoo.Fish):\n    ...\n\n\ndef feed(fish: list[Fish]): ...\n"
        "\n\ndef make():\n    return zoo.Fish()\n",
        "tests/test_zoo.py": "def test_kind(fish: Fish):\n    assert Fish()\n",
    }
    async with stage(root, files, (), OFFLINE) as s:
        asked = LinesRequest(to_uri(str(root / "src/zoo.py")), 1, 1)
        told = (await explore_usage(s.app, asked)).text.splitlines()
    assert [line.partition(". [")[0] for line in told if line.startswith("-")] == [
        "- Called by `make`",
        "- Extended by `Shark`",
        "- Used by `feed`",
        "- Called by `test_kind`",
        "- Mentioned 2 times in the tests of `tests/test_zoo.py`",
        "- Called by `empty`",
        "- Used by `fill`",
        "- It calls `far`",
        "- It calls `leap`",
    ]


async def test_what_rules_hide_is_not_glossed(root: Path) -> None:
    settings = OFFLINE | {"permissions": {"deny": ["Read(pond.py)"]}}
    async with stage(root, FILES, (), settings) as s:
        with pytest.raises(UsageError, match="permission rule"):
            await glossed(s, uri="pond.py")
        assert "pond.py" not in (await glossed(s, name="swim")).text


async def test_exploring_usage_glosses_what_is_there(root: Path) -> None:
    asked = LinesRequest(to_uri(str(root / "zoo/fish.py")), 7, 9, "Only tests, please.")
    async with stage(root, FILES, TURNS) as s:
        answer = await explore_usage(s.app, asked)
        framing, lines, task = s.sent(0)["messages"][-1]["content"]
        assert "Look in the whole workspace" in framing["text"]
        assert "zoo/fish.py, lines 7-9" in lines["text"]
        assert task["text"].startswith("Explore usage of `zoo/fish.py:7-9`.")
        assert task["text"].endswith("\n\nOnly tests, please.")
        found = await noted(s, "Fish.swim")
        assert found is not None
        assert answer.document == f"glossator:/gloss/{found.gloss.subject.key}/Fish.swim.md"
    async with stage(root, {}, (), OFFLINE) as s:
        await glossed(s, uri="pond.py")
        line = LinesRequest(to_uri(str(root / "pond.py")), 1, 1)  # in no symbol
        assert (await explore_usage(s.app, line)).document is None
        assert "Called by `evening`" in (await explore_usage(s.app, asked)).text
        uri = "untitled:Untitled-1"
        s.app.host.apply(Opened(uri, 1, "def swim(): ...\n"))
        assert (await explore_usage(s.app, LinesRequest(uri, 1, 1))).document is None


async def test_the_whole_gloss_as_a_document(root: Path) -> None:
    async with stage(root, FILES, TURNS) as s:
        document = (await glossed(s, name="Fish.swim")).document
        assert document is not None
        text = await report_at(s.app, document)
        fish, pond = (to_uri(str(root / name)) for name in ("zoo/fish.py", "pond.py"))
        assert text is not None
        assert text.splitlines()[0] == "# Method `Fish.swim` in `zoo/fish.py`"
        assert text.splitlines()[2].startswith("*fresh · claude-haiku-5-5, 2")
        assert f"- `swim` moves a fish. [`zoo/fish.py:7-9`]({fish}#L7-L9)" in text
        assert f"- It splashes. [`pond.py:5`]({pond}#L5)" in text
        assert "## Searched\n\n- Read path=" in text
        (root / "pond.py").unlink()
        s.touched("pond.py")
        again = await report_at(s.app, document)
        assert again is not None
        assert "*stale: 1 cited line changed · " in again
        assert f"[`pond.py:5`]({pond}#L5) (changed)" in again
        assert await report_at(s.app, "glossator:/other") is None
        with pytest.raises(UsageError, match="no such gloss"):
            await report_at(s.app, f"glossator:/gloss/{'0' * 32}/x.md")


async def test_links_to_files_with_odd_names(root: Path) -> None:
    files = {"(a)/[id]/__init__.py": "def run(): ...\n"}
    turns = [Turn(Text("- Runs. [cite: doc, (a)/[id]/__init__.py, 1]"))]
    async with stage(root, files, turns) as s:
        document = (await glossed(s, name="run")).document
        text = await report_at(s.app, document or "")
        uri = to_uri(str(root)) + "/%28a%29/%5Bid%5D/__init__.py#L1"
        assert f"- Runs. [`(a)/[id]/__init__.py:1`]({uri})" in (text or "")


async def test_lenses_count_calls_and_tell_how_glosses_stand(root: Path) -> None:
    async with stage(root, FILES, (), OFFLINE) as s:
        uri = to_uri(str(root / "zoo/fish.py"))
        s.app.host.apply(Opened(uri, 1, FILES["zoo/fish.py"]))
        found = {lens.subject.name: lens for lens in await lenses_of(s.app, uri)}
        assert list(found) == ["Fish", "Fish.swim", "splash"]
        swim, splash = found["Fish.swim"], found["splash"]
        assert swim.range == ((6, 8), (6, 12))

        async def face(lens: Lens) -> tuple[str, str]:
            seen = await lens_face(s.app, lens.subject, lens.line)
            return seen.title, seen.command

        assert await face(swim) == ("explore · 2 calls", "glossator.gloss")
        assert await face(splash) == ("explore · 1 call", "glossator.gloss")
        await glossed(s, uri=uri, line=splash.line)
        assert await face(splash) == ("gloss · 1 call", "glossator.showGloss")
        at = Position(12, 4), Position(12, 10)
        s.app.host.apply(Edited(uri, 2, (TextEdit(at, "yield"),)))
        await s.app.glosses.settled()
        title, command = await face(splash)
        assert title == "gloss, stale: 1 cited line changed: explore again · 1 call"
        assert command == "glossator.gloss"
