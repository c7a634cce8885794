"""Runs one hook in the sandbox, within its time limit, and reads its answer.

Arguments of calls are named as in Claude Code. Tools that are not in `ARGUMENT_NAMES` have the same
names there, or none. Source: https://code.claude.com/docs/en/hooks, "PreToolUse input".

A hook answers with an exit code and with JSON in the form that other agents use. If several hooks
answer an event, the strictest answer wins. A hook can forbid things and never allow them: a hook
that allows a call decides nothing.
"""

from __future__ import annotations

import math
import os
import secrets
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from glossator.core.document import Missing
from glossator.core.errors import UsageError
from glossator.core.permission import Mode
from glossator.core.shown import shown_text
from glossator.hooks.hook import HookEvent
from glossator.permissions import MCP
from glossator.sandbox import LimitedShell, ShellCommand
from glossator.settings import Hook

MOST_BYTES = 10_000  # of what a hook prints
_MAX_ERROR_BYTES = 4_000  # bytes of its standard error
_RUN = """export CLAUDE_PROJECT_DIR={folder}
exec 3>&1
errors=$(
    set -o pipefail
    "$BASH" -c {command} 2>&1 >&3 3>&- | {{ head -c {most}; cat >/dev/null; }}
)
code=$?
printf '%s%s' {apart} "$errors"
exit $code"""
_BLOCKED = 2  # the exit code that blocks
_UNSAID = "a hook of the user blocked it and gave no reason"
_DIFFERENT = "two hooks of the user change its arguments, each in another way"
_TEXT_IS_TOLD = frozenset(
    {HookEvent.SESSION_START, HookEvent.PROMPT_SUBMIT}
)  # where plain text is for the model
_FILE = {"path": "file_path"}
_TEXTS = {"old_text": "old_string", "new_text": "new_string"}
_BASH_TIMEOUT = "timeout"  # in milliseconds; ours is in seconds
# by tool, ours: theirs
ARGUMENT_NAMES: Mapping[str, Mapping[str, str]] = {
    "Bash": {"background": "run_in_background", "timeout_seconds": _BASH_TIMEOUT},
    "Edit": {**_FILE, **_TEXTS},
    "MultiEdit": {**_FILE, **_TEXTS},
    "NotebookEdit": {
        "path": "notebook_path",
        "cell": "cell_number",
        "mode": "edit_mode",
        "source": "new_source",
        "kind": "cell_type",
    },
    "Read": _FILE,
    "Skill": {"name": "skill", "arguments": "args"},
    "Write": _FILE,
}
_PATHS = ("path", "new_path", "cwd")  # arguments that are given as absolute paths


async def run_hook(
    shell: LimitedShell, event: HookEvent, hook: Hook, folder: str, given: bytes
) -> HookAnswer | str:
    """The answer of a hook that runs in a folder of the workspace and is `given` JSON.

    A sentence part says how it failed.
    """
    apart = secrets.token_hex(16)  # before its standard error, which comes last
    words = {"folder": shlex.quote(folder), "command": shlex.quote(hook.command)}
    text = _RUN.format(**words, most=_MAX_ERROR_BYTES, apart=apart)
    try:
        finished = await shell.run(ShellCommand(text, folder, input=given), hook.timeout)
    except (UsageError, OSError) as error:
        return f"could not be run: {error}"
    if finished.timed_out:
        return f"was ended after {hook.timeout:g} seconds"
    output = finished.output
    out, _, err = (output.head + output.tail).rpartition(apart.encode())
    said = shown_text(err.decode("utf-8", "replace"))
    code = finished.exit.code
    if code == 0 and (output.omitted_bytes or len(out) > MOST_BYTES):
        return f"printed more than {MOST_BYTES:,} bytes"
    return answer_of(event, code, out.decode("utf-8", "replace"), said)


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """What one hook says, or all of an event.

    `block` says why it must not be done, `ask` why the user is to be asked about a call, `halt` why
    the run is to end; "" means no. `arguments` replace those of the call. `context` is for the
    model, `notices` are for the user.
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
        """Leave out fields that are null, which count as absent."""
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
    """The meaning of a hook's output and exit code; a sentence part if it failed."""
    if code == _BLOCKED:
        return HookAnswer(block=err.strip() or _UNSAID)
    if code != 0:
        how = "was ended by a signal" if code is None else f"ended with exit code {code}"
        return f"{how}{_first_line(err)}"
    text = out.strip()
    if not text.startswith("{"):
        return HookAnswer(context=(text,) if text and event in _TEXT_IS_TOLD else ())
    try:
        return _meant(event, _Printed.model_validate_json(text))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "its output"
        return f"printed what cannot be used ({where}: {first['msg']})"


def strictest(answers: Iterable[HookAnswer]) -> HookAnswer:
    """Combine the answers of an event's hooks into the strictest one."""
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


Locate = Callable[[str], str | Missing]  # the absolute path of one that the model gave


def input_of(tool: str, arguments: Mapping[str, Any], locate: Locate) -> dict[str, Any]:
    """What a hook is told of a call's arguments: paths are absolute, with links resolved; blocking.

    Those of an MCP server's tool are left as they are.
    """
    if tool.startswith(MCP):
        return dict(arguments)
    given = dict(arguments)
    for name in _PATHS:
        located = locate(path) if isinstance(path := given.get(name), str) else None
        if isinstance(located, str):
            given[name] = os.path.realpath(located)
    if tool == "Bash" and isinstance(seconds := given.get("timeout_seconds"), int):
        given["timeout_seconds"] = seconds * 1000
    if tool == "Grep" and given.get("output_mode") == "files":
        given["output_mode"] = "files_with_matches"
    renamed: dict[str, Any] = _renamed(given, ARGUMENT_NAMES.get(tool, {}))
    return renamed


def arguments_of(tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that a hook means by its `updatedInput`.

    Tools accept all names of the table anyway, since models use them by habit; only a time has
    another unit. A tool's own name counts before the other: only the hook can have given it.
    """
    arguments: dict[str, Any] = _without_doubles(dict(given), ARGUMENT_NAMES.get(tool, {}))
    if tool == "Bash" and type(arguments.get(_BASH_TIMEOUT)) is int:
        arguments["timeout_seconds"] = math.ceil(arguments.pop(_BASH_TIMEOUT) / 1000)
    return arguments


def mode_of(mode: Mode) -> str:
    """The permission mode by the name that hooks know."""
    return "default" if mode is Mode.ASK else mode.value


def _renamed(value: Any, names: Mapping[str, str]) -> Any:  # noqa: ANN401 - JSON
    """JSON with other names in its objects."""
    match value:
        case dict():
            return {names.get(key, key): _renamed(inner, names) for key, inner in value.items()}
        case list():
            return [_renamed(each, names) for each in value]
    return value


def _without_doubles(value: Any, names: Mapping[str, str]) -> Any:  # noqa: ANN401 - JSON
    """The JSON without the other agents' names where our own name stands beside them."""
    match value:
        case dict():
            doubles = {theirs for ours, theirs in names.items() if ours in value}
            return {
                key: _without_doubles(inner, names)
                for key, inner in value.items()
                if key not in doubles
            }
        case list():
            return [_without_doubles(each, names) for each in value]
    return value
