"""The models that can be chosen."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.core.window import Price


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The model and its effort, and the model before."""

    model: str
    effort: str | None
    before: str


@dataclass(frozen=True, slots=True)
class ModelView:
    """A model; window and output in tokens, None where there is no limit or none is known.

    `effort` is its own, used when none is asked for. `efforts`, and the price (US dollars per
    million tokens), are None where they are not known.
    """

    id: str
    current: bool
    offline: bool
    window: int | None
    max_output: int | None
    effort: str | None
    efforts: tuple[str, ...] | None
    price: Price | None


@dataclass(frozen=True, slots=True)
class ModelList:
    """The model that runs use now and the effort it is asked with, None for its own.

    `problem` says why the server's own list is not shown, if it could not be asked for.
    """

    model: str
    effort: str | None
    models: tuple[ModelView, ...]
    problem: str
