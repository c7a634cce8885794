"""How a terminal asks whether a tool may act: what it shows, and what can be typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from glossator.cli.messages import size
from glossator.cli.wire import Choice, PermissionAnswer, PermissionRequest
from glossator.core.excerpt import Line, excerpt, is_cut
from glossator.core.shown import shown

VIEW, EDIT = "v", "e"
INDENT = "  "  # before what is asked about, and before nothing else
_MOST_LINES = 200
_MOST_CHARACTERS = 600  # of a line
_CHOICES: Mapping[str, Choice] = {
    "y": "once",
    "yes": "once",
    "s": "session",
    "a": "always",
    "n": "deny",
    "no": "deny",
    "": "deny",
}
_KEYS: Mapping[Choice, str] = {
    "once": "y once",
    "session": "s this session",
    "always": "a always here",
    "deny": "n no (or say why not)",
}
_CUT = f"Not all of it is shown: what begins with … at the left edge is left out. {VIEW} shows it."
_AFFIRMING = frozenset("y yes yep yeah yup ok okay sure please help".split())
_AGAIN = "Answer y, n or a key above, or say why not."
_NO = re.compile(r"^(?:n\s+|no?[,;:.]\s*)", re.IGNORECASE)  # before the user's words


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request as the terminal shows it; `rules` are those that would be kept.

    `details` is what is asked about, with marks where something of it is not shown.
    """

    request: PermissionRequest
    rules: tuple[str, ...]
    details: tuple[Line, ...]

    @staticmethod
    def of(request: PermissionRequest) -> Prompt:
        """The request, with the rules it suggests."""
        cut = request["cut"]
        details = _excerpt(request["detail"])
        if cut is not None:
            unsent = Line(f"… {size(cut['bytes'])} that are too much to be sent", mark=True)
            details = (*details, unsent, *_excerpt(cut["tail"]))
        return Prompt(request, tuple(request["suggestions"]), details)

    @property
    def is_cut(self) -> bool:
        """Whether something of what is asked about is not shown."""
        return is_cut(self.details)

    @property
    def warning(self) -> str | None:
        """That it is cut, where it is: for right above the keys."""
        return _CUT if self.is_cut else None

    @property
    def whole(self) -> str:
        """All that is asked about, as far as it was sent."""
        request, cut = self.request, self.request["cut"]
        rest = "" if cut is None else f"\n\n… {size(cut['bytes'])} were not sent …\n\n{cut['tail']}"
        return f"{request['title']}\n\n{request['detail']}{rest}\n"

    @property
    def reasons(self) -> Iterator[str]:
        """Why it is asked, and what the answers would keep."""
        yield from self.request["reasons"]
        if not self._keeps:
            return
        if self.rules:
            yield f"s and a allow {', '.join(map(shown, self.rules))} from then on."
        else:
            yield "s and a keep no rule."

    @property
    def hint(self) -> str:
        """What can be typed."""
        keys = [_KEYS[choice] for choice in self.request["choices"]]
        if self._keeps:
            keys.insert(-1, f"{EDIT} edit rules")
        if self.is_cut:
            keys.insert(-1, f"{VIEW} view all")
        return " · ".join(keys)

    def parse(self, line: str) -> PermissionAnswer | str:
        """A decision as it was typed, or what is wrong with it.

        Whatever is not one of the letters is a denial, in words; an empty line is one without. What
        only affirms or asks is no decision.
        """
        line = line.strip()
        choice = _CHOICES.get(line.lower())
        if choice is None:
            if line.lower() == EDIT:
                return "No rule can be kept for this."
            if _only_affirms(line):
                return _AGAIN
            return {"choice": "deny", "message": _NO.sub("", line, count=1)}
        if choice not in self.request["choices"]:
            return "This can only be allowed once."
        answer: PermissionAnswer = {"choice": choice, "message": ""}
        if choice in ("session", "always") and self.rules != tuple(self.request["suggestions"]):
            answer["rules"] = list(self.rules)
        return answer

    def is_edit(self, line: str) -> bool:
        """Whether the rules are to be edited."""
        return self._keeps and line.strip().lower() == EDIT

    @property
    def _keeps(self) -> bool:
        has_rules = bool(self.request["suggestions"])
        return has_rules and not {"session", "always"}.isdisjoint(self.request["choices"])


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


def _excerpt(text: str) -> tuple[Line, ...]:
    return excerpt(text, lines=_MOST_LINES, characters=_MOST_CHARACTERS) if text else ()
