"""Search and its generated contexts at a terminal: estimate, ask, make and share them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glossator.cli.asking import Command, ask_server
from glossator.cli.messages import amount, plural, price
from glossator.cli.options import ExploringOptions, ModelledOptions, with_options
from glossator.cli.render import Code, Fields, Part, Styled, TextLine, line
from glossator.core.citations import place
from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.retrieval import (
    BatchesEnded,
    ContextsAnswer,
    ContextsEstimate,
    ContextsExported,
    ContextsImported,
    SearchAnswer,
    SearchHit,
)

if TYPE_CHECKING:
    from glossator.cli.render import Display

_STAGES_PANEL = "Stages of the search"
_SHARING_PANEL = "Sharing"
_BATCHES_PANEL = "Batches"


@with_options
def search(  # noqa: PLR0913 - an option each
    context: typer.Context,
    query: Annotated[list[str], typer.Argument(help="A question, names, or terms.")],
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", "-n", min=1, help="The most hits to show; 20 if not given.", metavar="N"
        ),
    ] = None,
    path: Annotated[
        str | None,
        typer.Option("--path", "-p", metavar="DIR", help="Search only below this folder."),
    ] = None,
    glob: Annotated[
        str | None,
        typer.Option(
            "--glob", "-g", metavar="GLOB", help="Search only these files, such as '*.py'."
        ),
    ] = None,
    *,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Show each stage's rank and score of each hit, and what weighed most."
        ),
    ] = False,
    no_lexical: Annotated[
        bool,
        typer.Option(
            "--no-lexical", help="Without the words in common.", rich_help_panel=_STAGES_PANEL
        ),
    ] = False,
    no_vectors: Annotated[
        bool,
        typer.Option("--no-vectors", help="Without embeddings.", rich_help_panel=_STAGES_PANEL),
    ] = False,
    no_rerank: Annotated[
        bool,
        typer.Option("--no-rerank", help="Without the reranker.", rich_help_panel=_STAGES_PANEL),
    ] = False,
    common: ModelledOptions,
) -> None:
    """Find the places that matter to a question, best first; no model answers."""
    words = " ".join(query)
    off = {"lexical": no_lexical, "vectors": no_vectors, "rerank": no_rerank}
    argument: dict[str, Any] = {"query": words}
    given = {"limit": limit, "path": path, "glob": glob}
    argument.update((name, value) for name, value in given.items() if value is not None)
    if without := [name for name, is_off in off.items() if is_off]:
        argument["without"] = without
    if explain:
        argument["explain"] = True

    command = Command("glossator.search", argument)
    ask_server(context, common, command, progress=not common.json)  # of the index


@with_options
def contexts(  # noqa: PLR0913 - an option each
    context: typer.Context,
    path: Annotated[
        str | None,
        typer.Option("--path", "-p", metavar="DIR", help="Only for files below this folder."),
    ] = None,
    glob: Annotated[
        str | None,
        typer.Option("--glob", "-g", metavar="GLOB", help="Only for these files, such as '*.py'."),
    ] = None,
    *,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Show what it would cost, and ask nothing.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask; needs --dollars, the most to spend.")
    ] = False,
    dollars: Annotated[
        float | None,
        typer.Option("--dollars", metavar="N", help="The most to spend, in US dollars."),
    ] = None,
    batch: Annotated[
        bool,
        typer.Option(
            "--batch",
            help="With --yes: at half the price per request, in minutes to a day.",
            rich_help_panel=_BATCHES_PANEL,
        ),
    ] = False,
    cancel: Annotated[
        bool,
        typer.Option(
            "--cancel", help="Ask to end the batches under way.", rich_help_panel=_BATCHES_PANEL
        ),
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            metavar="FILE",
            help="Write the contexts that there are for a colleague.",
            rich_help_panel=_SHARING_PANEL,
        ),
    ] = None,
    taken: Annotated[
        Path | None,
        typer.Option(
            "--import",
            metavar="FILE",
            help="Take in a colleague's.",
            rich_help_panel=_SHARING_PANEL,
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    common: ExploringOptions,
) -> None:
    """Have the fast model describe each chunk for Search, after a yes to the estimate."""
    if sum((estimate, yes, cancel, export is not None, taken is not None)) > 1:
        raise UsageError(
            "--estimate, --yes, --cancel, --export and --import exclude each other; choose one."
        )
    if yes and dollars is None:
        raise UsageError("--yes needs --dollars N, the most that may be spent.")
    given = {"path": path, "glob": glob}
    files: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if estimate:
        ask_server(context, common, Command("glossator.estimateContexts", files))
    elif cancel:
        ask_server(context, common, Command("glossator.endBatches"))
    elif export is not None:
        _export(context, common, files, export)
    elif taken is not None:
        text = taken.read_text("utf-8")
        ask_server(context, common, Command("glossator.importContexts", {"text": text}))
    else:
        argument = files | {"confirmed": yes, "batched": batch}
        if dollars is not None:
            argument["dollars"] = dollars
        command = Command("glossator.generateContexts", argument)
        ask_server(context, common, command, _show_made, progress=True)


def _export(
    context: typer.Context, common: ExploringOptions, files: dict[str, Any], place: Path
) -> None:
    def show(display: Display, answer: ContextsExported) -> bool:
        place.write_text(answer.text, "utf-8")
        display.notice(f"{plural(answer.count, 'context')} written to {place}.", "")
        return True

    ask_server(context, common, Command("glossator.exportContexts", files), show)


def _show_made(display: Display, answer: ContextsAnswer) -> bool:
    display.answer(answer)
    return not (answer.failed or answer.stopped)


def retrieval_parts(answer: object) -> Iterator[Part]:
    """The parts of an answer about Search or its contexts."""
    match answer:
        case SearchAnswer():
            yield from _search(answer)
        case ContextsEstimate():
            yield Fields(tuple(_estimate(answer)))
        case ContextsAnswer():
            yield from _made(answer)
        case ContextsExported():
            yield line(plural(answer.count, "context"))
        case ContextsImported():
            yield line(f"{plural(answer.count, 'context')} taken in.")
        case BatchesEnded():
            yield line(f"Batches that the provider was asked to end: {answer.count:,}")


def _estimate(guess: ContextsEstimate) -> Iterator[tuple[str, str]]:
    yield "model", guess.model
    yield "missing", f"{plural(guess.chunks, 'context')} of {plural(guess.files, 'file')}"
    if guess.kept:
        yield "there already", f"{guess.kept:,}"
    if guess.under_way:
        yield "in batches", f"{guess.under_way:,}, paid for"
    if guess.left_out:
        yield "not sent", f"{plural(guess.left_out, 'file')}: generated, data, or hidden by rules"
    sent, written = amount(guess.input_tokens), amount(guess.output_tokens)
    documents = amount(guess.document_tokens)
    yield "tokens", f"{documents} of documents; {sent} in, {written} out"
    yield "one by one", price(guess.dollars)
    if guess.takes_batches:
        prices = dict.fromkeys(map(price, (guess.batch_dollars, guess.batch_most)))
        yield "as a batch", " to ".join(prices)
    yield "limit", "none" if guess.limit is None else price(guess.limit)
    if guess.sharing:
        yield "contexts", guess.sharing


def _made(answer: ContextsAnswer) -> Iterator[Part]:
    guess = answer.estimate
    rows = [("made", plural(answer.made, "context"))]
    if answer.failed:
        rows.append(("failed", f"{answer.failed:,}"))
    if answer.cost:
        rows.append(("cost", answer.cost))
    if not (guess.chunks or guess.under_way):
        yield line(guess.in_words)
        return
    yield Fields(tuple(rows), tuple(map(shown, answer.problems)))
    if answer.stopped:
        yield line(answer.stopped, "yellow", aside=True)


def _search(answer: SearchAnswer) -> Iterator[Part]:
    for number, hit in enumerate(answer.hits):
        yield from _hit(hit, f"hit {number}")
    if answer.absent:
        yield line(f"In no file: {', '.join(answer.absent)}", "yellow", aside=True)
    yield line(answer.searched, "dim", aside=True)


def _hit(hit: SearchHit, kind: str) -> Iterator[Part]:
    link = line_link(hit.uri, (hit.lines or (hit.first_line,))[0], os.environ)
    where = Styled(place(hit.path, hit.first_line, hit.last_line), "bold blue", link)
    context = (Styled("  "), Styled(hit.context, "dim")) if hit.context else ()
    yield TextLine((where, *context), kind)
    yield Code(hit.text, hit.path, hit.first_line, hit.lines, hit.words, kind)
    if not hit.reasons:
        return
    stages = " · ".join(f"{each.stage} #{each.rank} ({each.score:.2f})" for each in hit.stages)
    yield line(f"  {stages}", "cyan", kind=kind, hang=2)
    reasons = ", ".join(f"{each.feature} {each.weight:+.2f}" for each in hit.reasons)
    yield line(f"  {reasons}", "dim", kind=kind, hang=2)


def line_link(uri: str, number: int, environment: Mapping[str, str]) -> str:
    """The link to a line (1-based), where the terminal is known to open lines; else to the file.

    Others may not open a file at all with a fragment: GLib refuses such a URI. Sources: kitty,
    "Scripting the mouse click"; iTerm2, "Hyperlinks"; VS Code, `extractSelection` of its openers.
    """
    program = environment.get("TERM_PROGRAM")
    if program == "vscode":
        return f"{uri}#L{number}"
    if program in {"iTerm.app", "WezTerm"} or environment.get("TERM") == "xterm-kitty":
        return f"{uri}#{number}"
    return uri
