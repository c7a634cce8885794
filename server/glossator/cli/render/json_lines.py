"""For programs: one JSON object a line."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping

from glossator.cli.permitting import Prompt
from glossator.cli.wire import (
    Answer,
    Checks,
    Event,
    Hits,
    Hunk,
    IndexReport,
    Json,
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
from glossator.core.shown import PATTERNS

_UNSEEN = re.compile(PATTERNS["unseen"])  # which JSON can say in escapes


class JsonLines:
    """A run's events as received, then `{"answer": …}`; other commands' answers as they are.

    A failure's last line is `{"error": {"code": …, "message": …}}`.
    """

    def event(self, event: Event) -> None:
        """One line for each event."""
        _write(event)

    def notice(self, message: str) -> None:
        """Not a part of the protocol, so it stays out of the stream."""
        print(message, file=sys.stderr)

    def progress(self, progress: Progress) -> None:
        """One line for each step."""
        _write({"progress": progress})

    def question(self, question: Question) -> None:
        """One line."""
        _write({"question": question})

    def permission(self, prompt: Prompt) -> None:
        """One line."""
        _write({"permission": prompt.request})

    def whole(self, text: str) -> None:
        """One line."""
        _write({"whole": text})

    def hunk(self, hunk: Hunk, *, number: int, total: int) -> None:
        """One line."""
        _write({"hunk": hunk, "number": number, "total": total})

    def ask_again(self, message: str) -> None:
        """As a notice."""
        self.notice(message)

    def resume(self) -> None:
        """There is nothing to do."""

    def diff(self, diff: str) -> None:
        """One line."""
        _write({"diff": diff})

    def answer(self, answer: Answer) -> None:
        """The last line."""
        _write({"answer": answer})

    def hits(self, _query: str, found: Hits) -> None:
        """One object."""
        _write(found)

    def tool(self, answer: ToolAnswer) -> None:
        """One object."""
        _write(answer)

    def status(self, status: Status) -> None:
        """One object."""
        _write(status)

    def index(self, report: IndexReport) -> None:
        """One object."""
        _write(report)

    def checks(self, checks: Checks) -> None:
        """One object."""
        _write(checks)

    def sessions(self, answer: Sessions) -> None:
        """One object."""
        _write(answer)

    def session(self, session: Session) -> None:
        """One object."""
        _write(session)

    def deleted(self, answer: DeletedSession) -> None:
        """One object."""
        _write(answer)

    def exported(self, answer: ExportedSession) -> None:
        """One object."""
        _write(answer)

    def compacted(self, answer: Compacted) -> None:
        """One object."""
        _write(answer)

    def turns(self, answer: Turns) -> None:
        """One object."""
        _write(answer)

    def undone(self, answer: Undone) -> None:
        """One object."""
        _write(answer)

    def rewound(self, answer: Rewound) -> None:
        """One object."""
        _write(answer)

    def agents(self, answer: Agents) -> None:
        """One object."""
        _write(answer)

    def transcript(self, answer: AgentTranscript) -> None:
        """One object."""
        _write(answer)

    def rules(self, answer: Rules) -> None:
        """One object."""
        _write(answer)

    def context(self, answer: Context) -> None:
        """One object."""
        _write(answer)

    def models(self, answer: Models) -> None:
        """One object."""
        _write(answer)

    def error(self, code: int, message: str) -> None:
        """The last line; people get theirs on stderr."""
        _write({"error": {"code": code, "message": message}})
        print(f"error: {message}", file=sys.stderr)

    def close(self) -> None:
        """There is nothing to put right."""


def _write(value: Mapping[str, Json]) -> None:
    text = json.dumps(value, ensure_ascii=False)
    print(_UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text), flush=True)
