"""Bash: a command in the workspace's sandbox, at once or in the background."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field, field_validator

from glossator.core.errors import UsageError
from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.tool_result import ToolResult, counted
from glossator.sandbox.jobs import MOST_RUNNING
from glossator.sandbox.output import HEAD, TAIL, Exit, Output, end_text, exit_text, output_text
from glossator.sandbox.shell import ShellCommand, ShellContext
from glossator.tools import ToolArgs, ToolContext

SECONDS = 120
MAX_SECONDS = 600

_MILLISECONDS_FROM = 10_000  # larger timeouts are milliseconds


class BashArgs(ToolArgs):
    """Arguments of Bash."""

    command: str | None = Field(None, min_length=1, max_length=20_000)
    cwd: str | None = Field(None, description="Folder; else the workspace.")
    timeout_seconds: int | None = Field(
        None,
        ge=0,
        le=MAX_SECONDS,
        description="Time limit, or wait for a job.",
    )
    background: bool = False
    network: bool = Field(False, description="The command needs the network.")
    job: str | None = Field(None, description="Job to check.")
    stop: bool = Field(False, description="End the job.")

    @classmethod
    def translated(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Accept `timeout`, in milliseconds if it is large."""
        timeout = given.get("timeout")
        if type(timeout) is int and timeout > 0 and "timeout_seconds" not in given:
            del given["timeout"]
            seconds = timeout // 1000 if timeout >= _MILLISECONDS_FROM else timeout
            given["timeout_seconds"] = min(seconds, MAX_SECONDS)
        return given

    @field_validator("command")
    @classmethod
    def _can_be_passed_on(cls, command: str | None) -> str | None:
        if command is not None and "\0" in command:
            raise ValueError("it contains a NUL, which no command can")
        return command

    def asked_to(self) -> str:
        """The command itself is shown with the question."""
        return "Run this command"

    def preview(self, _context: ToolContext) -> str:
        """The command, and its options."""
        special = {"in the background": self.background, "with the network": self.network}
        where = [f"in {self.cwd}"] if self.cwd else []
        notes = ", ".join([*where, *(note for note, holds in special.items() if holds)])
        return (self.command or "") + (f"\n({notes})" if notes else "")


class Bash:
    """Runs commands."""

    name: ClassVar[str] = "Bash"
    access: ClassVar[Access] = Access.EXECUTE
    args: ClassVar[type[ToolArgs]] = BashArgs
    description = load_prompt("tools/bash").render(
        seconds=str(SECONDS), kilobytes=str((HEAD + TAIL) // 1000), jobs=str(MOST_RUNNING)
    )

    async def run(
        self,
        args: BashArgs,
        context: ToolContext,
    ) -> ToolResult:
        """Run a command, or look at a job."""
        if (shell := context.find(ShellContext)) is None:
            raise UsageError("Commands cannot be run here.\nTell the user what to run.")
        if args.job is not None:
            result = await _look(args, args.job, shell)
            context.runs.looked(args.job, result.outcome if result.unsuccessful else "")
            return result
        if args.command is None or args.stop:
            raise UsageError("Give a command, or a job to check or stop.")
        try:
            unsaved = await context.saving_first()
            command = ShellCommand(args.command, args.cwd, args.network, context.permit)
            number = context.runs.begin(command.text)
            run = f"[run {number}]"
            if args.background:
                job = await shell.start(command)
                context.runs.jobs[job] = number
                return _started(job, run, unsaved)
            result = await _run(args, command, context, shell, run, unsaved)
        except OSError as error:
            return ToolResult.failed(f"The command could not be started: {error}.\nTry again.")
        if result.error or result.unsuccessful:
            context.runs.fail(number, result.outcome)
        return result


def _started(job: str, run: str, unsaved: str) -> ToolResult:
    text = (
        f"{run} Started job {job}. Check it with job={job!r}. What it changes after this turn"
        " cannot be undone."
    )
    outcome = f"job {job} runs in the background"
    return ToolResult(f"{text}\n{unsaved}".rstrip(), outcome=outcome, number=run)


async def _run(
    args: BashArgs,
    command: ShellCommand,
    context: ToolContext,
    shell: ShellContext,
    run: str,
    unsaved: str,
) -> ToolResult:
    seconds = args.timeout_seconds or SECONDS
    finished = await shell.run(command, seconds, lambda new: context.show_output(end_text(new)))
    if finished.timed_out:
        ended = f"ended at its limit of {seconds} s"
        end = (
            f"[{ended}. Raise it with timeout_seconds (at most"
            f" {MAX_SECONDS}), or run it in the background]"
        )
        text = _joined(finished.output, f"{run} {end}", shell, unsaved, finished.notes)
        omitted = _omitted(finished.output)
        return ToolResult(text, omitted=omitted, error=True, outcome=ended, number=run)
    return _result(finished.output, finished.exit, shell, run, unsaved, finished.notes)


async def _look(args: BashArgs, job: str, shell: ShellContext) -> ToolResult:
    if args.command is not None or args.background:
        raise UsageError("Give a command or a job, not both.")
    if args.stop:
        polled = await shell.stop(job)
    else:
        polled = await shell.poll(job, args.timeout_seconds or 0)
    return _result(polled.output, polled.exit, shell, notes=polled.notes)


def _result(
    output: Output,
    ended: Exit | None,
    shell: ShellContext,
    run: str = "",
    unsaved: str = "",
    notes: tuple[str, ...] = (),
) -> ToolResult:
    end = exit_text(ended)
    return ToolResult(
        _joined(output, f"{run} {end}".lstrip(), shell, unsaved, notes),
        omitted=_omitted(output),
        outcome=_lines_of(output) if ended == Exit(0) else end.strip("[]"),
        pending=ended is None,
        number=run,
        unsuccessful=ended not in (None, Exit(0)),
    )


def _lines_of(output: Output) -> str:
    """The length of an output in lines, for people."""
    text = output.head + output.tail
    lines = text.count(b"\n") + output.omitted_lines + (not text.endswith(b"\n"))
    return f"{counted(lines, 'lines')} of output" if text else "no output"


def _joined(
    output: Output, end: str, shell: ShellContext, unsaved: str, notes: tuple[str, ...]
) -> str:
    lines = [output_text(output) or "[no output]", end, *notes]
    if shell.unconfined is not None:
        lines.append("[run without a sandbox]")
    if unsaved:
        lines.append(unsaved)
    return "\n".join(lines)


def _omitted(output: Output) -> int:
    return 1 if output.omitted_bytes else 0
