"""`glossator setup`: where a model comes from; a server on this machine is offered."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated

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
        use = choose_model(offers)
    if use is not None:
        use_model(use, offers)


def offers_of(answer: LocalServerList) -> list[tuple[str, str, str]]:
    """Address, profile and model of each that can be used."""
    usable = (server for server in answer.servers if not server.problem)
    return [(each.url, each.profile, model) for each in usable for model in each.models]


def choose_model(offers: list[tuple[str, str, str]]) -> str | None:
    """The model whose number is typed. Raises `UsageError` for a number that nothing has."""
    try:
        typed = input(_ASK).strip()
    except (EOFError, KeyboardInterrupt):
        print()
        return None
    if not typed:
        return None
    if not (typed.isdecimal() and 0 < int(typed) <= len(offers)):
        raise UsageError(f"Nothing has the number {shown(typed)}; nothing was changed.")
    return offers[int(typed) - 1][2]


def use_model(model: str, offers: list[tuple[str, str, str]]) -> None:
    """Have it answer from now on. Raises `UsageError` and `InvalidSettings`."""
    from glossator.settings import use_server  # noqa: PLC0415 - slow

    for url, profile, name in offers:
        if name == model:
            path = use_server(url, profile, model)
            print(f"{shown(model)} answers from now on; {shown(str(path))} says so.")
            return
    raise UsageError(f"No server on this machine has {shown(model)}. Run: glossator setup")


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
