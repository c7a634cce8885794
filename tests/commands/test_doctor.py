"""Doctor tells what is wrong before an ask runs into it."""

from __future__ import annotations

import asyncio
import fcntl
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from glossator.application.application import Application
from glossator.commands import doctor as doctor_module
from glossator.commands.doctor import DoctorRequest, doctor
from glossator.core.errors import UsageError
from glossator.permissions.trust import forget_folder, remember_folder
from glossator.sandbox.bubblewrap import Bubblewrap
from glossator.sandbox.confinement import Unavailable
from glossator.settings.load import load_settings
from glossator.workspace.files import state_folder
from tests.patience import SECONDS, until
from tests.stage import Recorder
from tests.standin import StandIn

_NOW = DoctorRequest()
KEY = {"ANTHROPIC_API_KEY": "k"}


@asynccontextmanager
async def opened(
    *roots: Path,
    environment: Mapping[str, str] = MappingProxyType({}),
    problems: tuple[str, ...] = (),
    **options: Any,
) -> AsyncIterator[Application]:
    settings = load_settings(options, environment, file=roots[0] / "none.toml")
    folders = tuple(map(str, roots))
    app = Application(folders, settings, Recorder(), "utf-16", environment, problems)
    await app.start()
    try:
        yield app
    finally:
        await app.close()


async def diagnose(
    root: Path,
    environment: Mapping[str, str],
    problems: tuple[str, ...] = (),
    workspace: dict[str, Any] | None = None,
    **models: Any,
) -> dict[str, tuple[str, str]]:
    """The checks by name: state, and what to do or else what was found."""
    options = {"models": models, "workspace": workspace or {}}
    async with opened(root, environment=environment, problems=problems, **options) as app:
        answer = await doctor(app, _NOW)
    return {check.name: (check.state, check.next_step or check.detail) for check in answer.checks}


@pytest.mark.parametrize(
    ("environment", "models", "state", "says"),
    [
        ({}, {}, "warning", "Set ANTHROPIC_API_KEY"),
        ({}, {"offline": True}, "ok", "offline"),
        (KEY, {"baseUrl": "not a url"}, "failed", "models.baseUrl is not the address"),
        (KEY, {"baseUrl": "http://127.0.0.1:1"}, "failed", "cannot be reached"),
        (KEY, {"backend": "bedrock", "region": "x"}, "failed", "pip install"),
        ({}, {"backend": "foundry"}, "failed", "needs a key"),
        (
            KEY,
            {"profile": "ollama", "fast": {"model": "x", "effort": "low"}},
            "failed",
            "models.fast.effort is low, but a server with the profile ollama takes no effort.",
        ),
    ],
)
async def test_the_model(
    tmp_path: Path, environment: dict[str, str], models: dict[str, Any], state: str, says: str
) -> None:
    found, words = (await diagnose(tmp_path, environment, **models))["Model"]
    assert found == state
    assert says in words


async def test_a_model_within_reach(tmp_path: Path) -> None:
    async with StandIn() as api:
        checks = await diagnose(tmp_path, KEY, baseUrl=api.base_url)
        assert checks["Model"][0] == "ok"
        assert api.requests == []


async def test_settings_that_were_left_out(tmp_path: Path) -> None:
    checks = await diagnose(tmp_path, {}, ("config.toml cannot be read as TOML. Correct it.",))
    assert checks["Settings"] == ("failed", "config.toml cannot be read as TOML. Correct it.")


async def test_the_workspace(tmp_path: Path) -> None:
    assert (await diagnose(tmp_path, {}))["Workspace"][0] == "warning"
    (tmp_path / "a.py").write_text("")
    assert (await diagnose(tmp_path, {}))["Workspace"] == ("ok", f"1 file in {tmp_path}")


async def test_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "ws" / "root"
    root.mkdir(parents=True)
    state, next_step = (await diagnose(root, {}))["Trust"]
    assert state == "warning"
    assert f"Trust it with `glossator trust {root}`, or at a terminal for" in next_step
    remember_folder(str(root.parent))
    found = (await diagnose(root, {}))["Trust"]
    assert found == ("ok", f"{root} is trusted, as {root.parent} is remembered")
    forget_folder(str(root.parent))
    async with opened(root) as app:
        app.acting.trust.trust.trust_for_session([str(root)])
        (check,) = [c for c in (await doctor(app, _NOW)).checks if c.name == "Trust"]
    assert (check.state, check.detail) == ("ok", f"{root} is trusted for this session")


async def test_a_language_server_that_was_named_but_is_not_there(tmp_path: Path) -> None:
    async with opened(tmp_path, languageServers={"commands": {"c": "gone -x"}}) as app:
        found = [each for each in (await doctor(app, _NOW)).checks if each.state == "warning"]
    (check,) = [each for each in found if each.name == "Language servers"]
    assert check.detail == "gone for c is not there"
    assert "languageServers.commands" in check.next_step


@pytest.mark.skipif(sys.platform != "linux", reason="inotify exists on Linux only")
async def test_folders_that_are_not_watched(tmp_path: Path) -> None:
    for roots in ((tmp_path, tmp_path / "gone"), (tmp_path / "gone",)):
        async with opened(*roots) as app:
            (check,) = [c for c in (await doctor(app, _NOW)).checks if c.name == "File events"]
            assert check.state == "warning"
            assert str(tmp_path / "gone") in check.detail
            assert "noticed only by sweeps" in check.next_step
    assert (await diagnose(tmp_path, {}))["File events"] == ("ok", "inotify: 1 folders")


async def test_an_index_that_another_server_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "root"
    root.mkdir()
    async with opened(root) as app, asyncio.timeout(SECONDS):
        await app.ready()
        with (state_folder.prepare_index_folder(str(root)) / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with pytest.raises(UsageError, match="Another server"):
                await app.host.index_manager.rebuild()
            (check,) = [c for c in (await doctor(app, _NOW)).checks if c.name == "Index"]
        assert (check.state, check.detail) == ("warning", "0 files in it, 0 read by every search")
        assert "wait until it is done" in check.next_step


async def test_an_index_that_cannot_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    state, next_step = (await diagnose(tmp_path, {}))["Index"]
    assert state == "warning"
    assert "keeps the index off the disk" in next_step


async def test_a_ripgrep_that_was_named_but_does_not_work(tmp_path: Path) -> None:
    named = await diagnose(tmp_path, {}, workspace={"ripgrep": "/nowhere/rg"})
    assert named["ripgrep"][0] == "warning"
    assert "Set workspace.ripgrep to auto" in named["ripgrep"][1]
    off = await diagnose(tmp_path, {}, workspace={"ripgrep": "off"})
    assert off["ripgrep"][0] == "ok"


async def test_a_sandbox_that_works_or_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bubblewrap = Bubblewrap("/usr/bin/bwrap", (), modern=True)
    monkeypatch.setattr(doctor_module, "find_sandbox", lambda: bubblewrap)
    assert (await diagnose(tmp_path, {}))["Sandbox"] == ("ok", "bubblewrap works")
    monkeypatch.setattr(doctor_module, "find_sandbox", lambda: Unavailable("Install bubblewrap."))
    assert (await diagnose(tmp_path, {}))["Sandbox"] == ("warning", "Install bubblewrap.")


async def test_what_embeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "root"
    root.mkdir()

    async def embeddings(**retrieval: str) -> tuple[str, str]:
        async with opened(root, retrieval=retrieval) as app:
            (check,) = [c for c in (await doctor(app, _NOW)).checks if c.name == "Embeddings"]
            return check.state, check.next_step or check.detail

    assert await embeddings(embedder="none") == ("ok", "off: no embedder is chosen")
    state, next_step = await embeddings(embedder="static")
    assert state == "warning"
    assert "retrieval.embeddingPath" in next_step
    server = {"embedder": "openai", "embeddingUrl": "http://127.0.0.1:1", "embeddingModel": "m"}
    state, detail = await embeddings(**server)
    assert state == "ok"
    assert detail.endswith("; vectors on this machine; neither was used yet")
    state, next_step = await embeddings(**server, vectorStore="http://user:word@127.0.0.1:1")
    assert state == "warning"
    assert "must not hold a password" in next_step


async def test_an_embedder_out_of_reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("def zebra():\n    return 1\n")
    server = {"embedder": "openai", "embeddingUrl": "http://127.0.0.1:1", "embeddingModel": "m"}
    async with opened(root, retrieval=server) as app, asyncio.timeout(SECONDS):
        await app.ready()
        await app.retriever.index.settle()
        await until(lambda: app.retriever.embedding is not None)
        assert app.retriever.embedding is not None
        assert await app.retriever.embedding.question("zebra?") is None
        (check,) = [c for c in (await doctor(app, _NOW)).checks if c.name == "Embeddings"]
    assert check.state == "warning"
    assert "Search goes by words alone" in check.next_step
    assert check.next_step not in check.detail
