"""`glossator setup`: what is found is listed, and one of it is written into the user's settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.cli.setup import choose_model, offer_of, offers_of, use_offer
from glossator.commands.answers.server import LocalServerList, LocalServerView
from glossator.core.errors import InvalidSettings, UsageError
from glossator.settings import load_settings, user_file
from tests.cli.drawing import drawn

URL = "http://127.0.0.1:11434"
FOUND = LocalServerList(
    (
        LocalServerView("Ollama", "ollama", URL, ("qwen3-coder:30b", "gemma"), ""),
        LocalServerView("LM Studio", "lmstudio", "http://127.0.0.1:1234", ("x",), "Update it."),
    ),
    "offline, no model: no key is set, and no server of your own.",
    True,
)
NOTHING = LocalServerList((), FOUND.model, True)


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def words(answer: LocalServerList) -> str:
    return " ".join(drawn(lambda renderer: renderer.answer(answer)).split())


def test_what_can_be_used_has_a_number() -> None:
    said = words(FOUND)
    assert f"1 Ollama {URL} qwen3-coder:30b" in said
    assert f"2 Ollama {URL} gemma" in said
    assert "LM Studio http://127.0.0.1:1234 Update it." in said
    assert "https://console.anthropic.com/settings/keys" in said
    assert "No server of models was found on this machine" in words(NOTHING)


def test_a_model_is_used_from_then_on(capsys: pytest.CaptureFixture[str]) -> None:
    use_offer(offer_of("gemma", offers_of(FOUND)))
    models = load_settings({}, {}).models
    assert (models.base_url, models.profile, models.main.model) == (URL, "ollama", "gemma")
    assert "gemma answers from now on" in capsys.readouterr().out
    with pytest.raises(InvalidSettings, match="has settings of models already"):
        use_offer(offers_of(FOUND)[0])


@pytest.mark.parametrize("model", ["x", "unknown"])
def test_a_model_that_cannot_be_used_changes_nothing(model: str) -> None:
    with pytest.raises(UsageError, match="No server on this machine has"):
        offer_of(model, offers_of(FOUND))
    assert not user_file().exists()


@pytest.mark.parametrize(
    ("typed", "model"), [("2", "gemma"), ("", None), ("1 ", "qwen3-coder:30b")]
)
def test_one_is_chosen_by_its_number(
    monkeypatch: pytest.MonkeyPatch, typed: str, model: str | None
) -> None:
    monkeypatch.setattr("builtins.input", lambda _: typed)
    chosen = choose_model(offers_of(FOUND))
    assert (chosen and chosen.model) == model


def test_of_two_servers_with_the_same_model_the_chosen_one_is_used(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("builtins.input", lambda _: "2")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    other = "http://127.0.0.1:1234"
    both = (
        LocalServerView("Ollama", "ollama", URL, ("gemma",), ""),
        LocalServerView("LM Studio", "lmstudio", other, ("gemma",), ""),
    )
    chosen = choose_model(offers_of(LocalServerList(both, "", True)))
    assert chosen is not None
    use_offer(chosen)
    assert load_settings({}, {}).models.base_url == other
    assert "ANTHROPIC_BASE_URL is set, which wins" in capsys.readouterr().err


def test_another_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", lambda _: "3")
    with pytest.raises(UsageError, match="Nothing has the number 3"):
        choose_model(offers_of(FOUND))
