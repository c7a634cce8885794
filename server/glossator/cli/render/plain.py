"""For pipes: the answer alone on stdout, everything on the way to it on stderr."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from unicodedata import east_asian_width

from glossator.cli.messages import (
    NO_RULES,
    NO_SESSION,
    NO_TURN,
    PROMPT,
    compacted_notice,
    hunk_diff,
    hunk_hint,
    question_lines,
    stop_notice,
)
from glossator.cli.permitting import INDENT, Prompt
from glossator.cli.render.agents import NO_AGENT, AgentLines, agent_rows
from glossator.cli.render.citations import failed, marked_text, place, read_line, where, why
from glossator.cli.render.context import context_title, model_rows, part_rows
from glossator.cli.render.printable import printable
from glossator.cli.render.sessions import (
    dropped_lines,
    left_lines,
    problem_lines,
    rule_rows,
    session_rows,
    turn_rows,
    undone_lines,
)
from glossator.cli.render.summary import (
    EditLines,
    ToolLines,
    footer,
    index_rows,
    status_rows,
    what_next,
)
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
    Step,
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
from glossator.core.shown import shown_prose, shown_text

_PROGRESS_STEP = 10  # percent between two lines
_NARROWEST = 20  # columns for what is asked about

_MARKS = {"ok": "ok", "warning": "warning", "failed": "FAILED"}
_STEPS = {"pending": "[ ]", "active": "[>]", "done": "[x]"}


class Plain:
    """Text without colours or cursor movements."""

    def __init__(self, *, thinking: bool = False) -> None:
        self._thinking = thinking
        self._thought = ""  # an unfinished line of thinking
        self._tools = ToolLines()
        self._edits = EditLines()
        self._agents = AgentLines()
        self._told = -_PROGRESS_STEP  # the percentage of the last line about progress

    def event(self, event: Event) -> None:
        """Tool calls, notices and wanted thinking; the text waits for the answer."""
        if event["kind"] != "thinking.delta":
            self._finish_thought()
        match event["kind"]:
            case "tool.started":
                self._tools.started(event)
                self._agents.called(event)
            case "tool.finished":
                self._agents.answered(event)
                line = "  ".join(self._tools.finished(event))
                if event["callId"] not in self._agents.calls:
                    _aside(line)
            case "notice":
                _aside(event["message"])
            case "thinking.delta" if self._thinking:
                *lines, self._thought = (self._thought + event["text"]).split("\n")
                for line in lines:
                    _aside(line)
            case _:
                self._work(event)

    def notice(self, message: str) -> None:
        """On stderr."""
        _aside(message)

    def progress(self, progress: Progress) -> None:
        """A line now and then, on stderr."""
        percentage = progress.get("percentage", 0)
        if progress["kind"] == "report" and percentage >= self._told + _PROGRESS_STEP:
            self._told = percentage
            _aside(f"{percentage:3d}%  {progress.get('message', '')}".rstrip())

    def question(self, question: Question) -> None:
        """On stderr, the options numbered."""
        _prompt("\n".join(question_lines(question)))

    def permission(self, prompt: Prompt) -> None:
        """On stderr; of all lines only those that are asked about are indented."""
        width = max(shutil.get_terminal_size().columns - len(INDENT), _NARROWEST)
        details = (
            part if line.mark else f"{INDENT}{part}"
            for line in prompt.details
            for part in ([line.text] if line.mark else _wrapped(line.text, width))
        )
        warning = [prompt.warning] if prompt.warning else []
        lines = (prompt.request["title"], *details, *prompt.reasons, *warning, prompt.hint)
        _prompt("\n".join(lines))

    def whole(self, text: str) -> None:
        """On stderr."""
        _aside(text)

    def hunk(self, hunk: Hunk, *, number: int, total: int) -> None:
        """On stderr, as a diff."""
        _prompt(f"{shown_text(hunk_diff(hunk))}{hunk_hint(number, total)}")

    def ask_again(self, message: str) -> None:
        """On stderr."""
        _prompt(message)

    def resume(self) -> None:
        """There is nothing to do."""

    def diff(self, diff: str) -> None:
        """On stderr: the answer alone is for the pipe."""
        _aside(shown_text(diff.rstrip("\n")))

    def answer(self, answer: Answer) -> None:
        """The text, then one line for each citation that does not hold, and one for the others."""
        print(shown_prose(marked_text(answer)).rstrip("\n"))
        citations = answer["citations"]
        if citations:
            print()
        for citation in failed(citations):
            print(f"✗ {where(citation)}{why(citation)}")
        if read := read_line(citations):
            print(read)
        if ending := stop_notice(answer["stop"]):
            _aside(ending)
        _aside(footer(answer))
        _aside(what_next(answer))

    def hits(self, _query: str, found: Hits) -> None:
        """A heading and the indented lines of each hit."""
        for hit in found["hits"]:
            lines = place(hit["path"], hit["firstLine"], hit["lastLine"])
            print(f"{lines}  {hit['context']}".rstrip())
            for line in hit["text"].rstrip("\n").split("\n"):
                print(f"    {line}".rstrip())
        _aside(found["searched"])

    def tool(self, answer: ToolAnswer) -> None:
        """Exactly what the model would see."""
        sys.stdout.write(answer["text"])

    def status(self, status: Status) -> None:
        """One `name: value` a line."""
        for name, value in status_rows(status):
            print(f"{name}: {value}")

    def index(self, report: IndexReport) -> None:
        """One `name: value` a line, then the problems."""
        for name, value in index_rows(report):
            print(f"{name}: {value}")
        for problem in report["problems"]:
            _aside(f"problem: {problem}")

    def checks(self, checks: Checks) -> None:
        """One check a line; next steps are indented below."""
        for check in checks["checks"]:
            print(f"{_MARKS[check['state']]}: {check['name']}: {check['detail']}")
            if check["nextStep"]:
                print(f"    {check['nextStep']}")

    def sessions(self, answer: Sessions) -> None:
        """One session a line, its cells apart by tabs."""
        if not answer["sessions"]:
            _aside(NO_SESSION)
        for row in session_rows(answer):
            print("\t".join(row))

    def session(self, session: Session) -> None:
        """The id and the title."""
        print(f"{session['id']}\t{session['title']}")

    def deleted(self, answer: DeletedSession) -> None:
        """On stderr."""
        _aside(f"Deleted {answer['id']}.")

    def exported(self, answer: ExportedSession) -> None:
        """Exactly as it is."""
        sys.stdout.write(answer["text"])

    def compacted(self, answer: Compacted) -> None:
        """A line."""
        print(compacted_notice(answer["before"], answer["after"], by_model=answer["byModel"]))

    def turns(self, answer: Turns) -> None:
        """One turn a line, its cells apart by tabs."""
        if not answer["turns"]:
            _aside(NO_TURN)
        for row in turn_rows(answer):
            print("\t".join(row).rstrip())

    def undone(self, answer: Undone) -> None:
        """What was brought back; the rest on stderr."""
        for line in undone_lines(answer):
            print(line)
        for line in problem_lines(answer):
            _aside(line)

    def rewound(self, answer: Rewound) -> None:
        """What was dropped; what to do about files on stderr."""
        for line in dropped_lines(answer):
            print(line)
        for line in left_lines(answer):
            _aside(line)

    def agents(self, answer: Agents) -> None:
        """One sub-agent a line, its cells apart by tabs."""
        if not answer["agents"]:
            _aside(NO_AGENT)
        for row in agent_rows(answer):
            print("\t".join(row))

    def transcript(self, answer: AgentTranscript) -> None:
        """Exactly as it is."""
        sys.stdout.write(answer["text"])

    def rules(self, answer: Rules) -> None:
        """One rule a line, its cells apart by tabs."""
        if not answer["rules"]:
            _aside(NO_RULES)
        for row in rule_rows(answer):
            print("\t".join(row))

    def context(self, answer: Context) -> None:
        """One part a line, its cells apart by tabs; what the figures rest on, on stderr."""
        print(context_title(answer))
        for row, _ in part_rows(answer):
            print("\t".join(row).rstrip())
        _aside(answer["basis"])

    def models(self, answer: Models) -> None:
        """One model a line, its cells apart by tabs."""
        for row in model_rows(answer):
            print("\t".join(row).rstrip())
        if answer["problem"]:
            _aside(answer["problem"])

    def error(self, _code: int, message: str) -> None:
        """On stderr."""
        _aside(f"error: {message}")

    def close(self) -> None:
        """Only thinking can be unfinished."""
        self._finish_thought()

    def _work(self, event: Event) -> None:
        """What the model sets out to do, what became of it, and what it goes on from."""
        match event["kind"]:
            case "todo":
                _aside("\n".join(map(_step, event["steps"])))
            case "edit.proposed":
                self._edits.proposed(event)
            case "edit.settled" if line := self._edits.settled(event):
                _aside(line)
            case "agent.started":
                _aside(self._agents.started(event))
            case "agent.progress":
                _aside(self._agents.progress(event))
            case "agent.finished":
                _aside("  ".join(self._agents.finished(event)))
            case "compaction":
                _aside(compacted_notice(event["before"], event["after"], by_model=event["byModel"]))
            case _:
                pass

    def _finish_thought(self) -> None:
        if self._thought:
            _aside(self._thought)
            self._thought = ""


def _step(step: Step) -> str:
    return f"{_STEPS[step['state']]} {step['text']}"


def _prompt(text: str) -> None:
    print(f"{printable(text)}\n{PROMPT}", end="", file=sys.stderr, flush=True)


def _aside(message: str) -> None:
    print(printable(message), file=sys.stderr, flush=True)


def _wrapped(line: str, width: int) -> Iterator[str]:
    """A line in parts that fit, so that none goes on at the left edge; a tab may take 8 columns."""
    part, taken = "", 0
    for character in printable(line).expandtabs():
        wide = 2 if east_asian_width(character) in "WF" else 1
        if taken + wide > width:
            yield part
            part, taken = "", 0
        part, taken = part + character, taken + wide
    yield part
