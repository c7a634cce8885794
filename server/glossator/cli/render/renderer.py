"""What every way of showing answers can do, and the choice between them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from glossator.cli.permitting import Prompt
from glossator.cli.wire import (
    Answer,
    Checks,
    Event,
    Hits,
    Hunk,
    IndexReport,
    Models,
    Progress,
    Question,
    Rules,
    Status,
    ToolAnswer,
)
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


class Renderer(Protocol):
    """Shows what a server says. Events come as they happen, the rest once."""

    def event(self, event: Event) -> None:
        """Something happened in a run."""

    def notice(self, message: str) -> None:
        """The server has something to tell the user."""

    def progress(self, progress: Progress) -> None:
        """How far the work is that the command waits for."""

    def question(self, question: Question) -> None:
        """The user is to answer on the next line of input."""

    def permission(self, prompt: Prompt) -> None:
        """The user is to decide on the next line of input."""

    def whole(self, text: str) -> None:
        """What a prompt did not show whole."""

    def hunk(self, hunk: Hunk, *, number: int, total: int) -> None:
        """A part of an edit, which the user is to decide about on the next line of input."""

    def ask_again(self, message: str) -> None:
        """The answer cannot be used; the user is to try again on the next line."""

    def resume(self) -> None:
        """The user has answered, and the run goes on."""

    def diff(self, diff: str) -> None:
        """A file was changed."""

    def answer(self, answer: Answer) -> None:
        """The end of a run whose events were shown."""

    def hits(self, query: str, found: Hits) -> None:
        """The result of a search."""

    def tool(self, answer: ToolAnswer) -> None:
        """A tool's result."""

    def status(self, status: Status) -> None:
        """The server's state."""

    def index(self, report: IndexReport) -> None:
        """How the index stands."""

    def checks(self, checks: Checks) -> None:
        """The doctor's findings."""

    def sessions(self, answer: Sessions) -> None:
        """The sessions of the workspace."""

    def session(self, session: Session) -> None:
        """A session was renamed."""

    def deleted(self, answer: DeletedSession) -> None:
        """A session was deleted."""

    def exported(self, answer: ExportedSession) -> None:
        """A session's text."""

    def compacted(self, answer: Compacted) -> None:
        """A session's conversation became shorter."""

    def turns(self, answer: Turns) -> None:
        """The turns of a session that changed files."""

    def undone(self, answer: Undone) -> None:
        """What was brought back and what not."""

    def rewound(self, answer: Rewound) -> None:
        """A conversation went back."""

    def agents(self, answer: Agents) -> None:
        """The sub-agents of a session."""

    def transcript(self, answer: AgentTranscript) -> None:
        """All that was said in a sub-agent."""

    def rules(self, answer: Rules) -> None:
        """The permission rules."""

    def context(self, answer: Context) -> None:
        """What the window of a session holds."""

    def models(self, answer: Models) -> None:
        """The models that can be chosen."""

    def error(self, code: int, message: str) -> None:
        """The command failed."""

    def close(self) -> None:
        """Leave the terminal as it was found; nothing is shown afterwards."""


def choose(*, json: bool, terminal: bool, thinking: bool, roots: Sequence[Path]) -> Renderer:
    """The renderer for this output; only the chosen one's libraries are imported."""
    if json:
        from glossator.cli.render.json_lines import JsonLines  # noqa: PLC0415 - see above

        return JsonLines()
    if not terminal:
        from glossator.cli.render.plain import Plain  # noqa: PLC0415 - see above

        return Plain(thinking=thinking)
    from glossator.cli.render.pretty import Pretty  # noqa: PLC0415 - see above

    return Pretty(thinking=thinking, roots=roots)
