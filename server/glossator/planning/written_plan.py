"""A plan of tasks as a text that people read and change."""

from __future__ import annotations

import re
from collections.abc import Sequence

from glossator.core.grounded_events import PlannedTask
from glossator.planning.decomposer import read_plan

_TASK = re.compile(
    r"^\s*(?:(?P<id>\d{1,3})[.)]|[-*+])[ \t]+(?P<description>.*?)"
    r"[ \t]*(?:\((?:after|builds on) (?P<needs>[^()]*)\)[ \t]*)?$",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")


def plan_text(tasks: Sequence[PlannedTask]) -> str:
    """A line for each task, such as `3. Compare both. (after 1, 2)`."""
    lines = []
    for task in tasks:
        needs = f" (after {', '.join(task.dependencies)})" if task.dependencies else ""
        lines.append(f"{task.id}. {task.description}{needs}")
    return "\n".join(lines)


def read_plan_text(text: str) -> tuple[tuple[PlannedTask, ...], tuple[str, ...]]:
    """The tasks of a plan as it was changed, and what is wrong, as `read_plan`.

    The numbers are names, whatever the order; a new task may begin with `-`. A line that begins
    with neither goes on with the task above it; titles and empty lines count for nothing.
    """
    items: list[dict[str, object]] = []
    for line in text.splitlines():
        found = _TASK.match(line)
        if found:
            needs = _NUMBER.findall(found["needs"] or "")
            said = found["description"]
            items.append({"id": found["id"] or "", "description": said, "dependencies": needs})
        elif line.strip() and not line.startswith("#"):
            if not items:
                return (), (f"“{line.strip()}” is no task; begin it with a number or `-`.",)
            items[-1]["description"] = f"{items[-1]['description']} {line.strip()}"
    taken = {str(item["id"]) for item in items}
    free = (str(number) for number in range(1, 1000) if str(number) not in taken)
    for item in items:
        item["id"] = item["id"] or next(free)
    return read_plan(items)
