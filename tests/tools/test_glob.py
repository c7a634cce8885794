"""Glob: patterns, order, budget, and what it says when nothing matches."""

from __future__ import annotations

import os

import pytest

from tests.workspaces import MakeWorkspace

FILES = dict.fromkeys(
    "README.md a.py pkg/b.py pkg/deep/c.py pkg/deep/c.ts web/app/[id]/page.tsx".split(), ""
)


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"pattern": "*.py"}, "a.py pkg/b.py pkg/deep/c.py"),
        ({"pattern": "/*.py"}, "a.py"),
        ({"pattern": "./*.py"}, "a.py"),
        ({"pattern": "pkg/*.py"}, "pkg/b.py"),
        ({"pattern": "**/*.{py,ts}"}, "a.py pkg/b.py pkg/deep/c.py pkg/deep/c.ts"),
        ({"pattern": "pkg/**"}, "pkg/b.py pkg/deep/c.py pkg/deep/c.ts"),
        ({"pattern": "!*.py"}, "README.md pkg/deep/c.ts web/app/[id]/page.tsx"),
        ({"pattern": "*.py", "path": "pkg"}, "pkg/b.py pkg/deep/c.py"),
        ({"pattern": "deep/*", "path": "pkg/"}, "pkg/deep/c.py pkg/deep/c.ts"),
        ({"pattern": "*.py", "path": "pkg/b.py"}, "pkg/b.py"),
        ({"pattern": r"web/app/\[id\]/*"}, "web/app/[id]/page.tsx"),
        ({"pattern": "deep"}, "pkg/deep/c.py pkg/deep/c.ts"),
        ({"pattern": "deep/"}, "pkg/deep/c.py pkg/deep/c.ts"),
        ({"pattern": "pkg/deep"}, "pkg/deep/c.py pkg/deep/c.ts"),
        ({"pattern": "./pkg/deep/"}, "pkg/deep/c.py pkg/deep/c.ts"),
        ({"pattern": "{deep,web}/"}, "pkg/deep/c.py pkg/deep/c.ts web/app/[id]/page.tsx"),
        ({"pattern": "deep", "path": "pkg"}, "pkg/deep/c.py pkg/deep/c.ts"),
        ({"pattern": "./", "path": "pkg"}, "pkg/b.py pkg/deep/c.py pkg/deep/c.ts"),
        ({"pattern": "!pkg/"}, "README.md a.py web/app/[id]/page.tsx"),
    ],
)
async def test_patterns(workspace: MakeWorkspace, arguments: dict[str, str], paths: str) -> None:
    ws = await workspace(FILES)
    result = await ws.call("Glob", **arguments)
    assert sorted(result.text.split()) == sorted(paths.split())
    assert not result.error


@pytest.mark.parametrize(
    ("pattern", "path", "paths"),
    [
        ("/*.py", None, "a.py"),
        ("/pkg/*.py", None, "pkg/b.py"),
        ("/pkg", None, "pkg/b.py pkg/deep/c.py pkg/deep/c.ts"),
        ("/web", "web", "web/app/[id]/page.tsx"),
        ("", "", " ".join(FILES)),
        ("/pkg/**/*.py", "pkg", "pkg/b.py pkg/deep/c.py"),
    ],
)
async def test_a_path_from_the_top_of_the_disk(
    workspace: MakeWorkspace, pattern: str, path: str | None, paths: str
) -> None:
    ws = await workspace(FILES)
    result = await ws.call("Glob", pattern=f"{ws.root}{pattern}", path=path)
    assert sorted(result.text.split()) == sorted(paths.split())


async def test_a_file_of_the_name_goes_before_the_folder(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a/test": "", "test/b": ""})
    assert (await ws.call("Glob", pattern="test")).text == "a/test"
    assert (await ws.call("Glob", pattern="test/")).text == "test/b"


async def test_newest_first_and_at_most_a_hundred(workspace: MakeWorkspace) -> None:
    ws = await workspace({f"f{number:03d}.txt": "" for number in range(103)})
    for second in range(103):
        name = f"f{second:03d}.txt"
        os.utime(ws.root / name, (second, second))
        ws.touched(name)
    result = await ws.call("Glob", pattern="*.txt")
    *paths, advice = result.text.split("\n")
    assert paths == [f"f{number:03d}.txt" for number in range(102, 2, -1)]
    assert advice == "[3 more paths; narrow the pattern or give a path]"
    assert result.omitted == 3


async def test_nothing_found_is_accounted_for(workspace: MakeWorkspace) -> None:
    ws = await workspace({".gitignore": "*.log\nbuild/\n", "a.log": "", "build/x": "", "b.py": ""})
    result = await ws.call("Glob", pattern="*.rs")
    assert not result.error
    assert result.text.startswith("No file matches *.rs.\nLooked at 2 of 2 files.\n")
    assert "*.log" in result.text
    assert "build/" in result.text


async def test_a_pattern_below_what_a_rule_leaves_out(workspace: MakeWorkspace) -> None:
    ws = await workspace({".gitignore": "build/\n*.log\n", "build/js/x.js": "", "a.log": ""})
    rule = "is left out by rule: .gitignore:1 build/; Read still opens the files in it."
    assert f"\nbuild/js {rule}" in (await ws.call("Glob", pattern="build/js/*.js")).text
    assert f"\nbuild {rule}" in (await ws.call("Glob", pattern="build/")).text
    assert (
        f"\njs {rule}".replace("js", "build/js")
        in (await ws.call("Glob", pattern="js/*", path="build")).text
    )
    text = (await ws.call("Glob", pattern="a.log")).text
    assert "a.log is left out by rule: .gitignore:2 *.log; Read still opens it." in text


async def test_a_bracket_taken_for_a_class_is_explained(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    result = await ws.call("Glob", pattern="web/app/[id]/*")
    assert r"write \[ for a literal bracket" in result.text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"pattern": "{a,b"}, r"Write \{ for a literal one"),
        ({"pattern": "[z-a]"}, "cannot be used"),
        ({"pattern": "{a,b}" * 12}, "Use fewer braces"),
        ({"pattern": "*", "path": "../other"}, "outside the workspace"),
        ({"pattern": "{root}/web/*", "path": "pkg"}, "is not inside pkg"),
        ({"pattern": "*", "path": "no/such"}, "does not exist"),
        ({"pattern": 3}, "Correct the arguments"),
        ({"pattern": "*", "depth": 3}, "Correct the arguments"),
    ],
)
async def test_failures_say_what_next(
    workspace: MakeWorkspace, arguments: dict[str, object], says: str
) -> None:
    ws = await workspace(FILES)
    if isinstance(pattern := arguments["pattern"], str):
        arguments = arguments | {"pattern": pattern.replace("{root}", str(ws.root))}
    result = await ws.call("Glob", **arguments)
    assert result.error
    assert says in result.text


async def test_file_names_that_are_not_unicode(workspace: MakeWorkspace) -> None:
    name = os.fsdecode(b"b\xffd.py")
    ws = await workspace({"a.py": "", name: ""})
    result = await ws.call("Glob", pattern="*.py")
    assert sorted(result.text.split("\n")) == sorted(["a.py", name])


async def test_unsaved_files_are_listed(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    ws.open("pkg/new.py", "x = 1\n")
    assert "pkg/new.py" in (await ws.call("Glob", pattern="pkg/*.py")).text.split()
    ws.close("pkg/new.py")
    assert "pkg/new.py" not in (await ws.call("Glob", pattern="pkg/*.py")).text.split()


IGNORED = {
    ".gitignore": "build/\n*.log\n.env\n",
    "a.py": "needle\n",
    "a.log": "needle\n",
    ".env": "KEY=needle\n",
    "build/out.js": "needle\n",
    "build/secret/key.js": "needle\n",
    "build/deep/.git/config": "needle\n",
}


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"pattern": "**"}, ".env .gitignore a.log a.py build/out.js"),
        ({"pattern": "**", "path": "build"}, "build/out.js"),
        ({"pattern": "build"}, "build/out.js"),
        ({"pattern": "*.log", "path": "a.log"}, "a.log"),
    ],
)
async def test_ignored_files_on_request(
    workspace: MakeWorkspace, arguments: dict[str, str], paths: str
) -> None:
    ws = await workspace(IGNORED, exclude=("secret/",))
    found = await ws.call("Glob", **arguments, include_ignored=True)
    assert sorted(found.text.split()) == sorted(paths.split())
    ws.hidden = lambda path: path.endswith((".env", "out.js"))
    found = await ws.call("Glob", pattern="**", include_ignored=True)
    assert sorted(found.text.split()) == [".gitignore", "a.log", "a.py"]


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({}, ".env a.log a.py build/out.js"),
        ({"path": "build"}, "build/out.js"),
        ({"path": "build/out.js"}, "build/out.js"),
        ({"glob": "*.log"}, "a.log"),
    ],
)
async def test_grep_in_ignored_files(
    workspace: MakeWorkspace, arguments: dict[str, str], paths: str
) -> None:
    ws = await workspace(IGNORED, exclude=("secret/",))
    found = await ws.call("Grep", pattern="needle", include_ignored=True, **arguments)
    assert sorted(found.text.split()) == sorted(paths.split())
    lines = await ws.call("Grep", pattern="needle", include_ignored=True, output_mode="content")
    assert "build/out.js\n1:needle" in lines.text
    assert len(lines.spans) == len(IGNORED) - 3


async def test_what_stays_left_out_with_ignored_files(workspace: MakeWorkspace) -> None:
    ws = await workspace(IGNORED, exclude=("secret/",))
    nothing = await ws.call("Grep", pattern="absent", include_ignored=True)
    assert "Left out by rule: workspace.exclude:1 secret/ (1); .git is always left out (1)" in (
        nothing.text
    )


async def test_many_ignored_files_are_looked_at_in_part(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.workspace.documents.snapshot.MAX_IGNORED", 3)
    ws = await workspace({".gitignore": "lib/\n", **{f"lib/{n}.js": "x\n" for n in range(9)}})
    found = await ws.call("Glob", pattern="*.js", include_ignored=True)
    assert found.text.startswith("lib/")
    assert "ignored files" in found.text
    assert found.text.endswith("give a path for the others]")
    found = await ws.call("Grep", pattern="absent", include_ignored=True)
    assert found.text.endswith("give a path for the others]")
