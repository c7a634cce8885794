"""Which paths are protected, which are not, and what of a folder a sandbox must keep."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from glossator.permissions.protected import (
    obeyed_at_once,
    own_folders,
    protected_table,
    why_protected,
)


@pytest.mark.parametrize(
    ("paths", "why"),
    [
        (".vscode/settings.json .idea .zed/x .helix .nvim.lua .exrc a.code-workspace", "editors"),
        (".devcontainer/x .devcontainer.json .config/nvim/init.lua .dir-locals.el", "editors"),
        (".git .git/hooks/pre-push a/.git/config bare.git/config .gitmodules .husky", "git"),
        (".pre-commit-config.yaml .lefthook.yml .lefthook.local.json .config/git", "git"),
        (".bashrc .profile .zshenv .envrc .config/fish/config.fish .mise.toml", "shells run"),
        (".npmrc .yarnrc .yarnrc.yml .yarn/x .cargo/config.toml .ssh/config", "other programs"),
        (".github/workflows/x.yml .GitHub/Actions .gitlab-ci.yml .circleci", "pushed"),
        (".mcp.json MCP.json .claude/settings.json .cursor/mcp.json .aider.conf.yml", "agents"),
        ("CLAUDE.md AGENTS.md .github/copilot-instructions.md .clinerules/x", "every later"),
        ("GEMINI.md CLAUDE.local.md AGENTS.override.md QWEN.md CRUSH.md .rules", "every later"),
        ("x.code-workspace", "editors"),
        (".lintstagedrc.js lefthook.yml", "git may run"),
        ("mise.local.toml .mise.local.toml", "shells run"),
        (".glossator .glossator.toml .glossator/x .Glossator-rules", "Glossator's own conf"),
        # a folder that may hold one
        (".github", "pushed"),
        (".config x/.CONFIG", "editors"),
    ],
)
def test_what_is_protected(paths: str, why: str) -> None:
    for path in paths.split():
        for name in (path, path.upper(), f"sub/{path}"):
            reason = why_protected(f"/ws/{name}")
            assert reason is not None, name
            assert why in reason


@pytest.mark.parametrize(
    "path",
    """.editorconfig Makefile package.json .gitignore .gitattributes .env .github/CODEOWNERS
    src/vscode/x git .gitx/y a.github .config/other/x workflows/x README.md claude.mdx tests/mcp
    x.code-workspace.bak .prettierrc .eslintrc.js conftest.py glossator.toml""".split(),
)
def test_what_is_not_protected(path: str) -> None:
    assert why_protected(f"/ws/{path}") is None


def test_our_own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("CONFIG", "STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind))
    own = own_folders()
    assert len(own) == 3
    for folder in own:
        for path in (folder, f"{folder}/grants.json", folder.upper(), os.path.dirname(folder)):
            assert why_protected(path, own) == "it is Glossator's own folder"
        assert why_protected(f"{folder}-other/x", own) is None


def test_every_row_says_why_and_is_in_small_letters() -> None:
    rows = protected_table()
    assert len({row.names for row in rows}) == len(rows), "no path twice"
    for row in rows:
        assert row.reason
        assert all(name == name.lower() and name for name in row.names)


def test_what_is_obeyed_at_once_is_protected() -> None:
    paths = obeyed_at_once("/ws")
    assert {"/ws/.git", "/ws/.vscode", "/ws/.claude"} <= set(paths)
    assert all(map(why_protected, paths))
