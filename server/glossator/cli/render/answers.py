"""Answers at a terminal that no run streams: tables and lines."""

from __future__ import annotations

from collections.abc import Iterable

from glossator.cli.messages import NO_RULES, NO_SESSION, NO_TURN, compacted_notice
from glossator.cli.render import tables
from glossator.cli.render.agents import NO_AGENT
from glossator.cli.render.screen import Screen
from glossator.cli.render.sessions import dropped_lines, left_lines, problem_lines, undone_lines
from glossator.cli.wire import Checks, IndexReport, Models, Rules, Status, ToolAnswer
from glossator.cli.wire_agents import Agents, AgentTranscript
from glossator.cli.wire_sessions import (
    Compacted,
    Context,
    DeletedSession,
    ExportedSession,
    Rewound,
    Session,
    Sessions,
    Turns,
    Undone,
)


class Answers:
    """Shows each once, when nothing goes on any more."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    def tool(self, answer: ToolAnswer) -> None:
        """What the model would see, without what the terminal would obey."""
        self._screen.still()
        self._screen.out(answer["text"])

    def status(self, status: Status) -> None:
        """A table."""
        self._screen.still()
        self._screen.block("table", tables.status(status))

    def index(self, report: IndexReport) -> None:
        """A table."""
        self._screen.still()
        self._screen.block("table", tables.index(report))

    def checks(self, checks: Checks) -> None:
        """A table with next steps."""
        self._screen.still()
        self._screen.block("table", tables.checks(checks))

    def sessions(self, answer: Sessions) -> None:
        """A table."""
        self._screen.still()
        if answer["sessions"]:
            self._screen.block("table", tables.sessions(answer))
        else:
            self._screen.line("notice", NO_SESSION)

    def session(self, session: Session) -> None:
        """Its new title."""
        self._screen.still()
        self._screen.line("notice", f"{session['id']} is now called {session['title']!r}.")

    def deleted(self, answer: DeletedSession) -> None:
        """A line."""
        self._screen.still()
        self._screen.line("notice", f"Deleted {answer['id']}.")

    def exported(self, answer: ExportedSession) -> None:
        """Without what the terminal would obey."""
        self._screen.still()
        self._screen.out(answer["text"])

    def compacted(self, answer: Compacted) -> None:
        """A line."""
        self._screen.still()
        self._compaction(answer["before"], answer["after"], by_model=answer["byModel"])

    def turns(self, answer: Turns) -> None:
        """A table."""
        self._screen.still()
        if answer["turns"]:
            self._screen.block("table", tables.turns(answer))
        else:
            self._screen.line("notice", NO_TURN)

    def undone(self, answer: Undone) -> None:
        """A line for each file."""
        self._screen.still()
        self._notices(undone_lines(answer), problem_lines(answer))

    def rewound(self, answer: Rewound) -> None:
        """A line for each question."""
        self._screen.still()
        self._notices(dropped_lines(answer), left_lines(answer))

    def agents(self, answer: Agents) -> None:
        """A table."""
        self._screen.still()
        if answer["agents"]:
            self._screen.block("table", tables.agents(answer))
        else:
            self._screen.line("notice", NO_AGENT)

    def transcript(self, answer: AgentTranscript) -> None:
        """Without what the terminal would obey."""
        self._screen.still()
        self._screen.out(answer["text"])

    def rules(self, answer: Rules) -> None:
        """A table."""
        self._screen.still()
        if answer["rules"]:
            self._screen.block("table", tables.rules(answer))
        else:
            self._screen.line("notice", NO_RULES)

    def context(self, answer: Context) -> None:
        """A table with bars."""
        self._screen.still()
        self._screen.block("table", tables.context(answer))

    def models(self, answer: Models) -> None:
        """A table."""
        self._screen.still()
        self._screen.block("table", tables.models(answer))

    def _notices(self, done: Iterable[str], left: Iterable[str]) -> None:
        """What was done, and what was not."""
        for style, lines in (("", done), ("yellow", left)):
            for line in lines:
                self._screen.line("notice", line, style)

    def _compaction(self, before: int, after: int, *, by_model: bool) -> None:
        self._screen.line("notice", compacted_notice(before, after, by_model=by_model), "dim")
