"""A server's form, put to the user question by question; a form may hold few plain fields.

Source: Model Context Protocol 2026-07-28, "Elicitation". Forms only: an address that a server wants
opened is declined.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from glossator.core.question import Option, Question, QuestionAnswer
from glossator.core.shown import shown, shown_text, some_of
from glossator.core.tool_result import shorten

MAX_FIELDS = 8  # of a form
_MAX_OPTIONS = 12  # of a question; more choices are listed in it, and the user writes one
_MAX_LISTED = 100  # of them
_MESSAGE_CHARACTERS = 1_000  # of a server's message
_LABEL_CHARACTERS = 80
_MAX_TRIES = 2  # for a value that does not fit

_SKIP = Option("Leave it out")
_DECLINE = Option("Decline", "The server gets no answer.")
_YES, _NO = Option("Yes"), Option("No")

Value = str | int | float | bool | list[str]
Ask = Callable[[Question], Awaitable[QuestionAnswer]]


@dataclass(frozen=True, slots=True)
class Filled:
    """What the user made of a form: the protocol's word for it, and the fields if accepted."""

    action: str
    content: Mapping[str, Value] | None = None


CANCELLED, DECLINED = Filled("cancel"), Filled("decline")


async def fill(server: str, message: str, schema: Mapping[str, Any], ask: Ask) -> Filled:
    """Ask for each field; declined at once for a form that is not a form as the protocol has it."""
    fields = schema.get("properties")
    if not isinstance(fields, dict) or len(fields) > MAX_FIELDS:
        return DECLINED
    heading = (
        f"The MCP server {server} asks:\n{shown_text(shorten(message, _MESSAGE_CHARACTERS))}\n"
        "Tell it no password and no key."
    )
    if not fields:
        answer = await ask(Question(heading, (_YES, _DECLINE), refusal=_DECLINE.label))
        return Filled("accept", {}) if _YES.label in answer.chosen else _refusal(answer)
    needed = schema.get("required")
    content: dict[str, Value] = {}
    for name, described in fields.items():
        if not isinstance(described, dict):
            return DECLINED
        is_needed = isinstance(needed, list) and name in needed
        value = await _field(heading, name, described, ask, is_needed=is_needed)
        if isinstance(value, Filled):
            return value
        if value is not None:
            content[name] = value
    return Filled("accept", content)


async def _field(
    heading: str, name: str, described: Mapping[str, Any], ask: Ask, *, is_needed: bool
) -> Value | Filled | None:
    """The user's value; None for one that is left out."""
    title = shown(shorten(str(described.get("title") or name), _LABEL_CHARACTERS))
    about = shown(shorten(str(described.get("description") or ""), _MESSAGE_CHARACTERS))
    kind = described.get("type")
    several = kind == "array"
    choices = _choices(described.get("items", {}) if several else described)
    if kind == "boolean":
        choices = {_YES.label: True, _NO.label: False}
    others = (_DECLINE,) if is_needed else (_SKIP, _DECLINE)
    too_many = len(choices) > _MAX_OPTIONS
    options = (() if too_many else tuple(map(Option, choices))) + others
    listed = _listed(choices, several=several) if too_many else ""
    asked = (heading, f"{title}: {about}" if about else title, listed)
    problem = ""
    for _ in range(_MAX_TRIES):
        text = "\n".join(filter(None, (*asked, problem)))
        answer = await ask(Question(text, options, several, refusal=_DECLINE.label))
        if not answer or _DECLINE.label in answer.chosen:
            return _refusal(answer)
        if _SKIP.label in answer.chosen:
            return None
        picked = [choices[label] for label in answer.chosen if label in choices]
        if picked:
            return [str(each) for each in picked] if several else picked[0]
        words = answer.words.strip()
        value = _written(words, choices, several=several) if choices else _value(words, kind)
        if value is not None:
            return value
        wanted = "one of the choices" if choices else kind or "a choice"
        problem = f"{shown(answer.words)} does not fit: {wanted} is wanted."
    return CANCELLED


def _choices(described: object) -> dict[str, str | bool]:
    """The values to choose among, by label; none where any text will do."""
    if not isinstance(described, dict):
        return {}
    values = described.get("enum")
    if isinstance(values, list):
        names = described.get("enumNames")
        labels = names if isinstance(names, list) and len(names) == len(values) else values
        pairs = list(zip(labels, values, strict=True))
    else:
        titled = described.get("oneOf") or described.get("anyOf") or ()
        pairs = [
            (each.get("title", each["const"]), each["const"])
            for each in titled
            if isinstance(each, dict) and "const" in each
        ]
    return {shown(shorten(str(label), _LABEL_CHARACTERS)): str(value) for label, value in pairs}


def _listed(choices: Mapping[str, object], *, several: bool) -> str:
    how = (
        "Write one or more of these, with commas between them" if several else "Write one of these"
    )
    return f"{how}: {some_of(list(choices), _MAX_LISTED)}."


def _written(words: str, choices: Mapping[str, str | bool], *, several: bool) -> Value | None:
    """The choice, or several ones, that the user wrote by label or value; None if it is none."""
    known: dict[str, str | bool] = {str(value): value for value in choices.values()}
    known |= choices
    folded = {name.casefold(): value for name, value in known.items()}

    def choice(name: str) -> str | bool | None:
        return known.get(name, folded.get(name.casefold()))

    if (whole := choice(words)) is not None:
        return [str(whole)] if several else whole
    parts = [choice(each.strip()) for each in words.split(",")]
    return None if None in parts or not several else [str(each) for each in parts]


def _value(words: str, kind: object) -> Value | None:
    """The user's own words as a value of the field; None if they are none."""
    if not words:
        return None
    try:
        match kind:
            case "integer":
                return int(words)
            case "number":
                return float(words)
            case "string":
                return words
    except ValueError:
        return None
    return None


def _refusal(answer: QuestionAnswer) -> Filled:
    return DECLINED if _DECLINE.label in answer.chosen else CANCELLED
