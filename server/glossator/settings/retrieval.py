"""Settings of searches by question."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from glossator.settings.group import Group


class RetrievalSettings(Group):
    """How code is found for a question. Embeddings find it by meaning, not by words alone."""

    embedder: Literal["auto", "none", "local", "static", "voyage", "openai"] = Field(
        "auto",
        description=(
            "What embeds code: a model on this machine (local), a file (static), Voyage, OpenAI or"
            " a compatible server, or none. auto: local if it is installed. Voyage and OpenAI are"
            " sent the code of the workspace."
        ),
    )
    embedding_model: str | None = Field(
        None,
        description="The model's name at Voyage or OpenAI; unset, voyage-code-3 or"
        " text-embedding-3-small.",
    )
    embedding_url: str | None = Field(
        None,
        description="The address of a server with Voyage's or OpenAI's protocol, as in"
        " https://host:port/v1; code is sent there.",
    )
    vector_store: str | None = Field(
        None,
        description="The address of a Milvus, as in https://host:19530, in which a team keeps its"
        " vectors; or a path that ends in .db, of Milvus Lite. Unset, they are on this machine.",
    )
    embedding_path: str | None = Field(
        None,
        description="For static: the folder with model.safetensors and tokenizer.json.",
    )
    contexts: Literal["structural", "generated"] = Field(
        "structural",
        description=(
            "What is indexed with a chunk: where it stands, or also what the fast model says about"
            " it, which is offered with its price and made after a yes."
        ),
    )
    context_dollars: float | None = Field(
        5.0, gt=0, description="What one build of generated contexts may cost; null for any price."
    )
    glossary: str | None = Field(
        None,
        description="A file of the project's terms, relative to each root, for generated contexts.",
    )
    reranker: Literal["linear", "model", "voyage", "cohere", "none"] = Field(
        "linear",
        description=(
            "What puts the best results in order: weights on this machine, the fast model, or a"
            " service, which are sent the question and excerpts; or nothing."
        ),
    )
    reranker_url: str | None = Field(
        None,
        description="The address of a compatible server's rerank endpoint, for voyage and cohere.",
    )
    reranker_model: str | None = Field(
        None, description="The reranker's model, for voyage and cohere, if not the usual one."
    )
    whole_tokens: int = Field(
        0,
        ge=0,
        le=500_000,
        description=(
            "A workspace of at most so many estimated tokens goes whole into the cached prompt of"
            " each new session. 20,000 tokens cost about 5 cents at $2 a million; 0 for never."
        ),
    )
