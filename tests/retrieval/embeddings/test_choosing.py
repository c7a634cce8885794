"""Which embedder the settings ask for, and where code may be sent."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from glossator.core.errors import EmbeddingFailed
from glossator.retrieval import EmbedderChoice, VectorPlace
from glossator.retrieval.embeddings import choice, local
from glossator.retrieval.embeddings.choice import choose, place_of
from glossator.settings import Settings, load_settings
from tests.retrieval.embeddings.servers import KEY, static_files

KEYS = {"VOYAGE_API_KEY": KEY, "OPENAI_API_KEY": KEY}
OWN = "http://127.0.0.1:1234/v1"


def chosen(environment: dict[str, str] | None = None, **retrieval: Any) -> EmbedderChoice | None:
    return choose(Settings.model_validate({"retrieval": retrieval}), environment or {})


def without(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    for module in (choice, local):
        monkeypatch.setattr(
            module, "find_spec", lambda name: None if name == package else find_spec(name)
        )


def test_by_default_the_local_one_if_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen() == EmbedderChoice("local", local.MODEL_ID)
    assert chosen(embedder="none") is None
    without(monkeypatch, "onnxruntime")
    assert chosen() is None
    with pytest.raises(EmbeddingFailed, match=r"glossator\[embeddings\]"):
        chosen(embedder="local")


def test_searching_vectors_needs_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "usearch")
    assert chosen() is None
    with pytest.raises(EmbeddingFailed, match=r"glossator\[vectors\]"):
        chosen(KEYS, embedder="voyage")


@pytest.mark.parametrize(
    ("retrieval", "url", "variable", "model"),
    [
        ({"embedder": "voyage"}, "https://api.voyageai.com/v1", "VOYAGE_API_KEY", "voyage-code-3"),
        (
            {"embedder": "openai", "embeddingModel": "text-embedding-3-large"},
            "https://api.openai.com/v1",
            "OPENAI_API_KEY",
            "text-embedding-3-large",
        ),
        (
            {"embedder": "openai", "embeddingModel": "nomic", "embeddingUrl": OWN + "/"},
            OWN,
            "GLOSSATOR_EMBEDDING_KEY",
            "nomic",
        ),
    ],
    ids=range(3),
)
def test_an_api(retrieval: dict[str, str], url: str, variable: str, model: str) -> None:
    choice = chosen({**KEYS, "GLOSSATOR_EMBEDDING_KEY": "own"}, **retrieval)
    assert choice
    assert choice.access
    assert (choice.access.url, choice.access.variable, choice.model) == (url, variable, model)
    assert choice.access.key == ("own" if url == OWN else KEY)
    assert choice.model_id == f"{choice.kind}:{choice.access.server}:{model}"


def test_a_provider_s_key_is_not_sent_to_another_server() -> None:
    choice = chosen(KEYS, embedder="openai", embeddingModel="nomic", embeddingUrl=OWN)
    assert choice
    assert choice.access
    assert choice.access.key == ""


@pytest.mark.parametrize(
    ("environment", "retrieval", "says"),
    [
        ({}, {"embedder": "voyage"}, r"api\.voyageai\.com\. Set .* VOYAGE_API_KEY"),
        ({"VOYAGE_API_KEY": "  "}, {"embedder": "voyage"}, r"No key"),
        ({"OPENAI_API_KEY": "a\nb"}, {"embedder": "openai"}, r"OPENAI_API_KEY holds characters"),
        ({}, {"embedder": "openai", "embeddingUrl": OWN}, r"Set retrieval\.embeddingModel"),
        (
            {},
            {"embedder": "openai", "embeddingModel": "m", "embeddingUrl": "ftp://x"},
            r"Write it as https://",
        ),
        ({}, {"embedder": "static"}, r"Set retrieval\.embeddingPath"),
        ({}, {"embedder": "static", "embeddingPath": "/nowhere"}, r"/nowhere cannot be read"),
    ],
    ids=range(7),
)
def test_what_cannot_be_had(
    environment: dict[str, str], retrieval: dict[str, str], says: str
) -> None:
    with pytest.raises(EmbeddingFailed, match=says) as caught:
        chosen(environment, **retrieval)
    assert KEY not in str(caught.value)


def test_nothing_is_sent_while_models_are_off() -> None:
    settings = Settings.model_validate(
        {"retrieval": {"embedder": "voyage"}, "models": {"offline": True}}
    )
    with pytest.raises(EmbeddingFailed, match=r"models\.offline is set"):
        choose(settings, KEYS)


def test_static_embeddings(tmp_path: Path) -> None:
    folder = static_files(tmp_path / "model")
    choice = chosen(embedder="static", embeddingPath=str(folder))
    assert choice
    assert choice.kind == "static"
    assert choice.model_id.startswith("static:model:")


@pytest.mark.parametrize(
    ("environment", "proxy"),
    [
        ({}, ""),
        ({"HTTPS_PROXY": "http://proxy:8080"}, "http://proxy:8080"),
        ({"all_proxy": "http://proxy:1"}, "http://proxy:1"),
        ({"https_proxy": "http://proxy:1", "no_proxy": "localhost,.voyageai.com"}, ""),
        ({"HTTP_PROXY": "http://proxy:1"}, ""),
    ],
    ids=range(5),
)
def test_proxies_of_the_environment(environment: dict[str, str], proxy: str) -> None:
    choice = chosen(KEYS | environment, embedder="voyage")
    assert choice
    assert choice.access
    assert choice.access.proxy == proxy


def test_a_workspace_cannot_say_where_code_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with models.baseUrl: no file of a workspace is read, and VS Code reads no such setting."""
    (tmp_path / ".vscode").mkdir()
    evil = {"glossator.retrieval.embedder": "openai", "glossator.retrieval.embeddingUrl": OWN}
    (tmp_path / ".vscode" / "settings.json").write_text(json.dumps(evil))
    table = f'[retrieval]\nembedder = "openai"\nembeddingUrl = "{OWN}"\n'
    for name in ("config.toml", "glossator.toml", ".glossator.toml"):
        (tmp_path / name).write_text(table)
    monkeypatch.chdir(tmp_path)
    settings = load_settings(None, {}, tmp_path / "the users own.toml")
    assert settings.retrieval == Settings().retrieval

    manifest = json.loads((Path(__file__).parents[3] / "vscode-client/package.json").read_text())
    declared = {
        name: setting
        for group in manifest["contributes"]["configuration"]
        for name, setting in group["properties"].items()
        if name.startswith("glossator.retrieval.")
    }
    assert "glossator.retrieval.embeddingUrl" in declared
    assert {setting["scope"] for setting in declared.values()} == {"machine"}


def place(
    environment: dict[str, str], *, offline: bool = False, **retrieval: object
) -> VectorPlace:
    settings = Settings.model_validate({"retrieval": retrieval, "models": {"offline": offline}})
    return place_of(settings, environment, "a:model", "/vectors.db", 10)


def test_vectors_are_on_this_machine_unless_a_milvus_is_named() -> None:
    here = place({"MILVUS_TOKEN": KEY})
    assert (here.milvus, here.leaves_machine, here.in_words) == (None, False, "on this machine")
    there = place({"MILVUS_TOKEN": KEY}, vectorStore="https://milvus.example:19530")
    assert there.milvus is not None
    assert there.milvus.key == KEY
    assert there.leaves_machine
    assert there.in_words == "in Milvus (milvus.example:19530)"
    lite = place({}, vectorStore="~/team.db")
    assert lite.milvus is not None
    assert lite.milvus.url == os.path.expanduser("~/team.db")
    assert not lite.leaves_machine


@pytest.mark.parametrize(
    ("store", "offline", "told"),
    [
        ("milvus.example:19530", False, r"retrieval\.vectorStore is not the address of a server"),
        ("https://root:secret@milvus.example", False, "Set the environment variable MILVUS_TOKEN"),
        ("https://milvus.example:19530", True, r"but models\.offline is set"),
    ],
)
def test_a_milvus_that_cannot_be_had(store: str, offline: bool, told: str) -> None:
    with pytest.raises(EmbeddingFailed, match=told) as raised:
        place({}, offline=offline, vectorStore=store)
    assert "secret" not in str(raised.value)


def test_a_milvus_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "find_spec", lambda _: None)
    with pytest.raises(EmbeddingFailed, match=r"pip install 'glossator\[milvus\]'"):
        place({}, vectorStore="https://milvus.example:19530")
