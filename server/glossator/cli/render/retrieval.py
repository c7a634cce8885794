"""How answers about Search are shown: hits with the lines that tell most, generated contexts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from glossator.cli.messages import amount, plural, price
from glossator.cli.render import Code, Fields, Part, Styled, TextLine, line
from glossator.core.citations import place
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

RetrievalAnswer = (
    SearchAnswer
    | ContextsAnswer
    | ContextsEstimate
    | ContextsExported
    | ContextsImported
    | BatchesEnded
)


def retrieval_parts(answer: RetrievalAnswer) -> Iterator[Part]:
    """The parts of an answer."""
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
