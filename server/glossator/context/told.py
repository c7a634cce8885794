"""What the texts in user messages are, for people: a name, why they are there, what was cut.

What was cut is read from the notes that Glossator itself puts into these texts for the model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from glossator.context.answers import Kind
from glossator.context.ours import TEXTS, prompt_of
from glossator.context.system import PROMPTS as MODES
from glossator.core.prompts import load_prompt


@dataclass(frozen=True, slots=True)
class Told:
    """A text in a user message; without a `why` it is there as all of its kind are."""

    kind: Kind
    name: str
    why: str = ""
    cut: str = ""


_REMINDERS: Mapping[str, tuple[str, str]] = {
    "grounding/facts_gone": ("facts", "facts that hold no more"),
    "grounding/synthesis": ("plan", "the results of the tasks, and the question again"),
    "user/abandoned": ("abandoned question", "the question before has no answer"),
    "user/agents": ("sub-agents", "the list of those that files describe"),
    "user/changed": ("changed files", "what changed in files that the model has read"),
    "user/editor_state": ("editor", "what it shows; context.ambient turns this off"),
    "user/git": ("git", "branch, changes and last commits as the session began"),
    "user/hook": ("hooks", "what hooks that you set up or adopted add"),
    "user/hook_stop": ("hooks", "what hooks that you set up or adopted add"),
    "user/mcp_connected": ("MCP servers", "tools that became available later"),
    "user/skills": ("skills", "the list of those that the model may load"),
    "user/undone": ("undone", "what you took back"),
    **dict.fromkeys(MODES, ("mode", "what may be done without asking you")),
}
_NAMES = {
    "grounding/facts": "facts",
    "user/diagnostics": "diagnostics",
    "user/git_diff": "git diff",
    "user/instructions": "instruction files",
    "compaction/state": "state",
    "compaction/said": "your words",
    "compaction/failure": "failures",
    "compaction/result": "results",
    "compaction/answered": "results",
}
_SUMMARY = "summary"
_OTHERS = "reminders"

_LISTING = re.compile(r"^\((Descriptions are .+|[\d,]+ more are there, .+)\.\)$", re.MULTILINE)
_GIT = re.compile(r"^\[([\d,]+ more)\]$", re.MULTILINE)
_OUTPUT = re.compile(r"^\[cut here: (.+)\]$", re.MULTILINE)
_CUT: Mapping[str, re.Pattern[str]] = {
    "user/agents": _LISTING,
    "user/skills": _LISTING,
    "user/editor_state": re.compile(r"^(?:Open|Edited last): .*, (and more)$", re.MULTILINE),
    "user/git": _GIT,
    "user/git_diff": _OUTPUT,
    "user/git_commit": _OUTPUT,
    "user/instructions": re.compile(r"^\[([\d,]+ more characters) were cut; read", re.MULTILINE),
}


def told_as(text: str) -> Told:
    """What a text in a user message is."""
    prompt = prompt_of(text)
    if not prompt:
        return Told(Kind.QUESTION, "questions")
    kind, cut = TEXTS[prompt], _cut(prompt, text)
    match kind:
        case Kind.REMINDER:
            name, why = _REMINDERS.get(prompt, (_OTHERS, ""))
            return Told(kind, name, why, cut)
        case Kind.SUMMARY:
            return Told(kind, _SUMMARY)
    return Told(kind, _NAMES.get(prompt) or load_prompt(prompt).first_value(text), "", cut)


def _cut(prompt: str, text: str) -> str:
    pattern = _CUT.get(prompt)
    return "; ".join(dict.fromkeys(pattern.findall(text))) if pattern else ""
