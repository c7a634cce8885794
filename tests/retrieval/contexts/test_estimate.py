"""The estimate, against the published figure and against what the stand-in bills."""

from pathlib import Path

import pytest

from glossator.core.events import Usage
from glossator.core.tokens import Price
from glossator.llm import CacheRates
from glossator.retrieval.contexts.costs import PassageTokens, Tariff, price_passages
from tests.retrieval.contexts.making import document, maker

MILLION = 1_000_000
# Claude 3 Haiku when the figure was published: $0.25 in, $1.25 out, and for the prompt cache $0.30
# written and $0.03 read, for a million tokens each.
HAIKU_3 = Tariff(
    Price(0.25, 1.25), output=100, rates=CacheRates(short_write=0.30 / 0.25, read=0.03 / 0.25)
)


def test_the_published_figure() -> None:
    """$1.02 for a million document tokens: 800-token chunks of 8,000-token documents.

    For a document, in dollars of a million tokens:
        written once                8,000 x $0.30 = 2,400
        read for each chunk    10 x 8,000 x $0.03 = 2,400
        chunk and instruction  10 x (800 + 50) x $0.25 = 2,125
        context                10 x 100 x $1.25 = 1,250
                                                  8,175, of 125 documents: $1.0219
    That counts a read for all ten chunks. The provider bills none for the request that writes the
    entry, so the estimate has nine: less by 125 x 8,000 x $0.03 = $0.03.
    """
    document_tokens, chunk, instruction, chunks = 8_000, 800, 50, 10
    documents = MILLION // document_tokens
    passage = PassageTokens(document_tokens, (chunk + instruction,) * chunks)
    estimate = price_passages([passage] * documents, HAIKU_3)
    assert estimate.document_tokens == MILLION
    assert estimate.chunks == 1_250
    assert estimate.usage == Usage(
        input_tokens=1_250 * 850,
        cache_read_tokens=9 * MILLION,
        cache_write_tokens=MILLION,
        output_tokens=125_000,
    )
    first_reads = documents * document_tokens * 0.03 / MILLION
    assert estimate.dollars is not None
    assert estimate.dollars == pytest.approx(0.991875)
    assert estimate.dollars + first_reads == pytest.approx(1.021875)
    assert round(estimate.dollars + first_reads, 2) == 1.02
    assert estimate.batch_dollars == pytest.approx(estimate.dollars / 2)
    # In a batch that never finds the document in the cache: it is written ten times.
    assert estimate.batch_most == pytest.approx(125 * (10 * 2_400 + 2_125 + 1_250) / MILLION / 2)


@pytest.mark.parametrize(
    ("passage", "smallest", "usage"),
    [
        (PassageTokens(1_000, (100,)), 512, Usage(1_100, 0, 0, 100)),  # nobody else reads it
        (PassageTokens(500, (100, 50)), 512, Usage(1_150, 0, 0, 200)),  # too short to be cached
        (PassageTokens(1_000, (100, 50)), 512, Usage(150, 1_000, 1_000, 200)),
    ],
)
def test_only_what_pays_is_cached(passage: PassageTokens, smallest: int, usage: Usage) -> None:
    assert price_passages([passage], Tariff(None, smallest)).usage == usage


def test_an_unknown_price_is_not_nothing() -> None:
    estimate = price_passages([PassageTokens(1_000, (100,))], Tariff(None))
    assert (estimate.dollars, estimate.batch_dollars, estimate.batch_most) == (None, None, None)


async def test_an_estimate_sends_nothing_and_is_near_what_is_billed(tmp_path: Path) -> None:
    documents = [document("alpha", 8), document("beta", 5)]
    async with maker(tmp_path) as made:
        generator = made.generator()
        estimate = await generator.estimate(documents)
        assert made.api.requests == []
        report = await generator.generate(documents, dollars=None)
        again = await generator.estimate(documents)
    assert (estimate.files, estimate.chunks, estimate.kept) == (2, 13, 0)
    assert estimate.model == "claude-haiku-5-5"
    assert estimate.dollars
    assert report.spending.dollars
    billed, expected = report.spending.usage, estimate.usage
    assert billed.cache_write_tokens == pytest.approx(expected.cache_write_tokens, rel=0.2)
    assert billed.cache_read_tokens == pytest.approx(expected.cache_read_tokens, rel=0.2)
    assert billed.input_tokens == pytest.approx(expected.input_tokens, rel=0.2)
    assert report.spending.dollars < estimate.dollars  # the scripted contexts are short
    assert (again.files, again.chunks, again.kept, again.dollars) == (0, 0, 13, 0.0)
