"""What a line of a chat means that begins with a `/` word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from glossator.cli.asking import Command
from glossator.commands import CHAT_COMMANDS, DECLARED
from glossator.core.errors import UsageError
from glossator.core.permission import Mode
from glossator.core.question import Option, Question
from glossator.core.words import MODES, Act

HERE = {  # what the chat does itself
    "queue": "List what is asked next; edit NUMBER or remove NUMBER changes it",
    "steer": f"{Act.STEER}, with its next results: /steer WORDS",
    "send": "Ask what waits after a stop or a failure",
    "new": "Begin a new session",
    "help": "List these commands",
    "quit": "End; Ctrl-D does it, too",
}
_OWN_SUGGESTIONS = ("new", "help")  # of these; the others are lines of their own
AS_IT_IS = "Send it as it is"
_WORD = re.compile(r"/(\w[\w:.-]*)(?:\s+(.*))?", re.DOTALL)
_LIKENESS = 0.6  # of get_close_matches: a letter or two apart
_COMMANDS = {chat.name: command for chat, command in CHAT_COMMANDS.items()}
_MODES = tuple(Mode)
_ARGUMENTS: Mapping[str, Callable[[str], dict[str, Any]]] = {  # of those that work here
    "compact": lambda _: {},
    "context": lambda _: {},
    "discard": lambda words: {"anyway": words == _ANYWAY},
    "doctor": lambda _: {},
    "facts": lambda _: {},
    "index": lambda _: {"mode": "update"},
    "merge": lambda _: {},
    "mode": lambda words: {"mode": words},
    "model": lambda words: {"model": words},
    "plan": lambda _: {"mode": "plan"},
    "redo": lambda words: {"overwrite": words == _OVERWRITE},
    "rename": lambda words: {"title": words},
    "retry": lambda _: {},
    "search": lambda words: {"query": words},
    "status": lambda _: {},
    "summary": lambda _: {},
    "takeover": lambda _: {},
    "undo": lambda words: {"overwrite": words == _OVERWRITE},
}
_OVERWRITE = "--overwrite"
_ANYWAY = "--anyway"
_NEED_SESSION = frozenset(
    "compact context discard merge redo rename retry summary takeover undo".split()
)
_NEED_WORDS = {"model": "NAME", "rename": "TITLE", "search": "WORDS"}


def slash_word(line: str) -> tuple[str, str] | None:
    """The word behind the `/` and what follows it; None for a question, as one about `/a/path`."""
    found = _WORD.fullmatch(line.strip())
    return (found[1], (found[2] or "").strip()) if found else None


def is_ours(name: str) -> bool:
    """Whether it is a command of the chat, and no skill or other text of a file."""
    return name in HERE or name in _COMMANDS


def own_words(typed: str) -> dict[str, str]:
    """What the chat does itself, of names that begin so, each with what it does."""
    return {name: what for name, what in HERE.items() if name.startswith(typed)}


def works_here(name: str) -> bool:
    """Whether a `/` word that the server knows has a meaning at a terminal, too."""
    return name in _ARGUMENTS or not is_ours(name)


def command_of(name: str, words: str, session_id: str | None) -> Command:
    """The command of a `/` word. Raises `UsageError` for one that cannot run in this chat."""
    if name in HERE:
        raise UsageError(f"Write /{name} on a line of its own.")
    if name not in _ARGUMENTS:
        raise UsageError(_elsewhere(name))
    if session_id is None and name in _NEED_SESSION:
        raise UsageError(f"Nothing was asked in this chat yet, so /{name} has nothing to work on.")
    if name == "mode" and words not in _MODES:
        raise UsageError("\n".join(("Say which:", *_mode_lines())))
    if name in _NEED_WORDS and not words:
        raise UsageError(f"Say which: /{name} {_NEED_WORDS[name]}.")
    argument = _ARGUMENTS[name](words)
    if name in _NEED_SESSION or name in ("mode", "plan"):
        argument["sessionId"] = session_id
    if name in ("mode", "plan") and session_id is None:
        argument["once"] = True
    return Command(_COMMANDS[name], argument)


def _mode_lines() -> Iterator[str]:
    """The modes as they are typed, each in the words of the panel."""
    for mode, (label, detail) in MODES.items():
        yield f"/mode {mode:<12} {label}: {detail[0].lower()}{detail[1:]}"


def _elsewhere(name: str) -> str:
    terminal = DECLARED[_COMMANDS[name]].terminal
    there = f" At a terminal it is `glossator {terminal}`." if terminal else ""
    return f"/{name} works in an editor's panel, not in this chat.{there}"


def help_lines() -> list[str]:
    """The commands of this chat, each with what it does."""
    described = {chat.name: chat.description for chat in CHAT_COMMANDS}
    own = {name: described[name] for name in _ARGUMENTS}
    return [f"/{name:<8} {what}" for name, what in (HERE | own).items()]


def unknown(name: str, others: Iterable[str]) -> Question:
    """What to do with a `/` word that is no command: ours, or one of the `others`."""
    known = [*_OWN_SUGGESTIONS, *_ARGUMENTS, *others]
    beginnings = sorted((each for each in known if each.startswith(name)), key=len)
    near = next(iter(beginnings or get_close_matches(name, known, 1, _LIKENESS)), None)
    options = (Option(f"Use /{near}"),) if near else ()
    text = f"There is no command /{name}; /help lists them. Nothing was sent."
    return Question(text, (*options, Option(AS_IT_IS, "As a question to the model.")))


def instead(label: str, line: str) -> str:
    """The line with the word that was chosen among the options of `unknown`."""
    found = slash_word(line)
    return f"{label.removeprefix('Use ')} {found[1] if found else ''}".strip()
