"""Sessions, their turns, rules and what was undone, as rows and lines for every renderer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from glossator.cli.messages import ago, plural
from glossator.cli.wire import Rules
from glossator.cli.wire_sessions import (
    Rewound,
    Session,
    Sessions,
    Turn,
    Turns,
    Undone,
    UndoProblem,
)
from glossator.core.shown import shown, some_of

_PATHS = 4  # of a turn that are named
_FILES = 12  # of an undo that have a line each, by what was done to them
_QUESTION = 60  # characters
_SOURCES = {
    "settings": "settings or options",
    "always": "answered: always here",
    "session": "answered: in the session",
}


class SessionRow(NamedTuple):
    """One session as lists show it."""

    id: str
    title: str
    age: str
    turns: str


class TurnRow(NamedTuple):
    """One turn that changed files; `about`: what was asked, or which turns it undid.

    `state` is "undone" or empty.
    """

    turn: str
    about: str
    paths: str
    state: str


class RuleRow(NamedTuple):
    """One permission rule as lists show it."""

    effect: str
    rule: str
    source: str


def session_row(session: Session, now: datetime) -> SessionRow:
    """The cells of one session."""
    age = "running" if session["running"] else ago(session["updatedAt"], now)
    return SessionRow(session["id"], session["title"], age, plural(session["turns"], "turn"))


def rule_rows(answer: Rules) -> list[RuleRow]:
    """Those that deny first, then those that ask, and that allow."""
    return [
        RuleRow(rule["effect"], shown(rule["text"]), _SOURCES[rule["source"]])
        for rule in answer["rules"]
    ]


def session_rows(answer: Sessions) -> list[SessionRow]:
    """The one that changed last first."""
    now = datetime.now(UTC)
    return [session_row(session, now) for session in answer["sessions"]]


def turn_rows(answer: Turns) -> list[TurnRow]:
    """Oldest first."""
    return [
        TurnRow(
            turn["turn"], _about(turn), names(turn["paths"]), "undone" if turn["undoneBy"] else ""
        )
        for turn in answer["turns"]
    ]


def undone_lines(undone: Undone) -> list[str]:
    """What was brought back, which turns are undone now or no longer, how to take that back."""
    lines = [*_file_lines("restored", undone["restored"])]
    lines += _file_lines("removed", undone["removed"])
    if not lines and not not_undone(undone):
        lines.append("The files are as they were already.")
    lines += [f"undone: {_short(question)}" for question in undone["undid"]]
    lines += [f"done again: {_short(question)}" for question in undone["redid"]]
    if undone["undid"]:
        lines.append("To do it again: `glossator redo`.")
    elif undone["redid"]:
        lines.append("To take it back: `glossator undo`.")
    elif undone["turn"]:
        lines.append(f"To take this back, undo again with --turn {undone['turn']}.")
    return lines


def _file_lines(done: str, paths: list[str]) -> Iterator[str]:
    yield from (f"{done} {shown(path)}" for path in paths[:_FILES])
    if (more := len(paths) - _FILES) > 0:
        yield f"{done} {plural(more, 'more file')}"


def not_undone(undone: Undone) -> list[UndoProblem]:
    """The files that are not as they were; a conflict that was overwritten is none of them."""
    done = {*undone["restored"], *undone["removed"]}
    left = [each for each in undone["conflicts"] if each["path"] not in done]
    return [*left, *undone["failed"]]


def problem_lines(undone: Undone) -> Iterator[str]:
    """What was not brought back, why, and what to do."""
    for problem in not_undone(undone):
        yield f"not undone {shown(problem['path'])}: it {problem['reason']}"
    if undone["conflicts"] and undone["turn"] is None:
        yield "Nothing was undone. To undo the changes to these files as well, add --overwrite."
    for job in undone["jobs"]:
        yield (
            f"The job `{shown(job)}` was not over when its turn was; what it changed later is not"
            " known, so check the files."
        )
    if undone["incomplete"] and not undone["jobs"]:
        yield (
            "A command of this turn was cut off with its server; what it changed is not known,"
            " so check the files."
        )


def dropped_lines(rewound: Rewound) -> list[str]:
    """The questions that were dropped."""
    return [f"dropped: {_short(run['question'])}" for run in rewound["runs"]]


def left_lines(rewound: Rewound) -> list[str]:
    """The files that stay changed, and how to take that back."""
    changed = rewound["changed"]
    if not changed:
        return []
    paths = list(dict.fromkeys(path for turn in changed for path in turn["paths"]))
    what = names(paths) if paths else "What commands changed"
    undo = f"glossator undo --turn {changed[0]['turn']} --since"
    return [f"{what}: as the dropped turns left it. To take that back: `{undo}`."]


def _about(turn: Turn) -> str:
    if turn["undoes"]:
        return f"undo of {', '.join(turn['undoes'])}"
    return _short(turn["question"])


def _short(question: str) -> str:
    line = " ".join(question.split())
    return line if len(line) <= _QUESTION else f"{line[: _QUESTION - 1]}…"


def names(paths: list[str]) -> str:
    """Some of the paths, and how many more there are."""
    return some_of([shown(path) for path in paths], _PATHS)
