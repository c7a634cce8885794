"""The services that host the models: clients, credentials, and what each server refused before.

The SDK is imported when a client is made, which blocks: call the factories in a worker thread.

What a server refused stands in `<user state folder>/refused.json`, by server and model, so that
limits need not be learnt twice. It is forgotten a week after the last refusal, with another version
of Glossator, or when the file is deleted.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import platformdirs
from pydantic import BaseModel, ValidationError

from glossator import __version__
from glossator.core.errors import ModelRefused
from glossator.llm.lazy_sdk import import_sdk
from glossator.settings import Backend, ModelSettings

if TYPE_CHECKING:
    from anthropic import (
        AsyncAnthropic,
        AsyncAnthropicBedrock,
        AsyncAnthropicFoundry,
        AsyncAnthropicVertex,
        AsyncStream,
    )

ANTHROPIC_URL = "https://api.anthropic.com"
KEY_VARIABLE: dict[Backend, str] = {
    "anthropic": "ANTHROPIC_API_KEY",
    "foundry": "ANTHROPIC_FOUNDRY_API_KEY",
    "bedrock": "AWS_BEARER_TOKEN_BEDROCK",
}
CREDENTIALS: dict[Backend, str] = {
    "anthropic": "ANTHROPIC_API_KEY",
    "foundry": "ANTHROPIC_FOUNDRY_API_KEY",
    "bedrock": "your AWS credentials",
    "vertex": "your Google Cloud credentials",
}
_NO_KEY = "none"  # local servers ask for no key, but the header must not be empty
_EXTRA_MODULE: dict[Backend, str] = {"bedrock": "boto3", "vertex": "google.auth"}
_CREDENTIAL_ERROR: dict[Backend, tuple[str, str]] = {
    "bedrock": ("botocore.exceptions", "BotoCoreError"),
    "vertex": ("google.auth.exceptions", "GoogleAuthError"),
}

_CONNECT_SECONDS = 2
_PORTS = {"http": 80, "https": 443}
_LEARNT_SECONDS = 7 * 24 * 3600.0
_MAX_LEARNT_MODELS = 50  # models


def client_factory(settings: ModelSettings, environment: Mapping[str, str]) -> Callable[[], Any]:
    """A function that makes the backend's client without touching the network.

    It raises `ModelRefused` when an extra is not installed or something that the client needs is
    not set.
    """
    return lambda: _FACTORIES[settings.backend](settings, environment)


_PROVIDERS_KEY = "sk-ant-"  # how keys of the Anthropic API begin
_OF_THEIR_OWN = frozenset(
    {"llama.cpp", "lmstudio", "ollama", "vllm"}
)  # servers of one's own models


def key_of(settings: ModelSettings, environment: Mapping[str, str]) -> str:
    """The key that the environment holds for the backend, or ""."""
    return environment.get(KEY_VARIABLE.get(settings.backend, ""), "").strip()


def server_of(settings: ModelSettings) -> str:
    """The server's name for messages, without credentials and path."""
    if settings.base_url:
        parts = urlsplit(settings.base_url)
        return parts.netloc.rpartition("@")[2] or settings.base_url
    return {"anthropic": "The Anthropic API"}.get(settings.backend, settings.backend.capitalize())


def credential_errors(backend: Backend) -> tuple[type[Exception], ...]:
    """The exceptions of a cloud's library that mean missing or wrong credentials."""
    if backend not in _CREDENTIAL_ERROR:
        return ()
    module, name = _CREDENTIAL_ERROR[backend]
    # The SDK itself raises a bare RuntimeError when the library simply returns none.
    return (RuntimeError, getattr(importlib.import_module(module), name))


def _anthropic(settings: ModelSettings, environment: Mapping[str, str]) -> AsyncAnthropic:
    key = _sendable(key_of(settings, environment), settings.backend) or _NO_KEY
    if key.startswith(_PROVIDERS_KEY) and settings.profile in _OF_THEIR_OWN:
        key = _NO_KEY  # it is the provider's alone
    client: AsyncAnthropic = import_sdk().AsyncAnthropic(
        api_key=key,
        base_url=_address(settings.base_url or ANTHROPIC_URL),
        max_retries=0,
        http_client=_http_client(),
    )
    return client


def _bedrock(settings: ModelSettings, environment: Mapping[str, str]) -> AsyncAnthropicBedrock:
    _need_extra("bedrock")
    region = settings.region or environment.get("AWS_REGION")
    if not region:
        raise ModelRefused("Bedrock needs a region. Set models.region or AWS_REGION.")
    client: AsyncAnthropicBedrock = import_sdk().AsyncAnthropicBedrock(
        aws_region=region,
        api_key=_sendable(key_of(settings, environment), "bedrock") or None,
        base_url=settings.base_url and _address(settings.base_url),
        max_retries=0,
        http_client=_http_client(),
    )
    return client


def _vertex(settings: ModelSettings, environment: Mapping[str, str]) -> AsyncAnthropicVertex:
    _need_extra("vertex")
    region = settings.region or environment.get("CLOUD_ML_REGION")
    project = settings.project or environment.get("ANTHROPIC_VERTEX_PROJECT_ID")
    if not region or not project:
        raise ModelRefused("Vertex needs a project and a region. Set models.project and .region.")
    client: AsyncAnthropicVertex = import_sdk().AsyncAnthropicVertex(
        region=region,
        project_id=project,
        base_url=settings.base_url and _address(settings.base_url),
        max_retries=0,
        http_client=_http_client(),
    )
    return client


def _foundry(settings: ModelSettings, environment: Mapping[str, str]) -> AsyncAnthropicFoundry:
    key = _sendable(key_of(settings, environment), "foundry")
    if not key:
        raise ModelRefused(f"Foundry needs a key. Set {KEY_VARIABLE['foundry']} and try again.")
    if settings.base_url:
        where = {"base_url": _address(settings.base_url)}
    elif resource := settings.project or environment.get("ANTHROPIC_FOUNDRY_RESOURCE"):
        where = {"resource": resource}
    else:
        raise ModelRefused("Foundry needs a resource. Set models.project or models.baseUrl.")
    client: AsyncAnthropicFoundry = import_sdk().AsyncAnthropicFoundry(
        api_key=key, max_retries=0, http_client=_http_client(), **where
    )
    return client


_FACTORIES: dict[Backend, Callable[[ModelSettings, Mapping[str, str]], Any]] = {
    "anthropic": _anthropic,
    "bedrock": _bedrock,
    "vertex": _vertex,
    "foundry": _foundry,
}


def _http_client() -> Any:  # noqa: ANN401 - of the SDK's HTTP library
    """The SDK's own client, proxies of the environment included, that follows no redirect.

    A redirect says where the whole conversation and, but for one header, the key are to go.
    """
    return import_sdk().DefaultAsyncHttpxClient(follow_redirects=False)


def _need_extra(backend: Backend) -> None:
    top, _, rest = _EXTRA_MODULE[backend].partition(".")
    if find_spec(top) is None or (rest and find_spec(_EXTRA_MODULE[backend]) is None):
        raise ModelRefused(
            f"The {backend} backend is not installed. Run: pip install 'glossator[{backend}]'"
        )


def _sendable(key: str, backend: Backend) -> str:
    """The key, if it can stand in a header; checked here because HTTP libraries print bad ones."""
    if key.isascii() and key.isprintable() and " " not in key:
        return key
    raise ModelRefused(
        f"{KEY_VARIABLE[backend]} holds characters that no key has. Copy the key again."
    )


def _address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme in {"http", "https"} and parts.hostname:
        return url
    raise ModelRefused(
        f"models.baseUrl is not the address of a server ({url}). Write it as https://host:port."
    )


async def why_unreachable(settings: ModelSettings) -> str:
    """Why no connection to the server can be opened, with a next step; "" if one can.

    Nothing is sent. The cloud backends choose their addresses themselves, so they are not tried.
    """
    if settings.backend != "anthropic" and not settings.base_url:
        return ""
    parts = urlsplit(settings.base_url or ANTHROPIC_URL)
    port = parts.port or _PORTS.get(parts.scheme, 443)
    try:
        async with asyncio.timeout(_CONNECT_SECONDS):
            _, writer = await asyncio.open_connection(parts.hostname, port)
    except TimeoutError:
        reason = f"no answer within {_CONNECT_SECONDS} s"
    except OSError as error:
        reason = error.strerror or str(error)
    else:
        writer.close()
        return ""
    where = f"{server_of(settings)} (port {port})"
    return f"{where} cannot be reached: {reason}. Check the network, a proxy, and models.baseUrl."


async def post_body(client: AsyncAnthropic, content: bytes, *, as_values: bool) -> AsyncStream[Any]:
    """The stream that answers a body; raises the SDK's errors."""
    if as_values:
        rewritten: AsyncStream[Any] = await client.messages.create(**json.loads(content))
        return rewritten
    from anthropic import AsyncStream  # noqa: PLC0415 - loaded by now; at the top it would delay the start

    # As `object` the SDK hands each event over as it parsed it, and builds no models of it.
    events: AsyncStream[Any] = await client.post(
        "/v1/messages", cast_to=object, content=content, stream=True, stream_cls=AsyncStream[object]
    )
    return events


def as_sent(event: object) -> dict[str, Any]:
    """An event as it came over the wire; {} if it is no JSON object."""
    if isinstance(event, BaseModel):  # of a client that rewrites requests
        return event.model_dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
    return event if isinstance(event, dict) else {}


_logger = logging.getLogger(__name__)


class Learnt(BaseModel, frozen=True):
    """What refusals taught about a model at a server; 0 for a limit that none named.

    `window` and `max_output` are tokens, `options` what requests do without, `tools` the names of
    those that are not sent. `at` is the time of the last refusal, in seconds.
    """

    window: int = 0
    max_output: int = 0
    options: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    at: float = 0.0


class _LearntFile(BaseModel):
    version: str
    models: dict[str, Learnt]


def learnt_file() -> Path:
    """The file in which it is kept."""
    return Path(platformdirs.user_state_dir("glossator")) / "refused.json"


class LearntLimits:
    """The file of learnt limits; every method blocks. An unusable file is only logged."""

    def __init__(self, file: Path | None = None) -> None:
        """Nothing is kept without a file."""
        self._file = file

    def of(self, settings: ModelSettings, model: str) -> Learnt:
        """What is known of a model."""
        return self._load().get(_learnt_key(settings, model), Learnt())

    def keep(self, settings: ModelSettings, model: str, learnt: Learnt) -> None:
        """Keep what is known of a model now; the time is set to now."""
        known, key = self._load(), _learnt_key(settings, model)
        before = known.get(key, Learnt())
        if self._file is None or learnt.model_copy(update={"at": before.at}) == before:
            return
        known[key] = learnt.model_copy(update={"at": time.time()})
        newest = sorted(known.items(), key=lambda item: -item[1].at)[:_MAX_LEARNT_MODELS]
        written = _LearntFile(version=__version__, models=dict(newest)).model_dump_json(indent=1)
        unfinished = self._file.with_suffix(".tmp")
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            unfinished.write_text(written, "utf-8")
            unfinished.replace(self._file)
        except OSError as error:
            _logger.warning("What %s refused is asked again after a restart: %s", model, error)

    def _load(self) -> dict[str, Learnt]:
        if self._file is None:
            return {}
        try:
            kept = _LearntFile.model_validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValidationError) as damage:
            _logger.warning(
                "What servers refused is not known any more: %s: %s", self._file, damage
            )
            return {}
        if kept.version != __version__:
            return {}
        oldest = time.time() - _LEARNT_SECONDS
        return {key: each for key, each in kept.models.items() if each.at > oldest}


def _learnt_key(settings: ModelSettings, model: str) -> str:
    return f"{settings.backend} {server_of(settings)} {settings.profile} {model}"
