"""Settings: which source wins, and how a wrong one is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glossator.core.errors import InvalidSettings
from glossator.settings.load import load_settings, use_server, user_file
from glossator.settings.model import Settings

Sources = dict[str, Any]


def load(tmp_path: Path, sources: Sources) -> Settings:
    file = tmp_path / "config.toml"
    if "file" in sources:
        file.write_text(sources["file"], "utf-8")
    return load_settings(sources.get("client"), sources.get("environment", {}), file)


FILE = '[models.main]\nmodel = "from-file"\neffort = "low"\n[limits]\nturns = 5\n'
ENVIRONMENT = {"GLOSSATOR_MODEL": "from-environment"}
CLIENT = {"models": {"main": {"model": "from-client"}}}


@pytest.mark.parametrize(
    ("sources", "model", "effort", "turns"),
    [
        ({}, Settings().models.main.model, None, 40),
        ({"file": FILE}, "from-file", "low", 5),
        ({"file": FILE, "environment": ENVIRONMENT}, "from-environment", "low", 5),
        ({"file": FILE, "environment": ENVIRONMENT, "client": CLIENT}, "from-client", "low", 5),
        ({"client": CLIENT}, "from-client", None, 40),
        ({"client": {"limits": {"turns": 7}}, "file": FILE}, "from-file", "low", 7),
        ({"file": FILE, "environment": {"GLOSSATOR_MODEL": ""}}, "from-file", "low", 5),
    ],
    ids=range(7),
)  # fmt: skip
def test_a_later_source_wins_field_by_field(
    tmp_path: Path, sources: Sources, model: str, effort: str | None, turns: int
) -> None:
    settings = load(tmp_path, sources)
    assert settings.models.main.model == model
    assert settings.models.main.effort == effort
    assert settings.limits.turns == turns


@pytest.mark.parametrize(
    ("text", "offline"),
    [("1", True), ("true", True), ("yes", True), ("0", False), ("False", False), ("", False)],
)
def test_booleans_from_the_environment(tmp_path: Path, text: str, offline: bool) -> None:
    settings = load(tmp_path, {"environment": {"GLOSSATOR_OFFLINE": text}})
    assert settings.models.offline is offline


@pytest.mark.parametrize("unset", ["", "  ", None])
def test_an_empty_text_is_none(tmp_path: Path, unset: str | None) -> None:
    client = {"models": {"baseUrl": unset}, "context": {"language": unset}, "store": {"url": unset}}
    settings = load(tmp_path, {"file": '[models]\nregion = ""\n', "client": client})
    models = settings.models
    found = (models.base_url, models.region, settings.context.language, settings.store.url)
    assert found == (None, None, None, None)


def test_a_text_that_is_too_long_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match=r"context\.language"):
        load(tmp_path, {"client": {"context": {"language": "x" * 61}}})


def test_on_a_server_of_one_s_own_a_role_that_nobody_named_is_known_as_such(tmp_path: Path) -> None:
    client = {"models": {"profile": "ollama", "main": {"effort": "low"}}}
    models = load(tmp_path, {"client": client}).models
    assert {"main", "fast"} & models.model_fields_set == {"main"}
    defaults = Settings().models
    assert (models.main.model, models.fast) == (defaults.main.model, defaults.fast)


def test_every_variable(tmp_path: Path) -> None:
    names = {
        "ANTHROPIC_BASE_URL": "http://localhost:1",
        "GLOSSATOR_BACKEND": "bedrock",
        "GLOSSATOR_PROFILE": "ollama",
        "GLOSSATOR_MODEL": "a",
        "GLOSSATOR_FAST_MODEL": "b",
    }
    models = load(tmp_path, {"environment": names}).models
    values = [models.base_url, models.backend, models.profile, models.main.model, models.fast.model]
    assert values == list(names.values())


@pytest.mark.parametrize(
    ("sources", "says"),
    [
        ({"file": "[limits]\nturns = 0\n"}, ["config.toml", "limits.turns"]),
        ({"file": "[limits]\nturn = 1\n"}, ["config.toml", "limits.turn:", "not permitted"]),
        ({"file": "limits = 3\n"}, ["config.toml", "limits:"]),
        ({"file": "not toml"}, ["config.toml", "cannot be read as TOML"]),
        ({"environment": {"GLOSSATOR_OFFLINE": "maybe"}}, ["the environment", "models.offline"]),
        ({"environment": {"GLOSSATOR_BACKEND": "x"}}, ["the environment", "models.backend"]),
        ({"client": {"colour": "red"}}, ["the editor's settings", "colour"]),
        ({"client": {"models": {"maxRetries": 99}}}, ["the editor's", "models.maxRetries"]),
        ({"client": {"models": None}}, ["the editor's settings", "models"]),
        ({"client": {"models": {"main": "x"}}}, ["the editor's settings", "models.main"]),
        ({"file": FILE, "client": {"x": 1}}, ["the editor's settings"]),
        (
            {"file": '[files.encodings]\n"*.c" = "gb1803"'},
            ["config.toml", "files.encodings.*.c: 'gb1803' is no", "did you mean gb18030?"],
        ),
        ({"client": {"files": {"encodings": {"a": "utf-16"}}}}, ["byte-order mark", "Leave it"]),
        ({"client": {"files": {"encodings": {"{a": "gbk"}}}}, ["has a { without its }"]),
    ],
    ids=range(14),
)  # fmt: skip
def test_a_wrong_setting_is_named_with_its_source(
    tmp_path: Path, sources: Sources, says: list[str]
) -> None:
    with pytest.raises(InvalidSettings) as caught:
        load(tmp_path, sources)
    for words in [*says, "Correct"]:
        assert words in str(caught.value)


def test_encodings_keep_their_order_and_have_one_name(tmp_path: Path) -> None:
    file = '[files.encodings]\n"legacy/**" = "GB18030"\n"*.ini" = "windows-1251"'
    client = {"files": {"encodings": {"*.txt": "Shift_JIS"}}}
    found = load(tmp_path, {"file": file, "client": client}).files.encodings
    expected = [("legacy/**", "gb18030"), ("*.ini", "cp1251"), ("*.txt", "cp932")]
    assert list(found.items()) == expected


def test_names_are_spelled_in_one_way(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match=r"workspace\.max_file_bytes"):
        load(tmp_path, {"client": {"workspace": {"max_file_bytes": 5}}})


def test_a_password_in_an_address_is_not_shown(tmp_path: Path) -> None:
    url = "rediss://team:secret@cache.lan/0"
    assert "secret" not in repr(load(tmp_path, {"client": {"store": {"url": url}}}))
    with pytest.raises(InvalidSettings, match=r"store\.url") as caught:
        load(tmp_path, {"client": {"store": {"url": [url]}}})
    assert "secret" not in str(caught.value)
    assert "secret" not in str(caught.value.__cause__)


@pytest.mark.parametrize(
    "before", [None, "", "[limits]\nturns = 5", "# mine\n[limits]\nturns = 5\n"]
)
def test_a_server_is_written_into_the_user_s_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str | None
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    if before is not None:
        user_file().parent.mkdir()
        user_file().write_text(before, "utf-8")
    path = use_server("http://127.0.0.1:11434", "ollama", 'a "b"')
    models = load_settings({}, {}).models
    assert (models.base_url, models.profile) == ("http://127.0.0.1:11434", "ollama")
    assert models.main.model == 'a "b"'
    assert path.read_text("utf-8").startswith(before or "[models]")


def test_settings_of_models_are_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    user_file().parent.mkdir()
    user_file().write_text("[models]\noffline = true\n", "utf-8")
    with pytest.raises(InvalidSettings, match='profile = "ollama"'):
        use_server("http://127.0.0.1:11434", "ollama", "qwen")
    assert user_file().read_text("utf-8") == "[models]\noffline = true\n"
