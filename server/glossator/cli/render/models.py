"""How the models and modes are shown that answer and act."""

from __future__ import annotations

from collections.abc import Iterator

from glossator.cli.messages import amount
from glossator.cli.render import Column, Part, Table, line
from glossator.commands import ModeAnswer, ModelAnswer, ModelList, ModelView
from glossator.core.window import Price


def model_parts(answer: ModelList | ModelAnswer | ModeAnswer) -> Iterator[Part]:
    """The models that can be chosen, or what was chosen."""
    match answer:
        case ModeAnswer(mode=mode, before=before):
            yield line(_chosen("Mode", mode, before), "dim", aside=True)
        case ModelAnswer(model=model, before=before):
            yield line(_chosen("Model", model, before), "dim", aside=True)
        case ModelList():
            yield from _listed(answer)


def _chosen(what: str, now: str, before: str) -> str:
    same = now == before
    return f"{what} {now}, as before." if same else f"{what} {now} from now on, no longer {before}."


def _listed(answer: ModelList) -> Iterator[Part]:
    columns = tuple(Column(style=style) for style in ("green", "bold", "", "", "dim"))
    yield Table(columns, tuple(_model(each, answer.effort) for each in answer.models))
    if answer.problem:
        yield line(answer.problem, "yellow", kind="table", aside=True)


def _model(model: ModelView, effort: str | None) -> tuple[str, ...]:
    """Mark, id, window, price and efforts; the one that answers is marked."""
    asked = (effort if model.current else None) or model.effort
    levels = (f"[{each}]" if each == asked else each for each in model.efforts or ())
    return (
        "*" if model.current else "",
        model.id,
        "" if model.window is None else amount(model.window),
        "nothing is asked" if model.offline else _price(model.price),
        ", ".join(levels),
    )


def _price(each: Price | None) -> str:
    if each is None:
        return "price unknown"
    words = f"${each.input:g} in, ${each.output:g} out"
    if each.above is None or each.up_to is None:
        return words
    return f"{words}; over {amount(each.up_to)}: {_price(each.above)}"
