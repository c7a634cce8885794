"""What `/` at the beginning of a question does in a chat: the one table for every client."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.usecases.actions import ACTIONS


@dataclass(frozen=True, slots=True)
class ChatCommand:
    """`command` is the one of the protocol that does it; `words`: some are expected after it."""

    name: str
    description: str
    command: str
    words: bool = False


CHAT_COMMANDS = (
    ChatCommand("new", "Begin a new session", "glossator.newSession"),
    ChatCommand("resume", "Go on with another session", "glossator.resumeSession"),
    ChatCommand("rename", "Give this session another title", "glossator.renameSession", words=True),
    ChatCommand("export", "Write this session out as Markdown", "glossator.exportSession"),
    ChatCommand("compact", "Go on from a summary of this session", "glossator.compact"),
    ChatCommand("context", "What is in the model's window, and why", "glossator.showContext"),
    ChatCommand("retry", "Ask the last question again", "glossator.retry"),
    ChatCommand("undo", "Take back what the last turn changed", "glossator.undoTurn"),
    ChatCommand("redo", "Do again what was undone last", "glossator.redoTurn"),
    ChatCommand("plan", "From now on only read, and end with a plan", "glossator.setMode"),
    ChatCommand(
        "mode", "What is done unasked: plan, ask, acceptEdits or auto", "glossator.setMode", True
    ),
    ChatCommand("model", "Which model answers from now on", "glossator.setModel", words=True),
    *(ChatCommand(each.word, each.help.rstrip("."), each.command, words=True) for each in ACTIONS),
    ChatCommand("explore", "Have a sub-agent find it out", "glossator.explore", words=True),
    ChatCommand("search", "Find places without asking a model", "glossator.search", words=True),
    ChatCommand("index", "Bring the index up to date", "glossator.rebuildIndex"),
    ChatCommand("status", "What the server holds of the workspace", "glossator.status"),
    ChatCommand("doctor", "Check the set-up", "glossator.doctor"),
)
