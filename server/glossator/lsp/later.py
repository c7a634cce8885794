"""What a plain handler gives that cannot answer in the step that called it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Later:
    """`work` gives the answer; it becomes a task that can be cancelled."""

    work: Callable[[], Awaitable[Any]]
