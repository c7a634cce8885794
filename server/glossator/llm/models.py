"""The models of a server, which of them plays which role, and side questions to one of them.

A conversation continues unchanged with another model. Thinking goes back unchanged, too: the
provider leaves out what a model cannot read, and dropping it here would change the prefix.
Source: the provider's "Preserved thinking".
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any, Literal

from glossator.core.errors import ModelError, UsageError
from glossator.core.span import StatementsOf, no_statements
from glossator.core.tokens import Price
from glossator.llm.anthropic_model import AnthropicModel
from glossator.llm.backends import (
    KEY_VARIABLE,
    LearntLimits,
    client_factory,
    key_of,
    learnt_file,
    server_of,
)
from glossator.llm.conversation import user_message
from glossator.llm.meter import Meter, Purpose
from glossator.llm.model import Model, ModelRequest, Reply, StopReason
from glossator.llm.model_facts import CATALOG, ModelFacts, efforts_of, facts_of, profile_of
from glossator.llm.request import DEFAULT_OPTIONS, CacheLifetime, ModelOptions
from glossator.settings import Effort, ModelSettings, RoleSettings

OFFLINE = "offline"  # the id of the offline model

Role = Literal["main", "fast"]
_THINKING_TOKENS = 1_000  # room for a model that cannot do without


class Models:
    """The current `settings` of models; `main` answers, `fast` explores."""

    def __init__(
        self,
        settings: ModelSettings,
        environment: Mapping[str, str],
        options: ModelOptions,
        statements_of: StatementsOf = no_statements,
    ) -> None:
        self._configured = settings  # in the user's settings
        self._environment = environment
        self._options = options
        self._statements_of = statements_of
        self._made: dict[RoleSettings, Model] = {}
        self._listed: tuple[ModelFacts, ...] = ()
        self.settings = settings
        self.main = self._model(settings)

    @property
    def fast(self) -> Model:
        """The fast model; offline, the main one."""
        return self._model(self.settings, "fast")

    @property
    def effort(self) -> Effort | None:
        """The effort of the main model, None for its default."""
        return None if self.main.offline else self.settings.main.effort

    async def choose(self, model: str, effort: Effort | None) -> None:
        """Choose the main model for new runs.

        Raises `UsageError` and `ModelRefused`, and changes nothing, for a model that cannot be
        asked.
        """
        chosen = self._configured.model_copy(
            update={"offline": True} if model == OFFLINE else {"main": self._role(model, effort)}
        )
        made = self._model(chosen)
        if model == OFFLINE and effort is not None:
            raise UsageError("The offline model takes no effort. Leave it out.")
        if model != OFFLINE:
            self._check(made, effort)
        await made.prepare()
        self.settings, self.main = chosen, made

    async def known(self) -> tuple[tuple[ModelFacts, ...], str]:
        """The models to choose from, without the offline one, and why the server lists none.

        They are the server's own list, or the table's if there is none.
        """
        problem = ""
        first = self._model(self._configured)
        ours = (
            self._configured.backend == "anthropic"
        )  # the others' lists are not part of this protocol
        if isinstance(first, AnthropicModel) and ours and not self._listed:
            try:
                self._listed = await first.offered()
            except ModelError as error:
                problem = str(error)
        listed = {facts.id: facts for facts in self._listed}
        if not listed and ours and self._configured.profile == "anthropic":
            listed = {name: self._facts(name) for name in CATALOG}
        for role in (self._configured.main, self.settings.main):
            listed.setdefault(role.model, self._facts(role.model))
        return tuple(listed.values()), problem

    def efforts(self, facts: ModelFacts) -> tuple[Effort, ...] | None:
        """The efforts that a model takes; None if unknown."""
        return efforts_of(facts, profile_of(self._configured))

    async def close(self) -> None:
        """Close all connections."""
        await asyncio.gather(*(model.close() for model in self._made.values()))

    def _model(self, settings: ModelSettings, role: Role = "main") -> Model:
        """The model for the role; a model made before keeps its connection."""
        key = settings.main if role == "main" else fast_role(settings)
        if settings.offline:
            key = RoleSettings(model=OFFLINE)
        if key not in self._made:
            self._made[key] = create_model(
                role, settings, self._environment, self._options, self._statements_of
            )
        return self._made[key]

    def _check(self, model: Model, effort: Effort | None) -> None:
        if not isinstance(model, AnthropicModel):
            raise UsageError(
                "The setting models.offline keeps models from being asked. Take it out to choose"
                " one."
                if self._configured.offline
                else "No model can be asked without a key. Set ANTHROPIC_API_KEY, or"
                " models.baseUrl for a server of your own, and start again."
            )
        taken = self.efforts(model.facts)
        if effort is not None and taken is not None and effort not in taken:
            instead = f"one of {', '.join(taken)}, or none" if taken else "none"
            raise UsageError(f"{model.id} does not take the effort {effort}; choose {instead}.")

    def _role(self, model: str, effort: Effort | None) -> RoleSettings:
        set_for = self._configured.main
        window = set_for.window if model == set_for.model else None
        return RoleSettings(model=model, effort=effort, window=window)

    def _facts(self, model: str) -> ModelFacts:
        return facts_of(model, self._options.prices)


def create_model(
    role: Role,
    settings: ModelSettings,
    environment: Mapping[str, str],
    options: ModelOptions = DEFAULT_OPTIONS,
    statements_of: StatementsOf = no_statements,
) -> Model:
    """The model for `role`. Nothing is imported or sent before the first request.

    `statements_of` tells the offline model where an extract may begin and end.
    """
    if _why_offline(settings, environment):
        from glossator.llm.offline import OfflineModel  # noqa: PLC0415 - needed without a key only

        return OfflineModel(statements_of)
    chosen = settings.main if role == "main" else fast_role(settings)
    client = client_factory(settings, environment)
    return AnthropicModel(chosen, settings, client, options=options)


def fast_role(settings: ModelSettings) -> RoleSettings:
    """The fast model; on servers with other models, the main one unless a fast one is set."""
    ours = settings.backend == "anthropic" and settings.profile == "anthropic"
    return settings.fast if ours or "fast" in settings.model_fields_set else settings.main


def describe_models(settings: ModelSettings, environment: Mapping[str, str]) -> str:
    """One line for status and doctor: which models answer and where, or why none does."""
    if reason := _why_offline(settings, environment):
        return f"offline, no model: {reason}"
    roles = f"{_in_words('main', settings.main)}, {_in_words('fast', fast_role(settings))}"
    line = f"{roles} at {server_of(settings)}"
    if settings.profile != "anthropic":
        line += f", as {settings.profile}"
    if settings.backend in KEY_VARIABLE and not has_key(settings, environment):
        line += ", without a key"
    return line


def known_facts(model: Model) -> ModelFacts:
    """What is known about a model: its limits, and the price that the settings give it."""
    return model.facts if isinstance(model, AnthropicModel) else facts_of(model.id)


def has_key(settings: ModelSettings, environment: Mapping[str, str]) -> bool:
    """Whether the environment holds a key for the backend; Vertex takes none."""
    return bool(key_of(settings, environment))


def _in_words(role: Role, chosen: RoleSettings) -> str:
    effort = f", effort {chosen.effort}" if chosen.effort else ""
    return f"{chosen.model} ({role}{effort})"


def _why_offline(settings: ModelSettings, environment: Mapping[str, str]) -> str:
    """Why no provider is asked; "" if one is asked."""
    if settings.offline:
        return "models.offline is set."
    if settings.backend != "anthropic" or settings.base_url or has_key(settings, environment):
        return ""
    return "no key is set, and no server of your own."


def options_of(settings: ModelSettings) -> ModelOptions:
    """The options for all requests, from the settings."""
    prices = {name: Price(each.input, each.output) for name, each in settings.prices.items()}
    limits = LearntLimits(learnt_file())
    return ModelOptions(CacheLifetime(settings.cache), settings.thinking, prices, limits)


async def side_query(
    model: Model,
    meter: Meter,
    purpose: Purpose,
    prompt: str,
    tokens: int,
    schema: Mapping[str, Any] | None = None,
) -> Reply:
    """The reply of at most so many `tokens`; a server that can keeps it to `schema`.

    Raises `ModelError`, and `BudgetSpent` before it asks.
    """
    meter.check()
    request = ModelRequest(
        system=(),
        tools=(),
        messages=(user_message(prompt),),
        max_output_tokens=tokens + (0 if known_facts(model).answers_at_once else _THINKING_TOKENS),
        shared_blocks=0,
        thinks=False,
        output_schema=schema,
    )
    async with aclosing(meter.stream(model, request, purpose)) as events:
        async for event in events:
            if isinstance(event, Reply):
                return event
    raise ModelError("The model ended a reply without its end. Report this.")


async def ask_for_json(
    model: Model,
    meter: Meter,
    purpose: Purpose,
    prompt: str,
    tokens: int,
    schema: Mapping[str, Any],
) -> dict[str, Any]:
    """The object that the model replies with. Raises like `side_query`, also without an object."""
    reply = await side_query(model, meter, purpose, prompt, tokens, schema)
    if reply.stop is StopReason.REFUSAL:
        raise ModelError("The model declined.")
    return object_in(reply.text)


def object_in(text: str) -> dict[str, Any]:
    """The JSON object in a reply, whatever stands around it. Raises `ModelError` if none does."""
    begin = text.find("{")
    try:
        found, _ = json.JSONDecoder().raw_decode(text, begin) if begin >= 0 else (None, 0)
    except json.JSONDecodeError as error:
        raise ModelError(f"The model's reply is no JSON ({error.msg}).") from error
    if not isinstance(found, dict):
        raise ModelError("The model's reply holds no JSON object.")
    return found
