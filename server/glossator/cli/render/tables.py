"""Hits, states and checks as rich draws them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from glossator.cli.render.agents import agent_rows
from glossator.cli.render.citations import place, where, why
from glossator.cli.render.context import BAR, bar, context_title, model_rows, part_rows
from glossator.cli.render.markdown import CODE_THEME
from glossator.cli.render.printable import printable
from glossator.cli.render.sessions import rule_rows, session_rows, turn_rows
from glossator.cli.render.summary import index_rows, status_rows
from glossator.cli.wire import (
    Check,
    Checks,
    Citation,
    Hit,
    IndexReport,
    Models,
    Rules,
    Status,
)
from glossator.cli.wire_agents import Agents
from glossator.cli.wire_sessions import (
    Context,
    Sessions,
    Turns,
)

_SNIPPET_LINES = 12
_NAME, _REASON = 14, 9  # characters that a column has at least
_EFFECTS = {"deny": "red", "ask": "yellow", "allow": "green"}
_MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "failed": ("✗", "red")}


def failed_citation(cited: Citation) -> Text:
    """`✗ path:10-20: Line 12 was not read.`, the place a link."""
    return Text.assemble(
        ("✗ ", "red"),
        (printable(where(cited)), Style(color="blue", link=cited["uri"])),
        printable(why(cited)),
    )


def agents(answer: Agents) -> RenderableType:
    """The sub-agents of a session."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    table.add_column()
    table.add_row(*(Text(name, "dim") for name in ("id", "", "task", "outcome")))
    for row in agent_rows(answer):
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table


def hit_heading(hit: Hit) -> Text:
    """`path:10-20  context`, the path a link."""
    lines = place(hit["path"], hit["firstLine"], hit["lastLine"])
    return Text.assemble(
        (printable(lines), Style(color="blue", bold=True, link=hit["uri"])),
        "  ",
        (printable(hit["context"]), "dim"),
    )


def hit_lines(hit: Hit, query: str) -> RenderableType:
    """The first lines of a hit in its language's colours, the query's words in bold."""
    lines = printable(hit["text"]).rstrip("\n").split("\n")
    code = "\n".join(lines[:_SNIPPET_LINES])
    syntax = Syntax(
        code,
        Syntax.guess_lexer(hit["path"], code),
        theme=CODE_THEME,
        background_color="default",
        line_numbers=True,
        start_line=hit["firstLine"],
    )
    _mark_words(syntax, code, query)
    left_out = len(lines) - _SNIPPET_LINES
    if left_out <= 0:
        return syntax
    return Group(syntax, Padding(Text(f"… {left_out} more lines", "dim"), (0, 0, 0, 2)))


def status(answer: Status) -> Table:
    """One row a figure."""
    return _figures(status_rows(answer))


def index(report: IndexReport) -> Table:
    """One row a figure; problems stand below."""
    table = _figures(index_rows(report))
    for problem in report["problems"]:
        table.add_row(Text("problem", "red"), Text(printable(problem), "red"))
    return table


def checks(answer: Checks) -> Table:
    """One row a check; what to do about it stands below its detail."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for check in answer["checks"]:
        mark, style = _MARKS[check["state"]]
        table.add_row(Text(mark, style), check["name"], _findings(check))
    return table


def sessions(answer: Sessions) -> Table:
    """One row a session; the ids are never cut."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("id", no_wrap=True, style="bold")
    table.add_column("title", overflow="fold")
    table.add_column("last changed", no_wrap=True, style="dim")
    table.add_column("", no_wrap=True, style="dim")
    for row in session_rows(answer):
        table.add_row(row.id, Text(printable(row.title)), row.age, row.turns)
    return table


def turns(answer: Turns) -> Table:
    """One row a turn."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("turn", no_wrap=True, style="bold")
    table.add_column("asked", overflow="fold")
    table.add_column("files it changed", overflow="fold", style="dim")
    table.add_column("", no_wrap=True)
    for row in turn_rows(answer):
        table.add_row(row.turn, Text(printable(row.about)), Text(printable(row.paths)), row.state)
    return table


def rules(answer: Rules) -> Table:
    """One row a rule; what is denied stands out."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("", no_wrap=True)
    table.add_column("rule", overflow="fold")
    table.add_column("from", overflow="fold", style="dim")
    for row in rule_rows(answer):
        table.add_row(Text(row.effect, _EFFECTS[row.effect]), Text(row.rule), Text(row.source))
    return table


def context(answer: Context) -> RenderableType:
    """One row a part, with a bar; whole layers in bold."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("", min_width=_NAME, overflow="fold")
    table.add_column("tokens", no_wrap=True, justify="right")
    table.add_column("", no_wrap=True, width=BAR)
    table.add_column("cached", no_wrap=True, justify="right", style="dim")
    table.add_column("", min_width=_REASON, overflow="fold", style="dim")
    for row, share in part_rows(answer):
        style = "" if row.of else "bold"
        name = Text(printable(f"  {row.of}" if row.of else row.layer), style)
        table.add_row(name, Text(row.tokens, style), Text(bar(share), "cyan"), row.cached, row.why)
    return Group(Text(context_title(answer), "bold"), table, Text(answer["basis"], "dim"))


def models(answer: Models) -> RenderableType:
    """One row a model; the one that answers is marked."""
    table = Table.grid(padding=(0, 2))
    for style in ("green", "bold", "", "", "dim"):
        table.add_column(overflow="fold", style=style)
    for row in model_rows(answer):
        table.add_row(*(Text(printable(cell)) for cell in row))
    if not answer["problem"]:
        return table
    return Group(table, Text(printable(answer["problem"]), "yellow"))


def _figures(rows: Iterable[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text(printable(value)))
    return table


def _findings(check: Check) -> Text:
    text = Text(printable(check["detail"]))
    if check["nextStep"]:
        text.append(f"\n→ {printable(check['nextStep'])}", "yellow")
    return text


def _mark_words(syntax: Syntax, code: str, query: str) -> None:
    words = [re.escape(word) for word in re.findall(r"\w{2,}", query)]
    if not words:
        return
    pattern = re.compile("|".join(words), re.IGNORECASE)
    for number, line in enumerate(code.split("\n"), start=1):
        for match in pattern.finditer(line):
            syntax.stylize_range("bold underline", (number, match.start()), (number, match.end()))
