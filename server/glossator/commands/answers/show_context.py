"""What is in the model's window, and why."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.core.window import Kind


@dataclass(frozen=True, slots=True)
class Part:
    """Things of one kind and name, and why they are there; `cached` are those of the tokens.

    A tool that is `deferred` takes no tokens until the model searches for it. `cut` says what was
    left out of them, "" for nothing.
    """

    kind: Kind
    name: str
    why: str
    count: int
    tokens: int
    cached: int
    deferred: bool = False
    cut: str = ""


@dataclass(frozen=True, slots=True)
class Layer:
    """Parts that stand together, in the order of the window: system, tools or conversation."""

    name: str
    tokens: int
    cached: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """The window of a session in tokens: all that there is, what is in it, what is cached.

    `model` is the one that answers next; where no model can be asked, the one that was asked last.
    The provider holds what is `cached` until `cached_until` (ISO 8601), if no request comes
    before; it is None where nothing is. The conversation is compacted unasked at `compact_at`, None
    for never. `counted` is what the provider counted for the newest request, `estimated` what we
    take that to be, None without such a request; `basis` says what the figures rest on. `left_out`
    are sentences on what is not in the window although it was there to be told.
    """

    session_id: str | None
    title: str
    model: str
    offline: bool
    window: int
    compact_at: int | None
    tokens: int
    cached: int
    cached_until: str | None
    counted: int | None
    estimated: int | None
    basis: str
    layers: tuple[Layer, ...]
    left_out: tuple[str, ...] = ()
