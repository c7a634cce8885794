"""Messages for the terminal's user, and figures in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from glossator.core.plan_text import PLANNED
from glossator.core.question import Option, Question
from glossator.core.shown import shown, some_of
from glossator.core.tokens import in_dollars
from glossator.core.words import Act, Became

if TYPE_CHECKING:
    from glossator.commands import SessionInfo, SessionWorktree, TurnView

SERVER_LOST_NEXT_STEP = (
    "Run the command again with --verbose to see the server's whole log, or check the set-up"
    " with `glossator doctor`."
)
PROMPT = "> "
_SHORT_CHARACTERS = 60  # characters of a question or a task
_NAMED_PATHS = 4  # paths of a turn that are named
NOBODY_PERMITS = (
    "This needs the user's permission, and nobody is at the terminal to be asked.\nDo without it,"
    " and say in your answer what was left undone."
)
NOBODY_REVIEWS = (
    "An edit was not applied, because nobody is here to review it; run the command in a terminal,"
    " or with --mode acceptEdits and without a review."
)
NOBODY_TALKS = (
    "`glossator chat` needs a terminal to type in, and no --json; ask one question with"
    " `glossator ask`."
)
NO_SESSION = "This workspace has no session yet; begin one with `glossator ask`."
NO_CUSTOMIZATIONS = (
    "No file describes a skill, a slash command or a sub-agent; docs/customizations.md says where"
    " they may lie."
)
NOTHING_GOES = "Nothing goes with this question; the model looks things up itself."
NO_INSTRUCTIONS = "No instruction file is here, such as AGENTS.md."
NO_HOOKS = "No hooks are set, and no file here asks for any; docs/hooks.md says how to set some."
NO_RULES = "No permission rule holds here: you are asked about all that the mode does not allow."
OPEN_ADDRESS = "Open this address in your browser:"
NO_MCP_SERVERS = "No MCP server is set up; docs/mcp.md says how."
NOT_ADOPTED = "Not adopted."
NOBODY_ADOPTS = "Nobody was asked: run this in a terminal, or adopt it in your editor."
NO_MEMORY = "Nothing is remembered here; the model asks you before it keeps something."
NO_FACT = "No fact is kept here yet; answers add some whose sentences are supported by their lines."
NO_TURN = "No turn of this session has changed a file."
NO_AGENT = "No sub-agent was at work in this session."
NO_TRUSTED = "No folder is remembered as trusted; `glossator trust DIR` trusts one."
NO_QUESTION = "The question is empty; write it after `ask`, or pipe it in with `glossator ask -`."
OUTPUT_NEXT_STEP = "Check where the output goes, and that the current folder still exists."
OVERWRITE = "Nothing was undone. To undo the changes to these files as well, add --overwrite."
UNDO_INCOMPLETE = (
    "A command of this turn was cut off with its server; what it changed is not known,"
    " so check the files."
)
CANCELLING = "Stopping; press Ctrl-C again to end it at once."
TOOL_EXAMPLE = """Example: glossator tool Grep '{"pattern": "def main", "path": "src"}'"""

# why a run ended, where that is not "answered"
STOPS: Mapping[str, str] = {
    "turns": "The run reached its limit of turns; the answer may be incomplete.",
    "tokens": "The run reached its limit of tokens; the answer may be incomplete.",
    "money": "The run cost as much as it may; the answer may be incomplete.",
    "time": "The run reached its time limit; the answer may be incomplete.",
    "repetition": "The model repeated the same tool calls and was stopped.",
    "hook": "A hook of yours ended the run; the answer may be incomplete.",
    "cut off": "The answer was cut off at the model's output limit.",
    "context full": "The conversation no longer fits the model's window; ask a narrower question.",
}


def stop_notice(stop: str) -> str | None:
    """What to say about the end of a run; None when the answer says it all."""
    if stop in {"answered", "refused", "partial", PLANNED}:  # a report says what it lacks
        return None
    return STOPS.get(stop, f"The run ended early: {stop}.")


def go_on_notice(command: str, session_id: str) -> str:
    """How to go on with a session after a run in it was cancelled."""
    words = ' "Go on."' if command == "ask" else ""
    return f"{Became.KEPT} To go on: glossator {command} --resume {session_id}{words}"


def taken_notice(title: str, session_id: str) -> str:
    """How to go on with a session that was taken over from another program."""
    return f"“{title}” is free now. To go on: glossator chat --resume {session_id}"


def taken_away(where: str) -> str:
    """What a chat says whose session another program took over."""
    return (
        f"This session was taken over in {where}. /takeover takes it back, /new begins another one."
    )


def open_elsewhere(title: str, where: str) -> Question:
    """Whether to take a session over that another program has open."""
    take = Option(Act.TAKE_OVER, f"Its turn in {where} ends, and all of it is kept.")
    leave = Option("Leave it there", "Questions in it are refused here.")
    return Question(f"“{title}” is open in {where}.", (take, leave), refusal=leave.label)


def planned_notice(session_id: str) -> str:
    """How to start a plan later, in another mode or in other words."""
    return (
        "Nothing was changed. To start the plan: glossator ask --resume"
        f' {session_id} --mode acceptEdits "Carry out the plan."'
    )


def compacted_notice(before: int, after: int, *, by_model: bool) -> str:
    """How much shorter a conversation became, in tokens: `compacted: 812.0k → 94.0k tokens`."""
    extracted = "" if by_model else " (extracted)"
    return f"compacted: {amount(before)} → {amount(after)} tokens{extracted}"


def job_notice(job: str) -> str:
    """Say that a background job went on after its turn."""
    return (
        f"The job `{shown(job)}` was not over when its turn was; what it changed later is not"
        " known, so check the files."
    )


def duration(milliseconds: float) -> str:
    """A length of time for people: `0.6 ms`, `14 ms`, `4.2 s`, `2 min 05 s`."""
    if milliseconds < 9.95:
        return f"{milliseconds:.1f} ms"
    if milliseconds < 999.5:
        return f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds:02} s"


def amount(number: int, gap: str = "") -> str:
    """A count for people: `512`, `12.3k`, `2.0M`; `gap` stands before the letter."""
    if number < 1000:
        return f"{number}{gap}"
    if number < 999_950:
        return f"{number / 1000:.1f}{gap}k"
    return f"{number / 1_000_000:.1f}{gap}M"


def price(dollars: float | None) -> str:
    """A price for people: `$1.20`, `$0.0034`, `under $0.0001`, `price unknown`."""
    return "price unknown" if dollars is None else in_dollars(dollars)


def ago(moment: str, now: datetime) -> str:
    """How long ago an ISO 8601 moment was: `just now`, `5 min ago`, `3 hours ago`, `2 days ago`."""
    minutes = int((now - datetime.fromisoformat(moment)).total_seconds()) // 60
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago"
    hours = minutes // 60
    return f"{plural(hours, 'hour')} ago" if hours < 24 else f"{plural(hours // 24, 'day')} ago"


def size(number: int) -> str:
    """A number of bytes for people: `512 B`, `1.5 MB`."""
    return f"{amount(number, gap=' ')}B"


def plural(number: int, noun: str) -> str:
    """`1 turn`, `2 turns`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def names(paths: Sequence[str]) -> str:
    """Some of the paths, and how many more there are."""
    return some_of([shown(path) for path in paths], _NAMED_PATHS)


def short(text: str) -> str:
    """The beginning of a question or task, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _SHORT_CHARACTERS else f"{line[: _SHORT_CHARACTERS - 1]}…"


def first_paragraph(task: str) -> str:
    """The first paragraph of a task on one line; in tasks of ours, instructions follow it."""
    return " ".join(task.strip().partition("\n\n")[0].split())


def begun_notice(session: SessionInfo) -> str:
    """Where a session in a worktree works, and what becomes of that."""
    tree = session.worktree
    where = "" if tree is None else f"{tree.branch}, in {shown(tree.folders[0])}"
    into = tree and tree.into
    return (
        f"This session works on a branch of its own, {where}. /merge merges it into"
        f" {into or 'your branch'}, /discard throws it away."
    )


def in_worktree_notice(session_id: str) -> str:
    """What to do with the worktree of a session."""
    return (
        f"What changed is in the session's worktree. Merge it with `glossator"
        f" sessions merge {session_id}`, throw it away with `glossator sessions discard"
        f" {session_id}`, or go on with --resume {session_id}."
    )


def worktree_words(tree: SessionWorktree | None) -> str:
    """A session's branch, and what became of it or how much was changed."""
    if tree is None:
        return ""
    if tree.state != "open":
        return f"{tree.branch}, {Became[tree.state.upper()]}"
    return tree.branch if tree.changed is None else f"{tree.branch}, {plural(tree.changed, 'file')}"


def undo_merge(before: str) -> str:
    """How to take a merge back."""
    return f"To take it back: `git reset --keep {before[:12]}`, before you commit anything else."


def kept_worktree(branch: str, lost: str) -> str:
    """Why a worktree was not thrown away."""
    return (
        f"{branch} was not {Became.DISCARDED}: {lost} would be lost. {Act.MERGE} it, or"
        f" {Act.DISCARD.lower()} with --anyway."
    )


def files_left(changed: Sequence[TurnView]) -> list[str]:
    """The files that stay changed after a conversation went back, and how to undo that."""
    if not changed:
        return []
    paths = list(dict.fromkeys(path for turn in changed for path in turn.paths))
    what = names(paths) if paths else "What commands changed"
    undo = f"glossator undo --turn {changed[0].turn} --since"
    return [f"{what}: as the dropped turns left it. To take that back: `{undo}`."]
