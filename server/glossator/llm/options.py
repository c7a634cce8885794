"""What a user may choose about requests, beyond the model and its effort."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

from glossator.core.price import Price

ThinkingDisplay = Literal["summarized", "omitted"]


class CacheLifetime(StrEnum):
    """How long what the prompt cache holds is kept when nobody reads it.

    A longer life costs more to write. The provider takes hour-long entries only before shorter
    ones, so there is no choice of messages that outlive the system prompt.
    """

    MINUTES = "5m"
    HOUR_FOR_SYSTEM = "1h-system"  # the messages five minutes
    HOUR = "1h"

    @property
    def of_system(self) -> Literal["5m", "1h"]:
        """Of tools and system prompt."""
        return "5m" if self is CacheLifetime.MINUTES else "1h"

    @property
    def of_messages(self) -> Literal["5m", "1h"]:
        """Of the conversation."""
        return "1h" if self is CacheLifetime.HOUR else "5m"


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Choices for every request of a model; `prices`, by model id, win over the catalogue's."""

    cache: CacheLifetime = CacheLifetime.MINUTES
    thinking: ThinkingDisplay = "summarized"
    prices: Mapping[str, Price] = field(default_factory=lambda: MappingProxyType({}))


DEFAULT_OPTIONS = ModelOptions()
