"""What is known about each model without asking: limits, prices and how it thinks.

The table is the fall-back; limits that the provider tells win over it (see `with_limits`).
Source: the provider's model overview and price list of 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, get_args

from glossator.core.price import Price
from glossator.settings import Effort

Thinking = Literal["adaptive", "unasked"]


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """One model. `window` and `max_output` are in tokens; `price` is None when it is not known.

    `thinking` is "unasked" for models that may not know adaptive thinking: nothing is sent then.
    `effort` is the model's own effort, used when none is asked for; `efforts` are those it takes,
    None when they are not known.
    """

    id: str
    window: int
    max_output: int
    price: Price | None = None
    thinking: Thinking = "unasked"
    effort: str | None = None
    efforts: frozenset[str] | None = None


_ALL_EFFORTS = frozenset(get_args(Effort))
_HAIKU_PRICE = Price(0.10, 0.50, up_to=100_000, above=Price(0.50, 2.50))


def _line(model: str, price: Price, effort: str) -> ModelFacts:
    """A model of the newest line, which differ in nothing else."""
    return ModelFacts(model, 1_000_000, 128_000, price, "adaptive", effort, _ALL_EFFORTS)


_MODELS = (
    _line("claude-haiku-5-5", _HAIKU_PRICE, "medium"),
    _line("claude-sonnet-5-5", Price(2, 10), "high"),
    _line("claude-opus-5-5", Price(4, 20), "medium"),
    _line("claude-fable-5-1", Price(10, 50), "high"),
)
CATALOG = {model.id: model for model in _MODELS}
_NO_PRICES: Mapping[str, Price] = MappingProxyType({})


def facts_of(model: str, prices: Mapping[str, Price] = _NO_PRICES) -> ModelFacts:
    """What the table says of `model`; for an unknown id limits that are safe with most.

    `prices`, by model id, win over the table's.
    """
    facts = CATALOG.get(model) or ModelFacts(model, window=200_000, max_output=8_000)
    return replace(facts, price=prices.get(model, facts.price))


def with_limits(
    facts: ModelFacts,
    window: object,
    max_output: object,
    efforts: frozenset[str] | None = None,
) -> ModelFacts:
    """The same facts with what the provider told; whatever is no limit is not taken."""
    return replace(
        facts,
        window=window if isinstance(window, int) and window > 0 else facts.window,
        max_output=(
            max_output if isinstance(max_output, int) and max_output > 0 else facts.max_output
        ),
        efforts=facts.efforts if efforts is None else efforts,
    )
