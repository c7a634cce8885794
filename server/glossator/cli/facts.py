"""Facts at a terminal: list, forget, pin, clear and export them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from glossator.cli.asking import Command, ask_server
from glossator.cli.messages import NO_FACT, plural
from glossator.cli.options import CommonOptions, a_sub_command_follows, with_options
from glossator.cli.render import Column, Display, Part, Styled, Table, line, listed
from glossator.commands import SummaryAnswer
from glossator.core.citations import place
from glossator.core.fact import FactState, FactView
from glossator.ledger import FactList, ForgottenFacts, PinnedFact

facts = typer.Typer(
    help="List the facts that earlier answers established, or work on some.",
    invoke_without_command=True,
)

Id = Annotated[str, typer.Argument(metavar="ID", help="The fact, as the list names it.")]
Ids = Annotated[
    list[str], typer.Argument(metavar="ID...", help="The facts, as the list names them.")
]


@facts.callback()
@with_options
def list_facts(context: typer.Context, *, common: CommonOptions) -> None:
    """List the facts that earlier answers established, or work on some."""
    if not a_sub_command_follows(context, common):
        ask_server(context, common, Command("glossator.listFacts"), _show)


@facts.command("forget")
@with_options
def forget_facts(context: typer.Context, ids: Ids, *, common: CommonOptions) -> None:
    """Forget facts for good."""
    ask_server(context, common, Command("glossator.forgetFact", {"ids": ids}))


@facts.command("pin")
@with_options
def pin_fact(context: typer.Context, fact: Id, *, common: CommonOptions) -> None:
    """Have a fact go with every question (the 20 newest pinned ones do), and dropped last."""
    ask_server(context, common, Command("glossator.pinFact", {"id": fact, "on": True}))


@facts.command("unpin")
@with_options
def unpin_fact(context: typer.Context, fact: Id, *, common: CommonOptions) -> None:
    """Treat a pinned fact as all others."""
    ask_server(context, common, Command("glossator.pinFact", {"id": fact, "on": False}))


@facts.command("clear")
@with_options
def clear_facts(
    context: typer.Context,
    *,
    stale: Annotated[
        bool, typer.Option("--stale", help="Only facts whose lines have changed.")
    ] = False,
    common: CommonOptions,
) -> None:
    """Forget all facts of the workspace, and what is remembered of its sessions."""
    ask_server(context, common, Command("glossator.clearFacts", {"stale": stale}))


@facts.command("export")
@with_options
def export_facts(
    context: typer.Context,
    session_id: Annotated[
        str | None, typer.Argument(metavar="SESSION", help="The memory of this session instead.")
    ] = None,
    *,
    common: CommonOptions,
) -> None:
    """Print the facts as JSON, with the hashes of their lines."""
    ask_server(context, common, Command("glossator.exportFacts", {"sessionId": session_id}))


def _show(display: Display, answer: FactList) -> bool:
    display.answer(answer)
    return not answer.problems


_STATES = {FactState.FRESH: "green", FactState.STALE: "yellow"}


def fact_parts(answer: object) -> Iterator[Part]:
    """The parts of an answer about facts, or of a summary."""
    match answer:
        case FactList(facts=facts, problems=problems):
            if facts or not problems:
                yield listed(_table(facts), NO_FACT)
            yield from (line(each, "yellow", aside=True) for each in problems)
        case PinnedFact(fact=fact):
            pinned = "Pinned" if fact.pinned else "Unpinned"
            yield line(f"{pinned}: {fact.id}, {fact.statement}", aside=True)
        case ForgottenFacts(facts=facts, sessions=sessions, left=left):
            yield from (line(f"forgot {each.id}: {each.statement}") for each in facts)
            more = f", and the memory of {plural(len(sessions), 'session')}" if sessions else ""
            rest = f" {left:,} {'is' if left == 1 else 'are'} left." if left else ""
            yield line(f"Forgot {plural(len(facts), 'fact')}{more}.{rest}", aside=True)
        case SummaryAnswer(by_model=by_model):
            yield from map(line, _summary(answer))
            if not by_model:
                yield line("Extracted without a model.", "dim", aside=True)


def _table(facts: Sequence[FactView]) -> Table:
    """A row for each fact."""
    columns = (
        Column(whole=True),
        Column("id", "bold", whole=True),
        Column("states"),
        Column("lines", whole=True),
        Column("", "dim", whole=True),
    )
    rows = (
        (
            Styled(each.state.value, _STATES[each.state]),
            each.id,
            each.statement,
            place(each.path, each.first_line, each.last_line),
            "pinned" if each.pinned else "",
        )
        for each in facts
    )
    return Table(columns, tuple(rows))


def _summary(answer: SummaryAnswer) -> Iterator[str]:
    parts = (
        ("Main topics", answer.main_topics),
        ("Key conclusions", answer.key_conclusions),
        ("Unresolved questions", answer.unresolved_questions),
    )
    for title, items in parts:
        yield f"{title}:"
        yield from (f"- {' '.join(item.split())}" for item in items or ("none",))
