"""Prices and limits."""

import pytest

from glossator.core.events import Usage
from glossator.llm.catalog import CATALOG, cost, facts_of, with_limits
from glossator.settings.model import ModelSettings


@pytest.mark.parametrize(
    ("model", "usage", "dollars"),
    [
        ("claude-sonnet-5-5", Usage(1_000_000, 0, 0, 100_000), 3.0),
        ("claude-sonnet-5-5", Usage(0, 1_000_000, 0, 0), 0.2),
        ("claude-sonnet-5-5", Usage(0, 0, 1_000_000, 0), 2.5),
        ("claude-haiku-5-5", Usage(50_000, 50_000, 0, 1_000), 0.006),
        ("claude-haiku-5-5", Usage(50_000, 50_001, 0, 0), 0.02750005),
    ],
)
def test_cost(model: str, usage: Usage, dollars: float) -> None:
    assert cost(CATALOG[model], usage) == pytest.approx(dollars)


def test_an_unknown_model_has_safe_limits_and_no_price() -> None:
    facts = facts_of("unheard-of")
    assert (facts.window, facts.max_output, cost(facts, Usage(1))) == (200_000, 8_000, None)


@pytest.mark.parametrize("told", [None, 0, -1, "9"])
def test_nonsense_limits_are_not_taken(told: object) -> None:
    assert with_limits(facts_of("x"), told, told) == facts_of("x")
    assert with_limits(facts_of("x"), 9, 8).window == 9


def test_the_default_models_are_known() -> None:
    settings = ModelSettings()
    assert {settings.main.model, settings.fast.model} <= CATALOG.keys()
