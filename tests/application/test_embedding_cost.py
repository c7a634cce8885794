"""What embedding at a service takes, in words."""

from __future__ import annotations

from glossator.application.search_support import embedding_bill, embedding_notice
from glossator.retrieval.embeddings.embedder import Access, EmbedderChoice
from glossator.settings import Settings

ACCESS = Access("https://api.voyageai.com/v1", "VOYAGE_API_KEY", "secret-key")
CHOICE = EmbedderChoice("voyage", "voyage:api.voyageai.com:code", model="code", access=ACCESS)
PLAIN = Settings().models
PRICED = Settings.model_validate({"models": {"prices": {"code": {"input": 0.5, "output": 0}}}})


def test_without_a_price_the_tokens_are_told() -> None:
    told = embedding_notice(PLAIN, CHOICE, 1_200, 300_000)
    assert told.startswith(
        "About 1,200 chunks of this workspace are sent to api.voyageai.com for Search, to be"
        " embedded by code: about 300,000 tokens. "
    )
    assert embedding_bill(PLAIN, CHOICE, 0) == ""
    billed = embedding_bill(PLAIN, CHOICE, 1_000)
    assert billed == "1,000 tokens embedded at api.voyageai.com in this session"


def test_with_a_price_the_dollars_too() -> None:
    assert "300,000 tokens ($0.15)." in embedding_notice(PRICED.models, CHOICE, 1_200, 300_000)
    assert "1,000 tokens ($0.0005) embedded" in embedding_bill(PRICED.models, CHOICE, 1_000)
