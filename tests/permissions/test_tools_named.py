"""A tool that permission rules would not hold for is refused when the server starts."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from glossator.application.permission_checker import check_tools
from glossator.application.toolbox import all_tools
from glossator.core.errors import DeclarationError
from glossator.core.permission import Access
from glossator.core.tool_result import ToolResult
from glossator.permissions.policy import FAMILIES
from glossator.tools.base import ToolArgs, ToolContext


class PathArgs(ToolArgs):
    path: str = ""


class Peek:
    """Reads, by a name that no rule knows."""

    name: ClassVar[str] = "Peek"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = ToolArgs
    description = ""

    async def run(self, _args: Any, _context: ToolContext) -> ToolResult:
        """Nothing."""
        return ToolResult("")


class Pathless(Peek):
    """Is named, but does not say which paths its calls are about."""

    name = "Grep"
    args: ClassVar[type[ToolArgs]] = PathArgs


class Runner(Peek):
    """Runs something."""

    access = Access.EXECUTE


class Speaker(Peek):
    """Touches nothing."""

    access = Access.NONE


def test_rules_hold_for_all_tools_and_name_no_others() -> None:
    tools = all_tools(diagnostics=True, agents=True)
    check_tools(tools.values())
    check_tools([Speaker()])
    assert set().union(*FAMILIES.values()) <= tools.keys()


@pytest.mark.parametrize(
    ("tool", "says"),
    [
        (Peek(), "names the tool Peek, whose access is read: add it to FAMILIES"),
        (Runner(), "names the tool Peek, whose access is execute"),
        (Pathless(), "give PathArgs a method `paths`"),
    ],
)
def test_a_tool_that_would_escape_rules_is_refused(tool: Any, says: str) -> None:
    with pytest.raises(DeclarationError, match=says):
        check_tools([tool])
