"""An answer that speaks of a change which was not made is contradicted by a line under it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from glossator.context import words_of_user
from glossator.llm import Message
from glossator.sessions import Session

_EDITS = frozenset({"Edit", "MultiEdit", "Write", "Move"})
_DONE = (
    "add|appl(?:i)?|adjust|chang|clean|correct|creat|delet|edit|fix|implement|insert|mov|refactor"
    "|remov|renam|replac|rewr|sav|updat|wr"
)
_CLAIM = re.compile(
    rf"\b(?:I|we)(?:'ve| have| also| now| just)* (?:{_DONE})(?:ed|ote|itten|ten|oved)?\b"
    rf"|\b(?:(?:has|have)(?: now| also)* been|was|were|(?:is|are) now) (?:{_DONE})(?:ed|itten|d)\b"
    r"|^(?:Done|Fixed|Updated|Changed|Added|Removed|Renamed|Replaced|Created|Implemented)\b"
    r"|\b(?:Ich habe|wurden?|ist|sind) .{0,80}\b(?:ge(?:ändert|löscht|schrieben)|ersetzt"
    r"|hinzugefügt|angepasst|umbenannt|entfernt|erstellt|behoben)\b",
    re.IGNORECASE | re.MULTILINE,
)
_ADMITTED = re.compile(
    r"\b(?:denied|declined|refused|rejected|not (?:been )?(?:made|applied|changed|done|saved"
    r"|allowed|permitted)|(?:could|can|was|were|did)(?: not|n't)|cannot|unable|failed|abgelehnt"
    r"|verweigert|konnte|nicht (?:ge|er|an|um|mög))",
    re.IGNORECASE,
)


def contradiction(session: Session, answer: str) -> str:
    """What an answer says falsely of edits of its run that were denied or failed; "" if nothing."""
    unmade = unmade_edits(session.conversation.messages)
    if not unmade or not contradicts(answer):
        return ""
    return (
        f"The answer speaks of a change, but this was not changed: {', '.join(unmade)}. The edit"
        " was denied or failed. Ask for it again if you want it."
    )


def contradicts(answer: str) -> bool:
    """Whether an answer says that something was changed, and not that it was not."""
    return bool(_CLAIM.search(answer)) and not _ADMITTED.search(answer)


def unmade_edits(messages: Sequence[Message]) -> list[str]:
    """The files, since the last question, whose edits all failed or were denied."""
    paths: dict[str, str] = {}  # by call
    made: dict[str, bool] = {}
    for message in messages[_last_question(messages) :]:
        for block in message["content"]:
            if block.get("type") == "tool_use" and block.get("name") in _EDITS:
                paths[block["id"]] = str(block["input"].get("path") or "a file")
            elif block.get("type") == "tool_result" and block["tool_use_id"] in paths:
                path = paths[block["tool_use_id"]]
                made[path] = made.get(path, False) or not block.get("is_error", False)
    return [path for path, was_made in made.items() if not was_made]


def _last_question(messages: Sequence[Message]) -> int:
    """The number of the last message with words of the user's and no results."""
    for number in range(len(messages) - 1, -1, -1):
        results = any(b.get("type") == "tool_result" for b in messages[number]["content"])
        if not results and words_of_user([messages[number]]):
            return number
    return 0
