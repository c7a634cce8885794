"""How a server is reached: its address, the key, and what the environment says of the network.

The worker process has no keys and no proxies in its environment, so that all this travels with the
embedder's choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit
from urllib.request import (  # type: ignore[attr-defined] # typeshed lacks it
    proxy_bypass_environment,
)

from glossator.core.errors import EmbeddingFailed

OWN_KEY = "GLOSSATOR_EMBEDDING_KEY"  # for an address of the user's own; others must not see ours


@dataclass(frozen=True, slots=True)
class Access:
    """`url` is the base of the API, without `/embeddings`. `key` is "" for servers without one.

    `variable` is the environment variable of the key, for messages.
    """

    url: str
    variable: str
    key: str = field(default="", repr=False)
    proxy: str = field(default="", repr=False)  # may hold a password
    certificates: str = ""  # a file, where the system's certificates are not enough

    @property
    def server(self) -> str:
        """The server's name for messages: no credentials, no path."""
        return urlsplit(self.url).netloc.rpartition("@")[2]


def access_to(
    url: str,
    variable: str,
    environment: Mapping[str, str],
    *,
    setting: str = "retrieval.embeddingUrl",
    example: str = "https://host:port/v1",
) -> Access:
    """All that is needed to reach `url`. Raises `EmbeddingFailed`; a missing key is none.

    `setting` is where the address comes from, for messages, `example` what it should look like.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise EmbeddingFailed(
            f"{setting} is not the address of a server ({url}). Write it as {example}."
        )
    key = environment.get(variable, "").strip()
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise EmbeddingFailed(f"{variable} holds characters that no key has. Copy the key again.")
    return Access(
        url.rstrip("/"),
        variable,
        key,
        _proxy(parts.scheme, parts.netloc.rpartition("@")[2], environment),
        environment.get("SSL_CERT_FILE", ""),
    )


def _proxy(scheme: str, host: str, environment: Mapping[str, str]) -> str:
    """The proxy that the environment names for `host`; "" for none."""
    lowered = {name.lower(): value for name, value in environment.items() if value}
    if proxy_bypass_environment(host, {"no": lowered.get("no_proxy", "")}):
        return ""
    return lowered.get(f"{scheme}_proxy", "") or lowered.get("all_proxy", "")
