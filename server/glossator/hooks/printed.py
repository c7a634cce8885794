"""What hooks answer: JSON in the form that hooks of other agents print, and exit codes.

The strictest answer of an event wins. A hook can narrow what is done, and never widens it: that one
allows a call decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from glossator.hooks.hook import HookEvent

_BLOCKED = 2  # the exit code that blocks
_UNSAID = "a hook of the user blocked it and gave no reason"
_DIFFERENT = "two hooks of the user change its arguments, each in another way"
_TELLS = frozenset(
    {HookEvent.SESSION_START, HookEvent.PROMPT_SUBMIT}
)  # where plain text is for the model


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """What one hook says, or all of an event.

    `block` is why it must not be done, `ask` why the user is to be asked about a call, `halt` why
    the run is to end; "" if it is not so. `arguments` replace those of the call. `context` is for
    the model, `notices` are for the user.
    """

    block: str = ""
    ask: str = ""
    halt: str = ""
    arguments: Mapping[str, Any] | None = None
    context: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, alias_generator=to_camel)

    @model_validator(mode="before")
    @classmethod
    def _said(cls, printed: Any) -> Any:  # noqa: ANN401 - whatever a hook printed
        """Null says nothing, as if it was not there."""
        if not isinstance(printed, dict):
            return printed
        return {key: value for key, value in printed.items() if value is not None}


class _Specific(_Part):
    permission_decision: Literal["allow", "deny", "ask"] | None = None
    permission_decision_reason: str = ""
    updated_input: dict[str, Any] | None = None
    additional_context: str = ""


class _Printed(_Part):
    goes_on: bool = Field(True, alias="continue")
    stop_reason: str = ""
    decision: Literal["approve", "allow", "block", "deny", "ask"] | None = None
    reason: str = ""
    system_message: str = ""
    hook_specific_output: _Specific = _Specific()


def answer_of(event: HookEvent, code: int | None, out: str, err: str) -> HookAnswer | str:
    """What a hook means that ended with this exit code; a sentence part if it failed."""
    if code == _BLOCKED:
        return HookAnswer(block=err.strip() or _UNSAID)
    if code != 0:
        how = "was ended by a signal" if code is None else f"ended with exit code {code}"
        return f"{how}{_first_line(err)}"
    text = out.strip()
    if not text.startswith("{"):
        return HookAnswer(context=(text,) if text and event in _TELLS else ())
    try:
        return _meant(event, _Printed.model_validate_json(text))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "its output"
        return f"printed what cannot be used ({where}: {first['msg']})"


def strictest(answers: Iterable[HookAnswer]) -> HookAnswer:
    """All that hooks of one event say, as one answer."""
    said = tuple(answers)
    changed = [each.arguments for each in said if each.arguments is not None]
    differ = any(each != changed[0] for each in changed)
    blocks = [each.block for each in said if each.block] + [_DIFFERENT] * differ
    return HookAnswer(
        "\n".join(blocks),
        "\n".join(each.ask for each in said if each.ask),
        "\n".join(each.halt for each in said if each.halt),
        changed[0] if changed and not differ else None,
        tuple(text for each in said for text in each.context),
        tuple(text for each in said for text in each.notices),
    )


def _meant(event: HookEvent, printed: _Printed) -> HookAnswer:
    specific = printed.hook_specific_output
    decisions = {printed.decision, specific.permission_decision}
    reason = specific.permission_decision_reason or printed.reason or _UNSAID
    told = specific.additional_context.strip()
    return HookAnswer(
        block=reason if decisions & {"block", "deny"} else "",
        ask=reason if "ask" in decisions else "",
        halt="" if printed.goes_on else printed.stop_reason or reason,
        arguments=specific.updated_input if event is HookEvent.BEFORE_TOOL else None,
        context=(told,) if told else (),
        notices=(printed.system_message,) if printed.system_message else (),
    )


def _first_line(text: str) -> str:
    first = text.strip().partition("\n")[0]
    return f": {first}" if first else ""
