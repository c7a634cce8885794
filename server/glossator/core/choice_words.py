"""What modes, and answers to a permission, are called everywhere: panel, editors, terminal.

`make wire` gives them to the client; the terminal writes the answers behind its keys.
"""

from __future__ import annotations

from collections.abc import Mapping

from glossator.core.permission import Choice, Mode

# a name, and what is done without asking
MODES: Mapping[Mode, tuple[str, str]] = {
    Mode.PLAN: ("Plan", "Reads only, and changes nothing"),
    Mode.ASK: ("Ask", "Asks before each edit and command"),
    Mode.ACCEPT_EDITS: ("Accept edits", "Edits files; asks before commands"),
    Mode.AUTO: ("Auto", "Edits files, runs commands in the sandbox"),
}
CHOICES: Mapping[Choice, str] = {
    Choice.ONCE: "Allow once",
    Choice.SESSION: "Allow for this session",
    Choice.ALWAYS: "Always allow here",
    Choice.DENY: "Refuse",
}
