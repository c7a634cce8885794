"""Sub-agents as tools start them, and their reports as results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from glossator.core.report import Report, Thoroughness
from glossator.core.tool_result import ToolResult


@dataclass(frozen=True, slots=True)
class Directive:
    """What a sub-agent is to find out, how far it is to go, and where to look: paths, or all.

    `agent` names one that is described in a file.
    """

    task: str
    thoroughness: Thoroughness = Thoroughness.MEDIUM
    paths: tuple[str, ...] = ()
    agent: str = ""


class Agents(Protocol):
    """Starts the sub-agents of a run. A report comes back whatever happens, if the run goes on."""

    @property
    def report_bytes(self) -> int:
        """How much of a report the conversation is given."""

    async def explore(self, directive: Directive, call_id: str | None) -> Report:
        """Have a fresh sub-agent that only reads find it out."""

    async def fork(self, task: str, call_id: str) -> Report:
        """Have the conversation itself go on with a task, beside its own going on."""


def as_result(report: Report, budget: int) -> ToolResult:
    """What the conversation that asked is given of a report: at most `budget` bytes."""
    findings = len(report.findings)
    if report.is_empty and report.partial:
        return ToolResult.failed(
            f"{report.agent} ended without a report: {report.partial}.\n{report.told(budget)}"
        )
    outcome = f"{findings} finding{'s' * (findings != 1)}"
    if report.partial:
        outcome += f", partial: {report.partial}"
    return ToolResult(report.told(budget), outcome=outcome, citable=report.read)
