"""The terminal's prompts for permissions, questions and edits, and the answers they take."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from glossator.cli.messages import size
from glossator.core.edit import HunkKind, HunkView
from glossator.core.line_diff import unified_diff
from glossator.core.permission import Choice, ExcerptLine, PermissionRequest, excerpt, is_cut
from glossator.core.question import Question
from glossator.core.shown import shown
from glossator.core.words import CHOICES, Act

VIEW, EDIT, PARTS = "v", "e", "p"
_MAX_LINES = 200
_MAX_LINE_CHARACTERS = 600  # of a line
_CHOICES: Mapping[str, Choice] = {
    "y": Choice.ONCE,
    "yes": Choice.ONCE,
    "s": Choice.SESSION,
    "a": Choice.ALWAYS,
    "n": Choice.DENY,
    "no": Choice.DENY,
    "": Choice.DENY,
}
_KEYS: Mapping[Choice, str] = {
    Choice.ONCE: "y",
    Choice.SESSION: "s",
    Choice.ALWAYS: "a",
    Choice.DENY: "n",
}
_LASTING = (Choice.SESSION, Choice.ALWAYS)
_CUT = f"Not all of it is shown: what begins with … at the left edge is left out. {VIEW} shows it."
_AFFIRMING = frozenset("y yes yep yeah yup ok okay sure please help".split())
_ASK_AGAIN = "Answer y, n or a key above, or say why not."
_BEGINNING = 200  # characters of a request that is denied unasked
_PLACE = re.compile(
    r"^@@ -(?P<old>\d+)(?P<removed>(,\d+)?) \+(?P<new>\d+)(?P<added>(,\d+)?) @@", re.MULTILINE
)
_NO = re.compile(r"^(?:n\s+|no?[,;:.]\s*)", re.IGNORECASE)  # before the user's words


@dataclass(frozen=True, slots=True)
class PermissionPrompt:
    """A request as the terminal shows it; `rules` are those that would be kept.

    `details` is what is asked about, with marks where something of it is not shown.
    """

    request: PermissionRequest
    rules: tuple[str, ...]
    details: tuple[ExcerptLine, ...]

    @staticmethod
    def of(request: PermissionRequest) -> PermissionPrompt:
        """The request, with the rules it suggests."""
        details = _excerpt(request.detail)
        if (cut := request.cut) is not None:
            unsent = ExcerptLine(f"… {size(cut.bytes)} that are too much to be sent", mark=True)
            details = (*details, unsent, *_excerpt(cut.tail))
        return PermissionPrompt(request, request.suggestions, details)

    @property
    def is_cut(self) -> bool:
        """Whether part of the request is not shown."""
        return is_cut(self.details)

    @property
    def has_parts(self) -> bool:
        """Whether some of an edit can be allowed without the rest."""
        plan = self.request.plan
        return plan is not None and not plan.as_one and len(plan.hunks) > 1

    @property
    def warning(self) -> str | None:
        """A warning that the text is cut, to stand right above the keys."""
        return _CUT if self.is_cut else None

    @property
    def whole(self) -> str:
        """All that is asked about, as far as it was sent."""
        request, cut = self.request, self.request.cut
        rest = "" if cut is None else f"\n\n… {size(cut.bytes)} were not sent …\n\n{cut.tail}"
        return f"{request.title}\n\n{request.detail}{rest}\n"

    @property
    def reasons(self) -> Iterator[str]:
        """Why it is asked, and what the answers would keep."""
        yield from self.request.reasons
        if not self._keeps:
            return
        lasting = [_KEYS[each] for each in self.request.choices if each in _LASTING]
        keys, s = " and ".join(lasting), "s" * (len(lasting) == 1)
        if self.rules:
            plan, tool = self.request.plan, self.request.tool
            later = "edits" if plan else "commands" if tool == "Bash" else "calls"
            rules = ", ".join(map(shown, self.rules))
            yield f"{keys} also allow{s} later {later} that match {rules}, without asking."
        else:
            yield f"{keys} allow{s} nothing later."

    @property
    def hint(self) -> str:
        """What can be typed."""
        keys = [f"{_KEYS[each]} {CHOICES[each].lower()}" for each in self.request.choices]
        keys[-1] += " (or say why)"
        if self._keeps:
            keys.insert(-1, f"{EDIT} edit rules")
        if self.has_parts:
            keys.insert(-1, f"{PARTS} choose parts")
        if self.is_cut:
            keys.insert(-1, f"{VIEW} view all")
        return " · ".join(keys)

    def parse(self, line: str) -> dict[str, Any] | str:
        """A decision as it was typed, in JSON, or what is wrong with it.

        Whatever is not one of the letters is a denial, in words; an empty line is one without. What
        only affirms or asks is no decision.
        """
        line = line.strip()
        choice = _CHOICES.get(line.lower())
        if choice is None:
            if line.lower() == EDIT:
                return "No rule can be kept for this."
            if _only_affirms(line):
                return _ASK_AGAIN
            return {"choice": Choice.DENY, "message": _NO.sub("", line, count=1)}
        if choice not in self.request.choices:
            return "This can only be allowed once."
        answer: dict[str, Any] = {"choice": choice, "message": ""}
        if choice in _LASTING and self.rules != self.request.suggestions:
            answer["rules"] = list(self.rules)
        return answer

    def is_edit(self, line: str) -> bool:
        """Whether the rules are to be edited."""
        return self._keeps and line.strip().lower() == EDIT

    @property
    def _keeps(self) -> bool:
        return bool(self.request.suggestions)  # then they can be kept


def question_lines(question: Question) -> list[str]:
    """The question, its numbered options, and how to answer."""
    options = [
        f"  {number}  {option.label}" + (f": {option.detail}" if option.detail else "")
        for number, option in enumerate(question.options, 1)
    ]
    if question.draft:
        options.append(f"  {EDIT}  Edit the plan in your editor first.")
    numbers = "numbers" if question.several else "a number"
    return [
        question.text,
        *options,
        f"Answer with {numbers} or in words; an empty line gives no answer.",
    ]


DRAFT_HINT = f"Answer with a number, {EDIT} to edit the plan again, or in words."


def hunk_diff(hunk: HunkView) -> str:
    """A part of an edit as a unified diff, with the lines' numbers in the file."""
    if hunk.kind is HunkKind.RENAME:
        return f"rename from {hunk.before}rename to {hunk.after}"
    diff = unified_diff(hunk.before, hunk.after, hunk.path, hunk.path)
    above = hunk.first_line - 1

    def moved(place: re.Match[str]) -> str:
        old, new = int(place["old"]) + above, int(place["new"]) + above
        return f"@@ -{old}{place['removed']} +{new}{place['added']} @@"

    return _PLACE.sub(moved, diff, count=1)


def hunk_hint(number: int, total: int) -> str:
    """How to answer about a part of an edit."""
    keys = f"y {Act.ACCEPT.lower()} · n {Act.REJECT.lower()} (or say why)"
    rest = f" · a {Act.ACCEPT.lower()} the rest · d {Act.REJECT.lower()} the rest"
    return f"Part {number} of {total}: {keys}{rest * (number < total)}"


def denied_notice(request: PermissionRequest) -> str:
    """What could not be asked, and why it would have been; how to allow it next time."""
    rules = " ".join(f"--allow {shlex.quote(rule)}" for rule in request.suggestions)
    how = f"Allow it with {rules}, or run" if rules else "Run"
    denied = f"It was denied, because nobody is here to ask. {how} the command in a terminal."
    about = [f"  {beginning}"] if (beginning := _beginning(request.detail)) else []
    return "\n".join((request.title, *about, *request.reasons, denied))


def edit_hint(rule: str, number: int, total: int) -> str:
    """How to edit one of the rules."""
    which = f"Rule {number} of {total}" if total > 1 else "The rule"
    return f"{which}: {shown(rule)}\nType another in its place, - for none, or Enter to keep it."


def edited(rule: str, line: str) -> str | None:
    """The rule that was typed in the place of another; None for none."""
    typed = line.strip()
    return None if typed == "-" else typed or rule


def _only_affirms(line: str) -> bool:
    """Whether a line says yes, or asks what to type, and no more."""
    words = re.findall(r"[^\s.,!?]+", line.lower())
    return _AFFIRMING.issuperset(words) and (bool(words) or "?" in line)


def _excerpt(text: str) -> tuple[ExcerptLine, ...]:
    return excerpt(text, lines=_MAX_LINES, characters=_MAX_LINE_CHARACTERS) if text else ()


def _beginning(text: str) -> str:
    """The first line that says something, with … where it is not all."""
    text = text.strip()
    line = text.split("\n", 1)[0][:_BEGINNING].rstrip()
    return line if line == text else f"{line} …"
