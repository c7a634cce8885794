"""What models and servers can do: limits, prices, efforts, and features of the Messages API.

The table of models is the fall-back: limits that the provider reports win (see `with_limits`).
Source: the provider's model overview and price list of 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_address
from types import MappingProxyType
from typing import Literal, get_args
from urllib.parse import urlsplit

from glossator.core.tokens import Price
from glossator.settings import Effort, ModelSettings, Profile, RoleSettings

Thinking = Literal["adaptive", "unasked"]
LeastThinking = Literal["disabled", "between_tools", "adaptive"]

EFFORTS: tuple[Effort, ...] = get_args(Effort)


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """One model. `window` and `max_output` are in tokens; `price` is None when it is not known.

    `thinking` is "unasked" for models that may not know adaptive thinking: nothing is sent then.
    `effort` is the model's own effort, used when none is asked for; `efforts` are those it takes,
    None when they are not known. `least_thinking` is what a model takes that should not think.
    `smallest_cached` is the shortest prompt, in tokens, that the provider's cache keeps.
    """

    id: str
    window: int
    max_output: int
    price: Price | None = None
    thinking: Thinking = "unasked"
    effort: str | None = None
    efforts: frozenset[str] | None = None
    least_thinking: LeastThinking = "adaptive"
    smallest_cached: int = 4_096  # the most that any model asks for

    @property
    def answers_at_once(self) -> bool:
        """Whether the model can be kept from thinking, or is not known to think."""
        return self.thinking == "unasked" or self.least_thinking == "disabled"


_ALL_EFFORTS = frozenset(get_args(Effort))
_HAIKU_PRICE = Price(0.10, 0.50, up_to=100_000, above=Price(0.50, 2.50))


def _line(
    model: str, price: Price, effort: str, least_thinking: LeastThinking = "adaptive"
) -> ModelFacts:
    """A model of the newest generation; these differ only in what is given here."""
    return ModelFacts(
        model,
        1_000_000,
        128_000,
        price,
        "adaptive",
        effort,
        _ALL_EFFORTS,
        least_thinking,
        smallest_cached=512,
    )


_MODELS = (
    _line("claude-haiku-5-5", _HAIKU_PRICE, "medium", "disabled"),
    _line("claude-sonnet-5-5", Price(2, 10), "high", "between_tools"),
    _line("claude-opus-5-5", Price(4, 20), "medium"),
    _line("claude-fable-5-1", Price(10, 50), "high"),
)
CATALOG = {model.id: model for model in _MODELS}
_SAFE_WINDOW, _SAFE_OUTPUT = 200_000, 8_000  # tokens, of a model that is not known
_NO_PRICES: Mapping[str, Price] = MappingProxyType({})


def facts_of(model: str, prices: Mapping[str, Price] = _NO_PRICES) -> ModelFacts:
    """What the table says about `model`; limits safe for most models if the id is unknown.

    `prices`, by model id, win over the table's.
    """
    facts = CATALOG.get(model) or ModelFacts(model, _SAFE_WINDOW, _SAFE_OUTPUT)
    return replace(facts, price=prices.get(model, facts.price))


def facts_at(
    role: RoleSettings, settings: ModelSettings, prices: Mapping[str, Price] = _NO_PRICES
) -> ModelFacts:
    """What is known about a role's model at its server.

    A self-hosted server has other models than the provider: where none is named, the table says
    nothing about the one that answers. On this machine only prices in the settings count.
    """
    facts = facts_of(role.model, prices)
    named = any(
        role == getattr(settings, name) and name in settings.model_fields_set
        for name in ("main", "fast")
    )
    if not named and settings.profile != "anthropic":
        facts = ModelFacts(role.model, _SAFE_WINDOW, _SAFE_OUTPUT)
    if not named and is_loopback(settings.base_url):
        facts = replace(facts, price=prices.get(role.model))
    return replace(facts, window=role.window or facts.window)


def is_loopback(address: str | None) -> bool:
    """Whether a server is on this machine."""
    host = urlsplit(address or "").hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def with_limits(
    facts: ModelFacts,
    window: object,
    max_output: object,
    efforts: frozenset[str] | None = None,
) -> ModelFacts:
    """The facts with the limits and efforts that the provider reports, where they are valid."""
    return replace(
        facts,
        window=window if isinstance(window, int) and window > 0 else facts.window,
        max_output=(
            max_output if isinstance(max_output, int) and max_output > 0 else facts.max_output
        ),
        efforts=facts.efforts if efforts is None else efforts,
    )


@dataclass(frozen=True, slots=True)
class ProviderProfile:
    """Which features of the Messages API a kind of server understands.

    Servers that imitate this API refuse or misread fields that they do not know, so these are not
    sent. Missing usage and signatures are accepted from every server. `model_limits`: it reports
    the limits of its models. `tool_search`: deferred tools. `cache_diagnostics`: it reports why its
    prompt cache was missed. `batches`: it has the Message Batches API. `images`: its models see
    them, as far as is known. `output_format`: it holds a reply to a JSON Schema.
    """

    name: Profile
    cache_control: bool = False
    thinking: bool = False
    effort: bool = False
    citations: bool = False
    search_results: bool = False
    model_limits: bool = False
    tool_search: bool = False
    cache_diagnostics: bool = False
    batches: bool = False
    images: bool = False
    output_format: bool = False


PROFILES: dict[Profile, ProviderProfile] = {
    profile.name: profile
    for profile in (
        ProviderProfile(
            "anthropic",
            cache_control=True,
            thinking=True,
            effort=True,
            citations=True,
            search_results=True,
            model_limits=True,
            tool_search=True,
            cache_diagnostics=True,
            batches=True,
            images=True,
            output_format=True,
        ),
        ProviderProfile("llama.cpp"),
        ProviderProfile("ollama"),
        ProviderProfile("lmstudio"),
        ProviderProfile("vllm", images=True),
        ProviderProfile("litellm", search_results=True, images=True),
    )
}


def profile_of(settings: ModelSettings) -> ProviderProfile:
    """The profile in the settings, without what only the provider's own service offers."""
    profile = PROFILES[settings.profile]
    if settings.images is not None:
        profile = replace(profile, images=settings.images)
    if settings.backend == "anthropic":
        return profile
    return replace(
        profile,
        model_limits=False,
        tool_search=False,
        cache_diagnostics=False,
        batches=False,
        output_format=False,
    )


def efforts_of(facts: ModelFacts, profile: ProviderProfile) -> tuple[Effort, ...] | None:
    """The efforts that a model takes; None if unknown."""
    if not profile.effort:
        return ()
    known = facts.efforts
    return None if known is None else tuple(level for level in EFFORTS if level in known)


def effort_problem(
    effort: str | None, role: str, facts: ModelFacts, profile: ProviderProfile
) -> str:
    """Why a role's model does not take this effort, and what to do; "" if it does or may."""
    if effort is None:
        return ""
    setting = f"models.{role}.effort"
    if not profile.effort:
        return (
            f"{setting} is {effort}, but a server with the profile {profile.name} takes no effort."
            " Leave it out."
        )
    taken = efforts_of(facts, profile)
    if taken is None or effort in taken:
        return ""
    if not taken:
        return f"{setting} is {effort}, but {facts.id} takes no effort. Leave it out."
    return (
        f"{setting} is {effort}, which {facts.id} does not take. Set it to one of"
        f" {', '.join(taken)}, or leave it out."
    )


def effort_problems(settings: ModelSettings) -> tuple[str, ...]:
    """The problems with the efforts of all roles."""
    profile = profile_of(settings)
    roles = {"main": settings.main, "fast": settings.fast}
    problems = (
        effort_problem(chosen.effort, role, facts_of(chosen.model), profile)
        for role, chosen in roles.items()
    )
    return tuple(filter(None, problems))


def reported_efforts(capabilities: object) -> frozenset[str] | None:
    """The efforts in the capabilities that a provider reports for a model; None without any."""
    effort = getattr(capabilities, "effort", None)
    supported = getattr(effort, "supported", None)
    if not isinstance(supported, bool):
        return None
    levels = (level for level in EFFORTS if supported)
    return frozenset(
        level for level in levels if getattr(getattr(effort, level, None), "supported", False)
    )
