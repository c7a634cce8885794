"""Each role's effort: what is sent, and what is said where it cannot be."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, get_args

import pytest

from glossator.core.errors import ModelRefused
from glossator.llm.model_facts import (
    CATALOG,
    EFFORTS,
    PROFILES,
    effort_problem,
    effort_problems,
    facts_of,
    reported_efforts,
)
from glossator.llm.models import describe_models
from glossator.settings.models import Effort, ModelSettings, Profile, RoleSettings
from tests.llm.asking import ENVIRONMENT, asker
from tests.standin import HttpError, Text, Turn

HELLO = [Turn(Text("Hi."))]


def role(model: str, effort: Effort | None = None) -> RoleSettings:
    return RoleSettings(model=model, effort=effort)


@pytest.mark.parametrize("effort", get_args(Effort))
@pytest.mark.parametrize("model", sorted(CATALOG))
async def test_every_listed_model_takes_every_effort(model: str, effort: Effort) -> None:
    async with asker(HELLO, main=role(model, effort)) as ask:
        await ask.reply()
        assert ask.api.requests[0].body["output_config"] == {"effort": effort}
        assert ask.api.refusals == []


async def test_without_one_the_models_own_is_left_to_it() -> None:
    async with asker(HELLO) as ask:
        await ask.reply()
        assert "output_config" not in ask.api.requests[0].body


@pytest.mark.parametrize(
    ("efforts", "said"),
    [
        ({"low", "high"}, "which claude-sonnet-5-5 does not take. Set it to one of low, high,"),
        (set(), "claude-sonnet-5-5 takes no effort. Leave it out."),
    ],
)
async def test_what_a_model_does_not_take_is_not_sent(efforts: set[str], said: str) -> None:
    async with asker([], main=role("claude-sonnet-5-5", "max")) as ask:
        ask.model._known.facts = replace(ask.model.facts, efforts=frozenset(efforts))
        for attempt in (ask.model.prepare, ask.reply):
            with pytest.raises(ModelRefused, match=r"^models\.main\.effort is max, ") as raised:
                await attempt()
            assert said in str(raised.value)
        assert ask.api.requests == []


async def test_the_provider_tells_what_a_model_takes() -> None:
    async with asker(HELLO) as ask:
        ask.model._known.facts = replace(ask.model.facts, efforts=frozenset())
        await ask.reply()
        assert ask.model._limits is not None
        await ask.model._limits
        assert ask.model.facts.efforts == frozenset[str](EFFORTS)


def capabilities(supported: object, **levels: bool) -> SimpleNamespace:
    each = {level: SimpleNamespace(supported=value) for level, value in levels.items()}
    return SimpleNamespace(effort=SimpleNamespace(supported=supported, **each))


@pytest.mark.parametrize(
    ("told", "efforts"),
    [
        (None, None),
        (SimpleNamespace(effort=None), None),
        (capabilities(None), None),
        (capabilities(False, low=True), set()),
        (capabilities(True, low=True, high=True, max=False), {"low", "high"}),
    ],
)
def test_what_is_told_is_read_with_care(told: object, efforts: set[str] | None) -> None:
    assert reported_efforts(told) == efforts


async def test_a_refusal_of_an_effort_names_the_setting() -> None:
    fault = HttpError(400, message="This model does not support the effort parameter.")
    async with asker([Turn(fault=fault)], main=role("claude-opus-5-5", "low")) as ask:
        with pytest.raises(ModelRefused, match=r"Correct models\.main\.effort, or leave it out"):
            await ask.reply()


@pytest.mark.parametrize("profile", sorted(set(PROFILES) - {"anthropic"}))
async def test_a_server_that_knows_none_is_not_asked_with_one(profile: Profile) -> None:
    async with asker([], profile=profile, main=role("qwen", "high")) as ask:
        with pytest.raises(ModelRefused, match=f"the profile {profile} takes no effort"):
            await ask.reply()
        assert ask.api.requests == []


@pytest.mark.parametrize(
    ("settings", "problems"),
    [
        ({}, []),
        ({"fast": role("claude-haiku-5-5", "low"), "main": role("unheard-of", "max")}, []),
        ({"fast": role("qwen", "low"), "profile": "ollama"}, ["models.fast.effort"]),
        (
            {"main": role("a", "low"), "fast": role("b", "low"), "profile": "vllm"},
            ["models.main.effort", "models.fast.effort"],
        ),
    ],
)
def test_every_role_is_looked_at(settings: dict[str, Any], problems: list[str]) -> None:
    found = effort_problems(ModelSettings(**settings))
    assert [problem.partition(" ")[0] for problem in found] == problems


def test_the_effort_is_described() -> None:
    settings = ModelSettings(fast=role("claude-haiku-5-5", "low"))
    line = describe_models(settings, ENVIRONMENT)
    assert line.startswith("claude-sonnet-5-5 (main), claude-haiku-5-5 (fast, effort low) at ")


def test_an_unknown_model_is_asked_as_the_user_says() -> None:
    assert effort_problem("max", "main", facts_of("unheard-of"), PROFILES["anthropic"]) == ""
