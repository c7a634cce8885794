"""What requests cost, by list price and lifetime of the cache's entries."""

import pytest

from glossator.core.events import Usage
from glossator.core.tokens import Price
from glossator.llm.meter import Spending, cost, price_in_words
from glossator.llm.model import Message, Reply, StopReason
from glossator.llm.model_facts import CATALOG
from glossator.llm.request import CacheLifetime, ModelOptions
from glossator.settings.models import RoleSettings
from tests.llm.asking import asker
from tests.standin import Text, Turn
from tests.standin.models import MODELS, Model

MILLION = 1_000_000


@pytest.mark.parametrize(
    ("model", "usage", "long_writes", "dollars"),
    [
        ("claude-sonnet-5-5", Usage(MILLION, 0, 0, 100_000), 0, 3.0),
        ("claude-sonnet-5-5", Usage(0, MILLION, 0, 0), 0, 0.2),
        ("claude-sonnet-5-5", Usage(0, 0, MILLION, 0), 0, 2.5),
        ("claude-sonnet-5-5", Usage(0, 0, MILLION, 0), MILLION, 4.0),
        ("claude-sonnet-5-5", Usage(0, 0, MILLION, 0), 400_000, 3.1),
        ("claude-haiku-5-5", Usage(50_000, 50_000, 0, 1_000), 0, 0.006),
        ("claude-haiku-5-5", Usage(50_000, 50_001, 0, 0), 0, 0.02750005),
    ],
)
def test_cost(model: str, usage: Usage, long_writes: int, dollars: float) -> None:
    assert cost(CATALOG[model].price, usage, long_writes) == pytest.approx(dollars)


def test_an_unknown_price_is_not_nothing() -> None:
    assert cost(None, Usage(1)) is None


def reply(dollars: float | None, usage: Usage, long_writes: int = 0) -> Reply:
    message: Message = {"role": "assistant", "content": []}
    end = StopReason.END_TURN
    return Reply(message, end, usage, "", long_write_tokens=long_writes, dollars=dollars)


def test_spending_adds_up() -> None:
    first = Spending.of(reply(0.5, Usage(10, 80, 10, 5), long_writes=4))
    second = Spending.of(reply(0.25, Usage(0, 100, 0, 5)))
    both = first + second
    assert both == Spending(Usage(10, 180, 10, 10), 4, 0.75, 0)
    assert (both.dollars, both.short_write_tokens, both.read_share) == (0.75, 6, 0.9)
    unknown = both + Spending.of(reply(None, Usage(1)))
    assert (unknown.dollars, unknown.known_dollars, unknown.unpriced) == (None, 0.75, 1)
    assert Spending().read_share == 0


@pytest.mark.parametrize(
    ("dollars", "words"),
    [
        (None, "unknown"),
        (0, "$0.00"),
        (1234.5, "$1,234.50"),
        (0.0123, "$0.01"),
        (0.00456, "$0.0046"),
        (0.00001, "under $0.0001"),
    ],
)
def test_in_words(dollars: float | None, words: str) -> None:
    assert price_in_words(dollars) == words


@pytest.mark.parametrize("lifetime", CacheLifetime)
async def test_a_reply_tells_its_price(lifetime: CacheLifetime) -> None:
    options = ModelOptions(cache=lifetime, prices={"claude-sonnet-5-5": Price(100, 1000)})
    async with asker([Turn(Text("Hi."))], options=options) as ask:
        answer = await ask.reply(system=("word " * 4000, "word " * 4000))
    usage, long = answer.usage, answer.long_write_tokens
    assert usage.cache_write_tokens > 10_000
    assert (long > 0) == (lifetime is not CacheLifetime.MINUTES)
    assert (long == usage.cache_write_tokens) == (lifetime is CacheLifetime.HOUR)
    assert answer.dollars == cost(Price(100, 1000), usage, long)


async def test_the_price_of_an_unlisted_model_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    later = Model("claude-later", "later", ("adaptive",), "high")
    monkeypatch.setitem(MODELS, later.id, later)
    async with asker([Turn(Text("Hi."))], main=RoleSettings(model=later.id)) as ask:
        assert (await ask.reply()).dollars is None
