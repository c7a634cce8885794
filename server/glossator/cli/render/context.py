"""What the window of a session holds, and the models, as rows and lines for every renderer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from glossator.cli.messages import amount
from glossator.cli.wire import ListedModel, Models, Price
from glossator.cli.wire_sessions import Context, ContextPart

BAR = 8  # characters of a bar that stands for everything in the window
_EIGHTHS = " ▏▎▍▌▋▊▉"


class PartRow(NamedTuple):
    """One part of the window, or a whole layer (`of` is "" then).

    `why` is told once where it is the same for a whole layer.
    """

    layer: str
    of: str
    tokens: str
    cached: str
    why: str


class ModelRow(NamedTuple):
    """One model as lists show it; `mark` is "*" for the one that answers."""

    mark: str
    id: str
    window: str
    price: str
    efforts: str


def context_title(context: Context) -> str:
    """`12.3k of 1.0M tokens (1.2%) · claude-x · 11.9k cached · compaction at 800.0k`."""
    used, window, at = context["tokens"], context["window"], context["compactAt"]
    parts = [
        f"{amount(used)} of {amount(window)} tokens ({used / window:.1%})",
        "offline, extractive" if context["offline"] else context["model"],
        f"{amount(context['cached'])} cached" if context["cached"] else "nothing cached",
        "no compaction unasked" if at is None else f"compaction at {amount(at)}",
    ]
    return " · ".join(parts)


def part_rows(context: Context) -> Iterator[tuple[PartRow, float]]:
    """Each layer with its parts, and which share of what is in the window it is."""
    whole = context["tokens"] or 1
    for layer in context["layers"]:
        tokens, cached = layer["tokens"], layer["cached"]
        reasons = {part["why"] for part in layer["parts"]}
        common = reasons.pop() if len(reasons) == 1 else ""
        yield PartRow(layer["name"], "", amount(tokens), _cached(cached), common), tokens / whole
        for part in layer["parts"]:
            why = "" if common else part["why"]
            yield _part(layer["name"], part, why), part["tokens"] / whole


def bar(share: float) -> str:
    """A bar for a share of the whole, to an eighth of a character."""
    eighths = round(share * BAR * 8)
    full, rest = divmod(eighths, 8)
    return "█" * full + _EIGHTHS[rest].strip()


def model_rows(models: Models) -> list[ModelRow]:
    """In the order of the answer."""
    return [_model(model, models["effort"]) for model in models["models"]]


def _part(layer: str, part: ContextPart, why: str) -> PartRow:
    name = part["name"] if part["count"] == 1 else f"{part['name']} ({part['count']:,})"
    kind = part["kind"]
    if kind in {"call", "result"}:
        name = f"{kind}s of {name}"
    tokens = "deferred" if part["deferred"] else amount(part["tokens"])
    return PartRow(layer, name, tokens, _cached(part["cached"]), why)


def _cached(tokens: int) -> str:
    return amount(tokens) if tokens else ""


def _model(model: ListedModel, effort: str | None) -> ModelRow:
    efforts = model["efforts"]
    asked = (effort if model["current"] else None) or model["effort"]
    levels = "" if efforts is None else ", ".join(f"[{e}]" if e == asked else e for e in efforts)
    window = model["window"]
    return ModelRow(
        "*" if model["current"] else "",
        model["id"],
        "" if window is None else amount(window),
        "nothing is asked" if model["offline"] else _price(model["price"]),
        levels,
    )


def _price(price: Price | None) -> str:
    if price is None:
        return "price unknown"
    words = f"${price['input']:g} in, ${price['output']:g} out"
    above, up_to = price["above"], price["upTo"]
    if above is None or up_to is None:
        return words
    return f"{words}; over {amount(up_to)}: {_price(above)}"
