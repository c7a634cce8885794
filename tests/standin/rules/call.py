"""One request as the rules see it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tests.standin.issued import Issued
from tests.standin.models import MODELS, Model
from tests.standin.usage import Link, chain

Json = dict[str, Any]
Located = tuple[str, Json]


@dataclass(frozen=True)
class Call:
    """A request's headers (lower-case names) and body, and what this server sent before."""

    headers: Mapping[str, str]
    body: Json
    issued: Issued
    counting: bool = False

    @property
    def model(self) -> Model:
        """The model asked for; only after the rule that knows it exists."""
        return MODELS[self.body["model"]]

    @cached_property
    def links(self) -> list[Link]:
        """The blocks of its prompt as a cache sees them; only after the rules for its shape."""
        return list(chain(self.body))

    @cached_property
    def betas(self) -> frozenset[str]:
        """The beta names in the `anthropic-beta` header."""
        return frozenset(part.strip() for part in self.headers.get("anthropic-beta", "").split(","))


def unanswered_server_calls(blocks: Iterable[Located]) -> list[str]:
    """The ids of server tool calls in a turn whose result is not in the turn."""
    contents = [block for _, block in blocks]
    answered = {block.get("tool_use_id") for block in contents}
    calls = (block["id"] for block in contents if block["type"] == "server_tool_use")
    return [id_ for id_ in calls if id_ not in answered]
