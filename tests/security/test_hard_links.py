"""Files with other names, outside the workspace or protected ones, are not changed by commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from glossator.core.permission import Choice, PermissionAnswer
from glossator.sandbox import hard_links
from glossator.sandbox.bubblewrap import Bubblewrap
from glossator.sandbox.hard_links import enclosing, find_below, hard_linked_files, is_of_package
from tests.sandboxed import FOUND, SANDBOXED
from tests.security.repositories import git, repository
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn

_AUTO = {"permissions": {"mode": "auto"}}
_DONE = Turn(Text("Done."))
_WRITES = (
    "echo evil > {0}; echo evil >> {0}; truncate -s 0 {0}; sed -i s/text/evil/ {0}; rm {0};"
    " cp a.txt {0}; mv {0} moved; echo evil > moved; chmod 777 {0}; dd if=a.txt of={0} conv=notrunc"
    "; ln {0} again; echo evil > again; mv lib other; echo evil > other/linked.js"
)


def bash(command: str, name: str = "bash") -> Turn:
    return Turn(ToolUse("Bash", {"command": f"sh -c '{command}'"}, name))


@SANDBOXED
async def test_what_lies_outside_is_not_changed(tmp_path: Path) -> None:
    root, outside = tmp_path / "ws", tmp_path / "outside.js"
    (root / "lib").mkdir(parents=True)
    outside.write_text("text\n")
    os.link(outside, root / "lib/linked.js")
    script = [bash(_WRITES.format("lib/linked.js")), bash("echo x > a.txt", "other"), _DONE]
    async with stage(root, {"a.txt": "a\n"}, script, _AUTO) as s:
        await s.ask("Go.")
        told = s.results(1)["bash"]["content"]
        assert s.port.permissions == []
    assert outside.read_text() == "text\n"
    assert outside.stat().st_mode & 0o777 != 0o777
    note = "[Read-only here, since other files share it by hard links: lib/linked.js. Only the user"
    assert note in told
    assert (root / "a.txt").read_text() == "x\n"


@SANDBOXED
async def test_a_protected_file_is_not_changed_by_another_name(tmp_path: Path) -> None:
    """In an ignored folder, too; one whose names are all harmless may be written."""
    (tmp_path / ".vscode").mkdir()
    (tmp_path / "build").mkdir()
    (tmp_path / ".vscode/settings.json").write_text("{}\n")
    (tmp_path / "one").write_text("text\n")
    os.link(tmp_path / ".vscode/settings.json", tmp_path / "build/plain")
    os.link(tmp_path / "one", tmp_path / "two")
    script = [bash("echo evil > build/plain; echo new > one"), _DONE]
    async with stage(tmp_path, {".gitignore": "build\n"}, script, _AUTO) as s:
        await s.ask("Go.")
    assert (tmp_path / ".vscode/settings.json").read_text() == "{}\n"
    assert (tmp_path / "two").read_text() == "new\n"


@SANDBOXED
async def test_a_local_clone_leaves_the_other_repository_alone(tmp_path: Path) -> None:
    """It can be worked in: what git adds is new."""
    root, other = tmp_path / "ws", tmp_path / "other"
    repository(other, {"a.txt": "a\n"})
    git(tmp_path, "clone", "-q", "--local", str(other), str(root))
    (object_file,) = list((other / ".git/objects").glob("??/*"))[:1]
    before = object_file.read_bytes()
    name = object_file.relative_to(other)
    commit = "git -c user.name=a -c user.email=a@b commit -qm two && git log --oneline | wc -l"
    script = [
        bash(f"chmod 777 {name}; echo evil > {name}; rm -f {name}"),
        bash(f"echo b > b.txt && git add -A && {commit}", "commit"),
        _DONE,
    ]
    async with stage(root, {}, script, _AUTO) as s:
        await s.ask("Go.")
        assert s.results(2)["commit"]["content"].startswith("2\n")
    assert object_file.read_bytes() == before


@pytest.mark.parametrize(("tool", "more"), [("Write", {"content": "evil\n"}), ("Edit", {})])
async def test_edits_are_asked_about(tmp_path: Path, tool: str, more: dict[str, str]) -> None:
    """Editors write into the file, so that all its names show the new text."""
    root, outside = tmp_path / "ws", tmp_path / "outside"
    root.mkdir()
    outside.write_text("text\n")
    os.link(outside, root / "linked")
    more = more or {"old_text": "text", "new_text": "evil"}
    script = [
        Turn(ToolUse("Read", {"path": "linked"}, "read")),
        Turn(ToolUse(tool, {"path": "linked", **more}, "edit")),
        _DONE,
    ]
    async with stage(root, {}, script, _AUTO) as s:
        s.port.permitted = [PermissionAnswer(Choice.DENY)]
        await s.ask("Go.")
        (request,) = s.port.permissions
    (reason,) = request.reasons
    assert reason.endswith("it has other names (hard links), perhaps outside the workspace.")
    assert outside.read_text() == "text\n"


async def test_a_command_that_the_user_allowed_may_replace_them(tmp_path: Path) -> None:
    """As package managers do; the question says so."""
    root, outside = tmp_path / "ws", tmp_path / "outside"
    root.mkdir()
    outside.write_text("text\n")
    os.link(outside, root / "linked")
    script = [bash("rm linked && echo new > linked"), _DONE]
    async with stage(root, {}, script, {"permissions": {"mode": "ask"}}) as s:
        s.port.permitted = [PermissionAnswer(Choice.ONCE)]
        await s.ask("Go.")
        (request,) = s.port.permissions
    assert request.reasons[-1].startswith("linked may go by other names elsewhere (hard links)")
    assert (root / "linked").read_text() == "new\n"
    assert outside.read_text() == "text\n"


@pytest.mark.parametrize("choice", [Choice.ONCE, Choice.SESSION])
async def test_an_answer_for_the_session_holds_for_this_command(
    tmp_path: Path, choice: Choice
) -> None:
    """The next one that a rule allows is kept from them, as nobody is asked about it."""
    root = _linked(tmp_path, ["linked"])
    script = [bash("echo new > linked"), _DONE]
    async with stage(root, {}, script, {"permissions": {"mode": "ask"}}) as s:
        s.port.permitted = [PermissionAnswer(choice, rules=("Bash",))]
        await s.ask("Go.")
        assert len(s.port.permissions) == 1
    assert (tmp_path / "outside/0").read_text() == "new\n"


@SANDBOXED
async def test_a_clone_of_many_objects_is_committed_to(tmp_path: Path) -> None:
    """Unasked: folders of the repository, to which git adds, stay writable."""
    root, other = tmp_path / "ws", tmp_path / "other"
    repository(other, {f"{number}.txt": f"{number}\n" for number in range(150)})
    git(tmp_path, "clone", "-q", "--local", str(other), str(root))
    objects = {each: each.read_bytes() for each in (other / ".git/objects").glob("??/*")}
    assert len(objects) > 150
    spoil = "for o in .git/objects/??/*; do chmod 666 $o; echo evil > $o; rm -f $o; done"
    commit = "git -c user.name=a -c user.email=a@b commit -qm two && git log --oneline | wc -l"
    script = [
        bash(f"{spoil} 2>&1 | tail -n 1"),
        bash(f"echo b > b.txt && git add -A && {commit}", "commit"),
        _DONE,
    ]
    async with stage(root, {}, script, _AUTO) as s:
        await s.ask("Go.")
        assert s.results(2)["commit"]["content"].startswith("2\n")
        assert (
            "[Read-only here, since other files share it by hard links: "
            in s.results(1)["bash"]["content"]
        )
        assert s.port.permissions == []
    assert {each: each.read_bytes() for each in objects} == objects


@SANDBOXED
async def test_an_environment_of_linked_packages_is_used(tmp_path: Path) -> None:
    """As uv makes them: caches are written beside the code, and nobody is asked."""
    packages = ".venv/lib/python3/site-packages"
    names = [f"{packages}/p{number % 40}/m{number}.py" for number in range(1_200)]
    root = _linked(tmp_path, [*names, f"{packages}/single.py", ".venv/share/man/x.1"])
    files = {"test_a.py": "import p1\n\ndef test(): pass\n", ".gitignore": ".venv\n"}
    run = f"PYTHONPATH={packages} {sys.executable} -m pytest -q test_a.py"
    write = f"touch .venv/new {packages}/new.py; mkdir -p {packages}/__pycache__ build"
    script = [bash(f"{run} && {write}"), _DONE]
    settings = _AUTO | {"shell": {"readable": [sys.prefix, sys.base_prefix]}}
    async with stage(root, files, script, settings) as s:
        await s.ask("Go.")
        assert "1 passed" in s.results(1)["bash"]["content"]
        assert s.port.permissions == []
    for made in ("__pycache__", ".pytest_cache", ".venv/new", "build", f"{packages}/new.py"):
        assert (root / made).exists(), made


@SANDBOXED
async def test_a_build_beside_linked_packages(tmp_path: Path) -> None:
    """As pnpm makes them: a build writes its results and its cache, and no package."""
    store = "node_modules/.pnpm"
    names = [
        f"{store}/p{number % 300}@1/node_modules/p{number % 300}/{number}.js"
        for number in range(2_000)
    ]
    root = _linked(tmp_path, names)
    build = "mkdir -p dist node_modules/.cache && touch dist/a.js node_modules/.cache/a"
    script = [bash(f"{build} && echo evil > {names[7]}"), _DONE]
    async with stage(root, {".gitignore": "node_modules\n"}, script, _AUTO) as s:
        await s.ask("Go.")
        told = s.results(1)["bash"]["content"]
        assert s.port.permissions == []
    assert "[Read-only here, since other files share it by hard links: node_modules/.pnpm" in told
    assert (root / "dist/a.js").exists()
    assert (root / "node_modules/.cache/a").exists()
    assert (tmp_path / "outside/7").read_text() == "text\n"


@SANDBOXED
async def test_too_many_of_the_users_own_are_asked_about(tmp_path: Path) -> None:
    """No folder of theirs is closed instead."""
    root = _linked(tmp_path, [f"src/{number}/a.txt" for number in range(501)])
    script = [bash("touch src/0/new"), bash("echo new > src/1/a.txt", "other"), _DONE]
    async with stage(root, {}, script, _AUTO) as s:
        s.port.permitted = [PermissionAnswer(Choice.DENY), PermissionAnswer(Choice.ONCE)]
        await s.ask("Go.")
        reasons = [request.reasons for request in s.port.permissions]
    assert len(reasons) == 2
    assert reasons[0][0].startswith("Too many files here go by other names elsewhere (hard links)")
    assert reasons[0][1].startswith("src/0/a.txt and 500 more may go by other names elsewhere")
    assert not (root / "src/0/new").exists()
    assert (tmp_path / "outside/1").read_text() == "new\n"


@SANDBOXED
async def test_a_job_is_told_what_it_could_not_change(tmp_path: Path) -> None:
    root = _linked(tmp_path, ["linked"])
    command = {"command": "sleep 0.01; touch linked; mv linked x; echo evil > x"}
    script = [
        Turn(ToolUse("Bash", {**command, "background": True}, "bash")),
        Turn(ToolUse("Bash", {"job": "1", "timeout_seconds": 60}, "look")),
        _DONE,
    ]
    async with stage(root, {}, script, _AUTO) as s:
        await s.ask("Go.")
        told = s.results(2)["look"]["content"]
    assert "[Read-only here, since other files share it by hard links: linked. Only" in told
    assert (tmp_path / "outside/0").read_text() == "text\n"


async def test_they_are_looked_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Sequence[str]] = []

    def find(roots: Sequence[str], tests: Sequence[str], seconds: float) -> set[str]:
        looked.append(roots)
        return find_below(roots, tests, seconds)

    monkeypatch.setattr(hard_links, "find_below", find)
    root = _linked(tmp_path, ["linked"])
    async with stage(root, {}, [bash("touch a"), Turn(Text("Done."))], _AUTO) as s:
        await s.ask("Go.")
    assert len(looked) == (1 if isinstance(FOUND, Bubblewrap) else 0)


def test_few_mounts_for_many_packages(tmp_path: Path) -> None:
    names = [f"site-packages/p{number % 30}/{number}" for number in range(300)]
    root = _linked(tmp_path, [*names, "top"])
    read_only = set(hard_linked_files([str(root)], ()).read_only or ())
    assert len(read_only) <= 100
    assert str(root / "top") in read_only
    assert str(root / "site-packages") not in read_only
    for name in names:
        assert {str(root / name), str((root / name).parent)} & read_only


def test_no_folder_of_the_users_own_is_closed(tmp_path: Path) -> None:
    root = _linked(tmp_path, [f"lib/{number % 30}/{number}" for number in range(300)])
    found = hard_linked_files([str(root)], ())
    assert found.read_only == found.files
    assert len(found.files) == 300


def test_enclosing() -> None:
    def check(paths: str, few: int, expect: str) -> None:
        found = enclosing(paths.split(), few, lambda folder: folder.count("/") > 1)
        assert found == set(expect.split())

    check("/w/a/1 /w/a/2 /w/b", 3, "/w/a/1 /w/a/2 /w/b")
    check("/w/a/1 /w/a/2 /w/b", 2, "/w/a /w/b")
    check("/w/a/x/1 /w/b/y/1 /w/c", 1, "/w/a /w/b /w/c")
    check("/w/1 /w/2 /w/3", 1, "/w/1 /w/2 /w/3")


@pytest.mark.parametrize(
    ("folder", "expect"),
    [
        ("/node_modules/w/node_modules/react", True),
        ("/node_modules/w/a/node_modules/.pnpm/a@1/node_modules", True),
        ("/node_modules/w/.venv/lib/python3/site-packages/p/sub", True),
        ("/node_modules/w/node_modules", False),
        ("/node_modules/w", False),
        ("/node_modules/w/src", False),
        ("/node_modules/w/node_modules/@s", False),  # a root is in it
        ("/node_modules/w/node_modules/@s/root", False),
        ("/node_modules/w/node_modules/@s/root/src", False),
        ("/elsewhere/node_modules/x", False),
    ],
)
def test_packages(folder: str, expect: bool) -> None:
    roots = ["/node_modules/w", "/node_modules/w/node_modules/@s/root"]
    assert is_of_package(folder, roots) is expect


def _linked(top: Path, names: Sequence[str]) -> Path:
    """A workspace with these files, each of which has another name outside it: its number."""
    outside, root = top / "outside", top / "ws"
    outside.mkdir()
    for number, name in enumerate(names):
        (outside / str(number)).write_text("text\n" if not name.endswith(".py") else "")
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        os.link(outside / str(number), root / name)
    return root
