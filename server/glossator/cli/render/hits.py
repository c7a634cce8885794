"""How the hits of a search are shown: where each is, and the few lines that tell most."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from glossator.cli.render import Code, Part, Styled, TextLine, line
from glossator.core.answers import SearchAnswer, SearchHit
from glossator.core.citations import place


def search_parts(answer: SearchAnswer) -> Iterator[Part]:
    """The hits, each with the lines that tell most, and what was searched."""
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
