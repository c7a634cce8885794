"""Which servers are found, and which are not started."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from glossator.core.code import OF_ALL_FILES, CodeKind
from glossator.language_servers.known import find_servers, missing_servers, scripts_lack
from glossator.settings.groups import LanguageServerSettings
from tests.language_servers.asked import asked, scripted

AUTO = LanguageServerSettings()
FILES = {"a.py": "def name(): pass\n"}


def program(folder: Path, name: str, text: str = "#!/bin/sh\nexit 1\n") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


def names(found: object) -> dict[str, list[str]]:
    assert isinstance(found, dict)
    return {language: [each.name for each in servers] for language, servers in found.items()}


def test_by_preference_with_what_finds_faults_beside(tmp_path: Path) -> None:
    for name in ("pylsp", "pyright-langserver", "ruff", "gopls"):
        program(tmp_path / "bin", name)
    found = find_servers(AUTO, {"PATH": str(tmp_path / "bin")}, ())
    assert names(found) == {"python": ["pyright", "ruff"], "go": ["gopls"]}
    assert found["python"][0].words == (str(tmp_path / "bin" / "pyright-langserver"), "--stdio")


@pytest.mark.parametrize(("version", "found"), [("7.0.2", True), ("6.0.1", False), ("", False)])
def test_the_compiler_of_typescript_is_a_server_since_its_version_7(
    tmp_path: Path, version: str, found: bool
) -> None:
    package = tmp_path / "lib" / "node_modules" / "typescript"
    compiler = program(package / "bin", "tsc")
    if version:
        (package / "package.json").write_text(f'{{"version": "{version}"}}')
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "tsc").symlink_to(compiler)
    there = find_servers(AUTO, {"PATH": str(tmp_path / "bin")}, ())
    languages = {"javascript": ["tsc"], "tsx": ["tsc"], "typescript": ["tsc"]}
    assert names(there) == (languages if found else {})


def test_nothing_of_the_workspace_is_found(tmp_path: Path) -> None:
    """Not by its folders on the PATH, relative ones, nor by links to them or out of them."""
    root = tmp_path / "ws"
    own = program(root / "node_modules" / ".bin", "pyright-langserver")
    program(root / ".venv" / "bin", "pylsp")
    outside = tmp_path / "bin"
    outside.mkdir()
    (outside / "gopls").symlink_to(own)
    (tmp_path / "link").symlink_to(root / ".venv" / "bin")
    folders = (own.parent, root / ".venv" / "bin", tmp_path / "link", outside, "node_modules/.bin")
    path = os.pathsep.join(map(str, folders))
    assert find_servers(AUTO, {"PATH": path}, (str(root),)) == {}


def test_what_the_user_names_is_taken(tmp_path: Path) -> None:
    own = program(tmp_path / "ws" / "tools", "my-server")
    program(tmp_path / "bin", "ruff")
    program(tmp_path / "bin", "tsgo")
    commands = {"python": f"{own} --fast", "typescript": "", "go": "no-such-server"}
    settings = LanguageServerSettings(commands=commands)
    found = find_servers(settings, {"PATH": str(tmp_path / "bin")}, (str(tmp_path / "ws"),))
    assert names(found) == {"python": ["my-server", "ruff"]}
    assert found["python"][0].words == (str(own), "--fast")
    assert missing_servers(settings, {"PATH": ""}) == {"no-such-server": ["go"]}


def test_a_known_one_is_named_without_its_arguments(tmp_path: Path) -> None:
    program(tmp_path / "bin", "pyright-langserver")
    program(tmp_path / "bin", "basedpyright-langserver")
    settings = LanguageServerSettings(commands={"python": "pyright-langserver"})
    [found] = find_servers(settings, {"PATH": str(tmp_path / "bin")}, ())["python"]
    assert found.name == "pyright"
    assert found.words[1:] == ("--stdio",)


@pytest.mark.parametrize("commands", [{"cobol": "x"}, {"python": "'open"}])
def test_settings_that_mean_nothing_are_refused(commands: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        LanguageServerSettings(commands=commands)


@pytest.mark.parametrize(
    ("server", "file", "project"),
    [
        ("clangd", "src/a.c", "compile_commands.json"),
        ("clangd", "src/a.c", "build/compile_commands.json"),
        ("gopls", "cmd/a.go", "go.mod"),
        ("rust-analyzer", "src/a.rs", "Cargo.toml"),
        ("tsgo", "src/a.ts", "src/tsconfig.json"),
        ("tsgo", "src/a.js", "jsconfig.json"),
    ],
)
async def test_without_its_project_a_server_does_not_know_all_files(
    tmp_path: Path, server: str, file: str, project: str
) -> None:
    """Then only outlines are true: of a project unknown to it a server shows what is open."""
    program(tmp_path / "bin", server)
    root = tmp_path / "ws"
    async with asked(root, {file: "name\n"}, path=str(tmp_path / "bin")) as ws:
        for kind in OF_ALL_FILES:
            told = await ws.ask(kind, file, "", new_name="other")
            assert str(told).startswith(f"{server} finds no ")
            assert Path(project).name in str(told)
        (state,) = ws.servers.states()
        assert state.state == "not started yet"
        ws.write(project, "{}")
        assert "finds no" not in str(await ws.ask(CodeKind.REFERENCES, file, ""))


def test_an_editors_servers_need_a_project_of_scripts(tmp_path: Path) -> None:
    path = str(tmp_path / "src" / "a.js")
    assert scripts_lack("VS Code", path) == (
        "VS Code finds no tsconfig.json or jsconfig.json, so it does not know all files"
    )
    (tmp_path / "tsconfig.json").write_text("{}")
    assert scripts_lack("VS Code", path) == ""


async def test_off(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with asked(root, FILES, scripted(root, "plain"), enabled="off") as ws:
        assert await ws.ask(CodeKind.REFERENCES, "a.py", "def ") == ""
        assert not ws.servers.are_there
        assert not ws.servers.tells_diagnostics
        assert await ws.servers.diagnostics((), 1) is None


async def test_no_server_for_a_language(tmp_path: Path) -> None:
    async with asked(tmp_path / "ws", {"a.go": "func name() {}\n"}, path="/nowhere") as ws:
        assert await ws.ask(CodeKind.REFERENCES, "a.go", "func ") == ""
        assert not ws.servers.are_there


async def test_untrusted_folders_start_nothing(tmp_path: Path) -> None:
    root, written = tmp_path / "ws", tmp_path / "written"
    server = program(root, "server", f"#!/bin/sh\ntouch {written}\n")
    async with asked(root, FILES, {"python": str(server)}) as ws:
        ws.trusted = False
        said = await ws.ask(CodeKind.REFERENCES, "a.py", "def ")
        assert said == "these folders are not trusted"
        assert await ws.servers.diagnostics((), 1) is None
        assert {each.state for each in ws.servers.states()} == {"not started yet"}
    assert not written.exists()


async def test_without_a_sandbox_only_what_the_user_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from glossator.sandbox import workspace_shell  # noqa: PLC0415
    from glossator.sandbox.confinement import Unavailable  # noqa: PLC0415

    monkeypatch.setattr(workspace_shell, "find_sandbox", lambda: Unavailable("None here."))
    root, written = tmp_path / "ws", tmp_path / "written"
    program(tmp_path / "bin", "pylsp", f"#!/bin/sh\ntouch {written}\n")
    async with asked(root, FILES, path=f"{tmp_path}/bin:/usr/bin:/bin") as ws:
        said = await ws.ask(CodeKind.REFERENCES, "a.py", "def ")
        assert isinstance(said, str)
        assert "only a server that the setting languageServers.commands names" in said
        assert ws.notices == []
    assert not written.exists()
    async with asked(root, FILES, scripted(root, "plain")) as ws:
        assert (await ws.answer(CodeKind.REFERENCES, "a.py", "def ")).places
        [hello] = [
            each["params"]
            for each in (await ws.heard("a.py", "def "))["heard"]
            if each["method"] == "initialize"
        ]
        assert hello["processId"] == os.getpid()  # it ends with us
