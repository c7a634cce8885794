"""`glossator setup`: where a model comes from; a server on this machine is offered."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

import typer

from glossator.cli.asking import Command, ask_server
from glossator.cli.options import CommonOptions, with_options
from glossator.cli.render import Column, Display, Part, Styled, Table, line
from glossator.commands import LocalServerList
from glossator.core.errors import UsageError
from glossator.core.shown import shown

KEYS_PAGE = "https://console.anthropic.com/settings/keys"
_A_KEY = f"A key for the Anthropic API: {KEYS_PAGE}; export it as ANTHROPIC_API_KEY."
_OTHERS = (
    "Subscriptions (Claude Pro, Max, Team) give no key for it. Bedrock, Vertex and Foundry:"
    " models.backend in docs/settings.md."
)
_NONE = (
    "No server of models was found on this machine. Looked for: Ollama on port 11434, LM Studio"
    " on 1234, llama.cpp on 8080."
)
_ADDRESS = "ANTHROPIC_BASE_URL"
_ASK = "Which one shall answer from now on? A number, or Enter for none: "

Use = Annotated[
    str | None,
    typer.Option(
        "--use",
        metavar="MODEL",
        help="Have this model answer, of a server on this machine.",
        show_default=False,
    ),
]


@with_options
def setup(context: typer.Context, *, use: Use = None, common: CommonOptions) -> None:
    """Find a server of models on this machine, and have it answer from now on."""
    found: list[LocalServerList] = []

    def show(display: Display, answer: LocalServerList) -> bool:
        if use is None:
            display.answer(answer)
        found.append(answer)
        return True

    ask_server(context, common, Command("glossator.findLocalServers"), show)
    offers = offers_of(found[0])
    asks = not common.json and sys.stdin.isatty() and sys.stdout.isatty()
    if use is None and offers and asks:
        chosen = choose_model(offers)
        if chosen is not None:
            use_offer(chosen)
    elif use is not None:
        use_offer(offer_of(use, offers))


class Offer(NamedTuple):
    """A model of a server on this machine."""

    url: str
    profile: str
    model: str


def offers_of(answer: LocalServerList) -> list[Offer]:
    """Every one that can be used."""
    usable = (server for server in answer.servers if not server.problem)
    return [Offer(each.url, each.profile, model) for each in usable for model in each.models]


def choose_model(offers: Sequence[Offer]) -> Offer | None:
    """The one whose number is typed. Raises `UsageError` for a number that nothing has."""
    try:
        typed = input(_ASK).strip()
    except (EOFError, KeyboardInterrupt):
        print()
        return None
    if not typed:
        return None
    if not (typed.isdecimal() and 0 < int(typed) <= len(offers)):
        raise UsageError(f"Nothing has the number {shown(typed)}; nothing was changed.")
    return offers[int(typed) - 1]


def offer_of(model: str, offers: Sequence[Offer]) -> Offer:
    """The first server that has the model. Raises `UsageError` if none has."""
    for offer in offers:
        if offer.model == model:
            return offer
    raise UsageError(f"No server on this machine has {shown(model)}. Run: glossator setup")


def use_offer(offer: Offer) -> None:
    """Have it answer from now on. Raises `InvalidSettings`."""
    from glossator.settings import use_server  # noqa: PLC0415 - slow

    path = use_server(*offer)
    print(f"{shown(offer.model)} answers from now on; {shown(str(path))} says so.")
    if os.environ.get(_ADDRESS):
        print(f"But {_ADDRESS} is set, which wins: unset it.", file=sys.stderr)


def setup_parts(answer: object) -> Iterator[Part]:
    """The parts of what was found."""
    if not isinstance(answer, LocalServerList):
        return
    yield line(f"Now: {answer.model}")
    yield line(_A_KEY, aside=True)
    yield line(_OTHERS, "dim", aside=True)
    if not answer.servers:
        yield line(_NONE, aside=True)
        return
    rows = []
    number = 0
    for server in answer.servers:
        if server.problem:
            rows.append(("", server.name, server.url, Styled(server.problem, "yellow")))
            continue
        for model in server.models:
            number += 1
            rows.append((str(number), server.name, server.url, Styled(shown(model), "bold")))
    columns = (Column(whole=True), Column(whole=True), Column(style="dim", whole=True), Column())
    yield Table(columns, tuple(rows))
