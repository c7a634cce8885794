"""The offer to start a plan, and the mode that each of its answers starts it in."""

from __future__ import annotations

from collections.abc import Mapping

from glossator.core.question import Option, Question

PLANNED = "planned"  # why a run ended: with a plan

_START: Mapping[str, Option] = {  # by mode
    "ask": Option("Start in ask", "Asks before each change and command."),
    "acceptEdits": Option("Start in acceptEdits", "Edits files; asks before commands."),
    "auto": Option("Start in auto", "Edits files, runs commands in the sandbox."),
}
_NO = Option("No", "Nothing is done. Words of your own change the plan.")

OFFER = Question("Start this plan?", (*_START.values(), _NO))


def chosen_mode(label: str) -> str | None:
    """The mode that an option of `OFFER` starts the plan in; None for any other."""
    return next((mode for mode, option in _START.items() if option.label == label), None)
