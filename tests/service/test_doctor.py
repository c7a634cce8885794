"""Doctor tells what is wrong before an ask runs into it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from glossator.service.application import Application
from glossator.service.doctor import DoctorRequest, doctor
from glossator.settings.load import load_settings
from tests.stage import Recorder
from tests.standin import StandIn

KEY = {"ANTHROPIC_API_KEY": "k"}


async def diagnose(
    root: Path,
    environment: Mapping[str, str],
    problems: tuple[str, ...] = (),
    workspace: dict[str, Any] | None = None,
    **models: Any,
) -> dict[str, tuple[str, str]]:
    """The checks by name: state, and what to do or else what was found."""
    options = {"models": models, "workspace": workspace or {}}
    settings = load_settings(options, environment, file=root / "none.toml")
    app = Application((str(root),), settings, Recorder(), "utf-16", environment, problems)
    await app.start()
    try:
        answer = await doctor(app, DoctorRequest())
    finally:
        await app.close()
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


async def test_a_ripgrep_that_was_named_but_does_not_work(tmp_path: Path) -> None:
    named = await diagnose(tmp_path, {}, workspace={"ripgrep": "/nowhere/rg"})
    assert named["ripgrep"][0] == "warning"
    assert "Set workspace.ripgrep to auto" in named["ripgrep"][1]
    off = await diagnose(tmp_path, {}, workspace={"ripgrep": "off"})
    assert off["ripgrep"][0] == "ok"
