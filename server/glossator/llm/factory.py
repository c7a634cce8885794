"""Which model plays a role, decided from the settings and the environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from glossator.llm.anthropic_model import AnthropicModel
from glossator.llm.backends import KEY_VARIABLE, client_factory, key_of, server_of
from glossator.llm.model import Model
from glossator.llm.options import DEFAULT_OPTIONS, ModelOptions
from glossator.settings import ModelSettings, RoleSettings

Role = Literal["main", "fast"]


def create_model(
    role: Role,
    settings: ModelSettings,
    environment: Mapping[str, str],
    options: ModelOptions = DEFAULT_OPTIONS,
) -> Model:
    """The model for `role`. Nothing is imported or sent before it is asked."""
    if _why_offline(settings, environment):
        from glossator.llm.offline import OfflineModel  # noqa: PLC0415 - needed without a key only

        return OfflineModel()
    chosen = settings.main if role == "main" else fast_role(settings)
    client = client_factory(settings, environment)
    return AnthropicModel(chosen, settings, client, options=options)


def fast_role(settings: ModelSettings) -> RoleSettings:
    """The fast model; where models have other names and none is set, the main one."""
    ours = settings.backend == "anthropic" and settings.profile == "anthropic"
    return settings.fast if ours or "fast" in settings.model_fields_set else settings.main


def describe(settings: ModelSettings, environment: Mapping[str, str]) -> str:
    """One line for status and doctor: which models are asked and where, or why none is."""
    if reason := _why_offline(settings, environment):
        return f"offline, extractive: {reason}"
    roles = f"{_in_words('main', settings.main)}, {_in_words('fast', fast_role(settings))}"
    line = f"{roles} at {server_of(settings)}"
    if settings.profile != "anthropic":
        line += f", as {settings.profile}"
    if settings.backend in KEY_VARIABLE and not has_key(settings, environment):
        line += ", without a key"
    return line


def has_key(settings: ModelSettings, environment: Mapping[str, str]) -> bool:
    """Whether the environment holds a key for the backend; Vertex never takes one."""
    return bool(key_of(settings, environment))


def _in_words(role: Role, chosen: RoleSettings) -> str:
    effort = f", effort {chosen.effort}" if chosen.effort else ""
    return f"{chosen.model} ({role}{effort})"


def _why_offline(settings: ModelSettings, environment: Mapping[str, str]) -> str:
    """The reason why no provider is asked, or ""."""
    if settings.offline:
        return "models.offline is set."
    if settings.backend != "anthropic" or settings.base_url or has_key(settings, environment):
        return ""
    return "no key is set, and no server of your own."
