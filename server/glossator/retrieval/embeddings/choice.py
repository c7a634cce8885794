"""Which embedder, and which place for vectors, the settings and the environment ask for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from glossator.core.errors import EmbeddingFailed
from glossator.retrieval.embeddings import local
from glossator.retrieval.embeddings.embedder import OWN_KEY, Access, EmbedderChoice, Kind, access_to
from glossator.retrieval.embeddings.local import StaticFiles
from glossator.retrieval.embeddings.vector_store import VectorPlace
from glossator.settings import RetrievalSettings, Settings


class _Api(NamedTuple):
    url: str
    model: str
    variable: str


_APIS = {
    "voyage": _Api("https://api.voyageai.com/v1", "voyage-code-3", "VOYAGE_API_KEY"),
    "openai": _Api("https://api.openai.com/v1", "text-embedding-3-small", "OPENAI_API_KEY"),
}
TOKEN = "MILVUS_TOKEN"  # noqa: S105 - the name of a variable
_NO_MILVUS = (
    "retrieval.vectorStore names a Milvus, which needs one more package. Run: pip install"
    " 'glossator[milvus]', or unset it."
)
_NO_LITE = (
    "retrieval.vectorStore names a file of Milvus Lite, which needs one more package. Run: pip"
    " install milvus-lite, or unset it."
)
_NO_SEARCH = (
    "Search by vectors needs one more package. Run: pip install 'glossator[vectors]', or set"
    " retrieval.embedder to none."
)


def choose(settings: Settings, environment: Mapping[str, str]) -> EmbedderChoice | None:
    """The embedder, or None where there is to be none. Nothing is loaded and nothing is sent.

    Raises `EmbeddingFailed` when it was asked for by name and cannot be had.
    """
    wanted = settings.retrieval
    if wanted.embedder == "none":
        return None
    if wanted.embedder == "auto":
        there = local.is_installed() and _can_search(settings)
        return EmbedderChoice("local", local.MODEL_ID) if there else None
    if not _can_search(settings):
        raise EmbeddingFailed(_NO_SEARCH)
    if wanted.embedder == "local":
        if not local.is_installed():
            raise EmbeddingFailed(local.EXTRA)
        return EmbedderChoice("local", local.MODEL_ID)
    if wanted.embedder == "static":
        return _static(wanted.embedding_path)
    if settings.models.offline:
        raise EmbeddingFailed(
            f"retrieval.embedder is {wanted.embedder}, which sends code to a server, but"
            " models.offline is set. Set retrieval.embedder to local, or models.offline to false."
        )
    return _api(wanted.embedder, wanted, environment)


def place_of(
    settings: Settings, environment: Mapping[str, str], model_id: str, file: str, max_bytes: int
) -> VectorPlace:
    """Where the vectors of a model are kept; `file` is on this machine. Nothing is asked.

    Raises `EmbeddingFailed` when the settings name a Milvus that cannot be had.
    """
    wanted = settings.retrieval.vector_store
    if not wanted:
        return VectorPlace(model_id, file, max_bytes)
    is_file = wanted.endswith(".db") and "://" not in wanted
    if not find_spec("pymilvus"):
        raise EmbeddingFailed(_NO_MILVUS)
    if is_file:
        if not find_spec("milvus_lite"):
            raise EmbeddingFailed(_NO_LITE)
        path = os.path.abspath(Path(wanted).expanduser())
        return VectorPlace(model_id, file, max_bytes, Access(path, TOKEN))
    if settings.models.offline:
        raise EmbeddingFailed(
            "retrieval.vectorStore sends vectors to a server, but models.offline is set. Unset one"
            " of them."
        )
    if "@" in wanted:
        raise EmbeddingFailed(
            f"retrieval.vectorStore must not hold a password. Set the environment variable {TOKEN}"
            " to user:password."
        )
    access = access_to(
        wanted,
        TOKEN,
        environment,
        setting="retrieval.vectorStore",
        example="https://host:19530, or as a path that ends in .db for Milvus Lite",
    )
    return VectorPlace(model_id, file, max_bytes, access)


def _can_search(settings: Settings) -> bool:
    """Milvus searches by itself."""
    return bool(settings.retrieval.vector_store) or all(
        find_spec(name) for name in ("numkong", "usearch")
    )


def _static(path: str | None) -> EmbedderChoice:
    if not path:
        raise EmbeddingFailed(
            "retrieval.embedder is static, but no file is named. Set retrieval.embeddingPath to a"
            " folder with model.safetensors and tokenizer.json."
        )
    absolute = Path(os.path.abspath(Path(path).expanduser()))
    return EmbedderChoice("static", StaticFiles.at(absolute).model_id, path=str(absolute))


def _api(kind: Kind, wanted: RetrievalSettings, environment: Mapping[str, str]) -> EmbedderChoice:
    api = _APIS[kind]
    model = wanted.embedding_model or ("" if wanted.embedding_url else api.model)
    if not model:
        raise EmbeddingFailed(
            "retrieval.embeddingUrl names a server, but no model is named."
            " Set retrieval.embeddingModel to one that it offers."
        )
    access = _access(api, wanted.embedding_url, environment)
    return EmbedderChoice(kind, f"{kind}:{access.server}:{model}", model=model, access=access)


def _access(api: _Api, url: str | None, environment: Mapping[str, str]) -> Access:
    if url:
        return access_to(url, OWN_KEY, environment)
    access = access_to(api.url, api.variable, environment)
    if not access.key:
        raise EmbeddingFailed(
            f"No key for {access.server}. Set the environment variable {api.variable}, or"
            " retrieval.embedder to local."
        )
    return access
