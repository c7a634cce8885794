"""What is known of models without asking: limits and prices."""

import pytest

from glossator.core.tokens import Price
from glossator.llm.model_facts import CATALOG, facts_of, with_limits
from glossator.settings.models import ModelSettings


def test_an_unknown_model_has_safe_limits_and_no_price() -> None:
    facts = facts_of("unheard-of")
    assert (facts.window, facts.max_output, facts.price) == (200_000, 8_000, None)


def test_a_price_of_the_user_wins() -> None:
    prices = {"claude-sonnet-5-5": Price(1, 2), "unheard-of": Price(3, 4)}
    for model, price in prices.items():
        assert facts_of(model, prices).price == price
    assert facts_of("claude-opus-5-5", prices) == CATALOG["claude-opus-5-5"]


@pytest.mark.parametrize("told", [None, 0, -1, "9"])
def test_nonsense_limits_are_not_taken(told: object) -> None:
    assert with_limits(facts_of("x"), told, told) == facts_of("x")
    assert with_limits(facts_of("x"), 9, 8).window == 9


def test_the_default_models_are_known() -> None:
    settings = ModelSettings()
    assert {settings.main.model, settings.fast.model} <= CATALOG.keys()
