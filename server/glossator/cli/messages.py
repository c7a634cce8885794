"""The sentences a terminal user reads that are not an answer's own."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from datetime import datetime

from glossator.cli.wire import Hunk, PermissionRequest, Question
from glossator.core.line_diff import unified_diff
from glossator.core.plan import PLANNED
from glossator.core.price import in_dollars

SERVER_LOST_NEXT_STEP = (
    "Run the command again with --verbose to see the server's whole log, or check the set-up"
    " with `glossator doctor`."
)
PROMPT = "> "
_BEGINNING = 200  # characters of what is asked about
NOBODY_PERMITS = (
    "This needs the user's permission, and nobody is at the terminal to be asked.\nDo without it,"
    " and say in your answer what was left undone."
)
NOBODY_REVIEWS = (
    "An edit was not applied, because nobody is here to review it; run the command in a terminal,"
    " or with --mode acceptEdits and without a review."
)
NO_SESSION = "This workspace has no session yet; begin one with `glossator ask`."
NO_RULES = "No permission rule holds here: you are asked about all that the mode does not allow."
NO_TURN = "No turn of this session has changed a file."
NO_TRUSTED = "No folder is remembered as trusted; `glossator trust DIR` trusts one."
NO_QUESTION = "The question is empty; write it after `ask`, or pipe it in with `glossator ask -`."
OUTPUT_NEXT_STEP = "Check where the output goes, and that the current folder still exists."
CANCELLING = "Cancelling; press Ctrl-C again to end it at once."
TOOL_EXAMPLE = """Example: glossator tool Grep '{"pattern": "def main", "path": "src"}'"""

# why a run ended, where that is not "answered"
STOPS: Mapping[str, str] = {
    "turns": "The run reached its limit of turns; the answer may be incomplete.",
    "tokens": "The run reached its limit of tokens; the answer may be incomplete.",
    "money": "The run cost as much as it may; the answer may be incomplete.",
    "time": "The run reached its time limit; the answer may be incomplete.",
    "repetition": "The model repeated the same tool calls and was stopped.",
    "cut off": "The answer was cut off at the model's output limit.",
    "context full": "The conversation no longer fits the model's window; ask a narrower question.",
}


def stop_notice(stop: str) -> str | None:
    """What to say about the end of a run; None when the answer says it all."""
    if stop in {"answered", "refused", "partial", PLANNED}:  # a report says what it lacks
        return None
    return STOPS.get(stop, f"The run ended early: {stop}.")


def discarded_notice(reason: str) -> str:
    """Why what was shown of a reply is void."""
    if reason == "citations":
        return "(some citations do not hold; the corrected answer follows)"
    return "(that broke off; what follows replaces it)"


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


def question_lines(question: Question) -> list[str]:
    """The question, its numbered options, and how to answer."""
    options = [
        f"  {number}  {option['label']}" + (f": {option['detail']}" if option["detail"] else "")
        for number, option in enumerate(question["options"], 1)
    ]
    numbers = "numbers" if question["several"] else "a number"
    return [
        question["text"],
        *options,
        f"Answer with {numbers} or in words; an empty line gives no answer.",
    ]


def denied_notice(request: PermissionRequest) -> str:
    """What could not be asked, and why it would have been; how to allow it next time."""
    rules = " ".join(f"--allow {shlex.quote(rule)}" for rule in request["suggestions"])
    how = f"Allow it with {rules}, or run" if rules else "Run"
    denied = f"It was denied, because nobody is here to ask. {how} the command in a terminal."
    about = [f"  {beginning}"] if (beginning := _beginning(request["detail"])) else []
    return "\n".join((request["title"], *about, *request["reasons"], denied))


def _beginning(text: str) -> str:
    """The first line that says something, with … where it is not all."""
    text = text.strip()
    line = text.split("\n", 1)[0][:_BEGINNING].rstrip()
    return line if line == text else f"{line} …"


_PLACE = re.compile(
    r"^@@ -(?P<old>\d+)(?P<removed>(,\d+)?) \+(?P<new>\d+)(?P<added>(,\d+)?) @@", re.MULTILINE
)


def hunk_diff(hunk: Hunk) -> str:
    """A part of an edit as a unified diff, with the lines' numbers in the file."""
    if hunk["kind"] == "rename":
        return f"rename from {hunk['before']}rename to {hunk['after']}"
    diff = unified_diff(hunk["before"], hunk["after"], hunk["path"], hunk["path"])
    above = hunk["firstLine"] - 1

    def moved(place: re.Match[str]) -> str:
        old, new = int(place["old"]) + above, int(place["new"]) + above
        return f"@@ -{old}{place['removed']} +{new}{place['added']} @@"

    return _PLACE.sub(moved, diff, count=1)


def hunk_hint(number: int, total: int) -> str:
    """How to answer about a part of an edit."""
    return f"Part {number} of {total}: y yes · n no (or say why not) · a all · d none from here on"


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
