"""Which model is made for which settings and environment, and what is said about it."""

import subprocess
import sys
from typing import Any

import pytest

from glossator.core.errors import ModelRefused
from glossator.llm.backends import client_factory, credential_errors
from glossator.llm.models import create_model, describe_models, fast_role, has_key
from glossator.settings.models import ModelSettings, Profile
from tests.llm.asking import ENVIRONMENT, KEY


@pytest.mark.parametrize(
    ("settings", "environment", "offline", "said"),
    [
        ({}, {}, True, "no key is set"),
        ({}, {"ANTHROPIC_API_KEY": "  "}, True, "no key is set"),
        ({"offline": True}, ENVIRONMENT, True, "models.offline is set"),
        ({}, ENVIRONMENT, False, "claude-sonnet-5-5 (main), claude-haiku-5-5 (fast)"),
        ({"base_url": "http://u:p@box:1/x"}, {}, False, "at box:1, without a key"),
        ({"base_url": "http://box", "profile": "vllm"}, ENVIRONMENT, False, "at box, as vllm"),
        ({"backend": "bedrock"}, {}, False, "at Bedrock, without a key"),
        ({"backend": "vertex"}, {}, False, "at Vertex"),
    ],
)
def test_models(
    settings: dict[str, Any], environment: dict[str, str], offline: bool, said: str
) -> None:
    chosen = ModelSettings(**settings)
    assert create_model("main", chosen, environment).offline is offline
    description = describe_models(chosen, environment)
    assert said in description
    assert description.startswith("offline") is offline
    assert KEY not in description


def test_each_role_has_its_model() -> None:
    settings = ModelSettings()
    ids = [create_model(role, settings, ENVIRONMENT).id for role in ("main", "fast")]
    assert ids == ["claude-sonnet-5-5", "claude-haiku-5-5"]
    assert has_key(settings, ENVIRONMENT)
    assert not has_key(settings, {})


@pytest.mark.parametrize(
    ("settings", "environment", "said"),
    [
        ({"backend": "bedrock"}, {}, r"pip install 'glossator\[bedrock\]'"),
        ({"backend": "vertex"}, {}, r"pip install 'glossator\[vertex\]'"),
        ({"backend": "foundry"}, {}, "ANTHROPIC_FOUNDRY_API_KEY"),
        ({"backend": "foundry"}, {"ANTHROPIC_FOUNDRY_API_KEY": "k"}, r"models\.project"),
        ({"base_url": "localhost:1234"}, {}, r"https://host:port"),
        ({"base_url": "http://"}, {}, r"models\.baseUrl"),
    ],
)
def test_what_a_client_lacks_is_named(
    settings: dict[str, Any], environment: dict[str, str], said: str
) -> None:
    with pytest.raises(ModelRefused, match=said):
        client_factory(ModelSettings(**settings), environment)()


def test_a_foundry_client_takes_its_resource_from_the_settings() -> None:
    settings = ModelSettings(backend="foundry", project="my-resource")
    client = client_factory(settings, {"ANTHROPIC_FOUNDRY_API_KEY": KEY})()
    assert client.base_url.host == "my-resource.services.ai.azure.com"
    assert client.max_retries == 0


def test_backends_with_keys_of_their_own_have_no_cloud_errors() -> None:
    assert credential_errors("anthropic") == credential_errors("foundry") == ()


def test_the_environment_of_the_process_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "of-the-process")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://of-the-process")
    client = client_factory(ModelSettings(), ENVIRONMENT)()
    assert client.api_key == KEY
    assert client.base_url.host == "api.anthropic.com"


@pytest.mark.parametrize("profile", ["ollama", "lmstudio", "llama.cpp", "vllm"])
def test_a_key_of_the_provider_goes_to_no_server_of_ones_own(profile: Profile) -> None:
    settings = ModelSettings(base_url="http://127.0.0.1:11434", profile=profile)
    theirs = client_factory(settings, {"ANTHROPIC_API_KEY": "sk-ant-api03-x"})()
    assert "sk-ant" not in str(theirs.api_key)
    own = client_factory(settings, {"ANTHROPIC_API_KEY": "llama-key"})()
    assert own.api_key == "llama-key"


def test_the_sdk_is_not_imported_before_a_model_is_asked() -> None:
    program = (
        "import sys\n"
        "from glossator.llm.models import create_model, describe_models\n"
        "from glossator.settings.models import ModelSettings\n"
        "create_model('main', ModelSettings(), {'ANTHROPIC_API_KEY': 'k'})\n"
        "assert not {'anthropic', 'httpx2'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    ("settings", "model"),
    [
        ({}, "claude-haiku-5-5"),
        ({"main": {"model": "claude-opus-5-5"}}, "claude-haiku-5-5"),
        (
            {"base_url": "http://localhost:1", "profile": "ollama", "main": {"model": "qwen"}},
            "qwen",
        ),
        ({"profile": "ollama", "main": {"model": "qwen"}, "fast": {"model": "tiny"}}, "tiny"),
        ({"backend": "vertex", "main": {"model": "a@1"}}, "a@1"),
    ],
)
def test_the_fast_model_is_one_that_the_server_has(settings: dict[str, Any], model: str) -> None:
    assert fast_role(ModelSettings.model_validate(settings)).model == model
